#pragma once

#include <string_view>

#include "rooflab/graph/op_kinds.hpp"

namespace rooflab::analyze {

/// Class of the work of a kernel by parts of its name, for logs and traces that know no ops;
/// `other` where no rule matches. The rules are in kernel_class.cpp.
[[nodiscard]] graph::WorkClass work_class_of_kernel(std::string_view name);

}  // namespace rooflab::analyze
