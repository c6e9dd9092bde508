#include "rooflab/analyze/work_check.hpp"

#include "rooflab/base/error.hpp"

namespace rooflab::analyze {

WorkCheck check_work(const record::KernelSums& totals, const predict::NetworkLimit& model) {
  WorkCheck check;
  check.model_matrix_flops = model.matrix_flops.as_double();
  check.model_vector_flops = model.vector_flops.as_double();
  check.model_flops = model.flops().as_double();
  if (check.model_flops <= 0.0) {
    throw Error(ErrorKind::input, "the network has no FLOPs to check against");
  }
  check.tensor_flops = totals.at(record::KernelFigure::tensor_flops);
  check.collected_flops = totals.at(record::KernelFigure::collected_flops).value_or(0.0);
  check.cuda_core_flops = totals.at(record::KernelFigure::cuda_core_flops).value_or(0.0);
  check.missing_share = 1.0 - check.collected_flops / check.model_flops;
  return check;
}

}  // namespace rooflab::analyze
