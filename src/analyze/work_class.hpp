#pragma once

#include <cstdint>
#include <string_view>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/graph/op_kinds.hpp"

namespace rooflab::analyze {

/// Work on a device as a strip of a timeline colours it: few enough to be told apart.
enum class WorkClass : std::uint8_t {
  convolution,
  product,  ///< linear layers, attention, recurrent layers
  normalisation,
  elementwise,  ///< activations and optimizers too
  copy,         ///< conversions of layout and type too
  other,
};
constexpr auto names_in_order(For<WorkClass>) {
  return names_through<WorkClass::other>("convolution", "matrix products", "normalisation",
                                         "element-wise", "copies", "other");
}

[[nodiscard]] WorkClass work_class_of(graph::OpClass op_class);
/// The class by parts of the kernel's name, an estimate: `other` where it tells nothing.
[[nodiscard]] WorkClass work_class_of_kernel(std::string_view name);

}  // namespace rooflab::analyze
