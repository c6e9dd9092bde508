#pragma once

#include <optional>
#include <string_view>

/// Types of tensors as traces name them, with the bytes of an element; nullopt: not known.
namespace rooflab::trace {

/// Takes the type of C++, as an op's arguments have it: `c10::Half`, `long int`.
[[nodiscard]] std::optional<double> element_bytes_of(std::string_view type);
/// The same as far as PyTorch's TensorBoard plugin knew it.
[[nodiscard]] std::optional<double> plugin_element_bytes_of(std::string_view type);
/// Takes the name of c10::ScalarType, as a collective has it: `Half`, `Long`.
[[nodiscard]] std::optional<double> scalar_bytes_of(std::string_view scalar);

}  // namespace rooflab::trace
