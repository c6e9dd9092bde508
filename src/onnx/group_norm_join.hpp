#pragma once

#include "assembly.hpp"
#include "constant_computer.hpp"

namespace rooflab::onnx {

/// Joins each group norm that PyTorch's exporters write as an instance norm of groups, before
/// operator set 21, to one GroupNorm:
///
///     reshape(instance_norm(reshape(x, [N, groups, -1])), shape of x) * weight + bias
///
/// Weight and bias are constants with one element per channel of x [N, C, ...].
void join_group_norms(Assembly& assembly, ConstantComputer& constants);

}  // namespace rooflab::onnx
