#include "rooflab/base/precision.hpp"

#include <array>
#include <cstddef>

namespace rooflab {
namespace {

constexpr std::array<std::string_view, 8> names_of_precisions = {
    "fp64", "fp32", "tf32", "fp16", "bf16", "amp", "amp-fp16", "amp-bf16"};
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
  return names_of_precisions[static_cast<std::size_t>(precision)];
}
std::optional<Precision> precision_from_name(std::string_view name) {
  return find<Precision>(names_of_precisions, name);
}
std::vector<std::string> precision_names() {
  return {names_of_precisions.begin(), names_of_precisions.end()};
}

std::optional<DType> autocast_type(Precision precision) {
  switch (precision) {
    case Precision::amp:
    case Precision::amp_bf16:
      return DType::bf16;
    case Precision::amp_fp16:
      return DType::f16;
    default:
      return std::nullopt;
  }
}

bool scales_loss(Precision precision) { return autocast_type(precision) == DType::f16; }

Precision autocast_on(bool computes_bf16, Precision asked) {
  return asked == Precision::amp && !computes_bf16 ? Precision::amp_fp16 : asked;
}

std::string_view name_of(Phase phase) { return phase_names[static_cast<std::size_t>(phase)]; }
std::optional<Phase> phase_from_name(std::string_view name) {
  return find<Phase>(phase_names, name);
}

}  // namespace rooflab
