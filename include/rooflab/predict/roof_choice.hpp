#pragma once

#include <optional>

#include "rooflab/base/arithmetic_path.hpp"
#include "rooflab/base/dtype.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/device/device.hpp"

namespace rooflab::predict {

/// The path that matrix work on operands of `type` takes on a device: tensor cores where the device
/// has them for that type, with an fp32 accumulator as frameworks ask for; fp32 data stays on the
/// FP32 units unless the precision allows TF32. nullopt: the device has no figure for such a path.
[[nodiscard]] std::optional<ArithmeticPath> matrix_path(const device::Device& device, DType type,
                                                        Precision precision);

/// The path of everything else; `type` is the arithmetic's (fp32 also for fp16 and bf16 data).
[[nodiscard]] std::optional<ArithmeticPath> vector_path(const device::Device& device, DType type);

}  // namespace rooflab::predict
