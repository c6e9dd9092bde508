#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/data/batch_loader.hpp"
#include "rooflab/engine/case.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {

/// Batches of a case's data for the network's first input, decoded ahead in worker threads.
class BatchSource {
 public:
  /// nullptr for dummy data. Throws Error (input) for data that cannot be read and Unsupported for
  /// a network that takes no images [N, 3, H, W].
  [[nodiscard]] static std::unique_ptr<BatchSource> open(const engine::Case& request);

  /// Images [N, 3, H, W] in fp32 and labels [N], on the host; epochs follow one another.
  struct Batch {
    at::Tensor images;
    at::Tensor labels;
  };
  [[nodiscard]] Batch next();

  /// Files that could not be read, with the reason.
  [[nodiscard]] std::vector<std::string> broken() const;

 private:
  BatchSource(std::unique_ptr<data::BatchLoader> loader, std::vector<std::int64_t> shape);

  std::unique_ptr<data::BatchLoader> loader_;
  std::vector<std::int64_t> shape_;
  std::optional<data::Batch> current_;  ///< the tensors look at its memory
};

}  // namespace rooflab::torch_worker
