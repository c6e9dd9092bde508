#pragma once

#include <optional>
#include <string_view>

/// Sizes of the tensor types in traces, in bytes per element; nullopt: not known.
namespace rooflab::trace {

/// Bytes of an element of a C++ type, as in an op's arguments: `c10::Half`, `long int`; nullopt:
/// not known.
[[nodiscard]] std::optional<double> element_bytes_of(std::string_view type);
/// Bytes of an element of a C++ type, for types that PyTorch's TensorBoard plugin knows; else
/// nullopt.
[[nodiscard]] std::optional<double> plugin_element_bytes_of(std::string_view type);
/// Bytes of an element of a c10::ScalarType, as in a collective: `Half`, `Long`; nullopt: not
/// known.
[[nodiscard]] std::optional<double> scalar_bytes_of(std::string_view scalar);

}  // namespace rooflab::trace
