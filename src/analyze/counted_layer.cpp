#include "rooflab/analyze/counted_layer.hpp"

#include <array>

#include "rooflab/base/quotient.hpp"

namespace rooflab::analyze {

std::string_view name_of(GapCause cause) {
  constexpr std::array<std::string_view, 14> names = {
      "padding",    "tiles",      "Winograd",          "FFT",       "split precision",
      "convention", "no rule",    "layout conversion", "split sum", "several kernels",
      "read again", "cache hits", "partial",           "not known"};
  return names.at(static_cast<std::size_t>(cause));
}

std::optional<double> CountedLayer::model_flops() const {
  if (!model_matrix_flops || !model_vector_flops) return std::nullopt;
  return (*model_matrix_flops + *model_vector_flops).as_double();
}
std::optional<double> CountedLayer::flops_ratio() const {
  return quotient(sums.at(record::KernelFigure::flops), model_flops());
}
std::optional<double> CountedLayer::bytes_ratio() const {
  return model_bytes ? quotient(sums.at(record::KernelFigure::dram_bytes), model_bytes->as_double())
                     : std::nullopt;
}

}  // namespace rooflab::analyze
