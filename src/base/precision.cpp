#include "rooflab/base/precision.hpp"

#include <array>
#include <cstddef>

namespace rooflab {
namespace {

constexpr std::array<std::string_view, 6> precision_names = {"fp64", "fp32", "tf32",
                                                             "fp16", "bf16", "amp"};
constexpr std::array<std::string_view, 3> phase_names = {"inference", "forward", "training"};

template <class Enum, std::size_t size>
std::optional<Enum> find(const std::array<std::string_view, size>& names, std::string_view name) {
  for (std::size_t i = 0; i < size; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Precision precision) {
  return precision_names[static_cast<std::size_t>(precision)];
}
std::optional<Precision> precision_from_name(std::string_view name) {
  return find<Precision>(precision_names, name);
}
std::string_view name_of(Phase phase) { return phase_names[static_cast<std::size_t>(phase)]; }
std::optional<Phase> phase_from_name(std::string_view name) {
  return find<Phase>(phase_names, name);
}

}  // namespace rooflab
