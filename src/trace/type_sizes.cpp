#include "type_sizes.hpp"

#include <algorithm>
#include <array>

namespace rooflab::trace {
namespace {

struct TypeSize {
  std::string_view type;
  std::string_view scalar;
  double bytes;
  bool plugin = false;
};

constexpr std::array sizes = std::to_array<TypeSize>({
    {"double", "Double", 8},
    {"float", "Float", 4, true},
    {"c10::Half", "Half", 2, true},
    {"c10::BFloat16", "BFloat16", 2, true},
    {"c10::Float8_e4m3fn", "Float8_e4m3fn", 1},
    {"c10::Float8_e5m2", "Float8_e5m2", 1},
    {"c10::Float8_e4m3fnuz", "Float8_e4m3fnuz", 1},
    {"c10::Float8_e5m2fnuz", "Float8_e5m2fnuz", 1},
    {"c10::complex<float>", "ComplexFloat", 8},
    {"long int", "Long", 8, true},
    {"int", "Int", 4, true},
    {"short int", "Short", 2},
    {"signed char", "Char", 1},
    {"unsigned char", "Byte", 1, true},
    {"bool", "Bool", 1},
});

std::optional<double> bytes_of(std::string_view name, std::string_view TypeSize::*member) {
  const auto* const found = std::ranges::find(sizes, name, member);
  return found == sizes.end() ? std::nullopt : std::optional(found->bytes);
}

}  // namespace

std::optional<double> element_bytes_of(std::string_view type) {
  return bytes_of(type, &TypeSize::type);
}

std::optional<double> plugin_element_bytes_of(std::string_view type) {
  const bool known = std::ranges::any_of(
      sizes, [&](const TypeSize& size) { return size.type == type && size.plugin; });
  return known ? element_bytes_of(type) : std::nullopt;
}

std::optional<double> scalar_bytes_of(std::string_view scalar) {
  return bytes_of(scalar, &TypeSize::scalar);
}

}  // namespace rooflab::trace
