#include "rooflab/analyze/counted_layer.hpp"

#include "rooflab/base/quotient.hpp"

namespace rooflab::analyze {

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
