#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/record/record.hpp"

namespace rooflab::findings {

/// What a trace, a profile or a log shows of the program that ran. No advice speaks against it.
/// What is not seen is false: it may be there all the same.
struct Evidence {
  bool loads_data = false;         ///< a DataLoader gave the batches
  bool compiled = false;           ///< torch.compile made kernels
  bool replays_graphs = false;     ///< CUDA graphs were launched
  bool trains = false;             ///< a backward pass or an optimizer ran
  bool convolves = false;          ///< a kernel or an op of a convolution
  bool tf32_products = false;      ///< matrix products ran in TF32, or may
  bool tf32_convolutions = false;  ///< convolutions did, or may
  bool cudnn_benchmark = false;
  bool averages_gradients = false;      ///< all-reduces, and no collectives of sharded models
  bool fused_optimizer = false;         ///< kernels of a fused one
  bool foreach_optimizer = false;       ///< kernels over lists of tensors
  std::vector<std::string> optimizers;  ///< classes whose steps ran, each once
};
[[nodiscard]] Evidence evidence_of(const record::Record& record);

/// A statement that makes an optimizer of that class launch fewer kernels, and leaves it what it
/// is; empty: PyTorch has nothing for it. `foreach`: it works on lists of tensors already.
[[nodiscard]] std::string optimizer_line(std::string_view class_name, bool foreach);

}  // namespace rooflab::findings
