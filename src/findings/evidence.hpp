#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/record/record.hpp"

namespace rooflab::findings {

/// Properties of the program that a trace, a profile or a log shows. Advice must not contradict
/// them. A property that is not seen is false, although the program may have it.
struct Evidence {
  bool loads_data = false;         ///< a DataLoader gave the batches
  bool compiled = false;           ///< torch.compile made kernels
  bool replays_graphs = false;     ///< CUDA graphs were launched
  bool trains = false;             ///< a backward pass or an optimizer ran
  bool convolves = false;          ///< a kernel or an op of a convolution ran
  bool tf32_products = false;      ///< matrix products ran in TF32, or may
  bool tf32_convolutions = false;  ///< convolutions ran in TF32, or may
  bool cudnn_benchmark = false;
  bool averages_gradients = false;      ///< all-reduces without collectives of sharded models
  bool fused_optimizer = false;         ///< kernels of a fused optimizer
  bool foreach_optimizer = false;       ///< kernels over lists of tensors
  std::vector<std::string> optimizers;  ///< distinct classes of optimizers that ran
};
[[nodiscard]] Evidence evidence_of(const record::Record& record);

/// A statement that makes an optimizer of that class launch fewer kernels with the same results;
/// empty: PyTorch has none. `foreach`: it already works on lists of tensors.
[[nodiscard]] std::string optimizer_line(std::string_view class_name, bool foreach);

}  // namespace rooflab::findings
