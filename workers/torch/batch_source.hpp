#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/batch_loader.hpp"
#include "rooflab/engine/case.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {

/// Batches of images for the network's first input, decoded ahead in worker threads.
class BatchSource {
 public:
  /// Opens a source for measuring a case: epochs of its training images; nullptr for dummy data.
  /// Throws Error (input) for data that cannot be read and Unsupported for a network that takes no
  /// images [N, 3, H, W].
  [[nodiscard]] static std::unique_ptr<BatchSource> open(const engine::Case& request);

  /// Takes a dataset. Without `drop_last` the last batch of an epoch has fewer images; the rest of
  /// its tensors is zeros. `pinned`: use memory from which a GPU copies while the host continues.
  BatchSource(std::shared_ptr<const data::Dataset> dataset, const data::LoaderOptions& options,
              bool pinned = false);

  /// Images [N, 3, H, W] in fp32 and labels [N], on the host; valid until the next call.
  struct Batch {
    at::Tensor images;
    at::Tensor labels;
    std::int64_t count = 0;  ///< number of images
  };
  /// The next batch; epochs follow one another.
  [[nodiscard]] Batch next();
  /// The next batch; nullopt at the end of an epoch.
  [[nodiscard]] std::optional<Batch> next_of_epoch();

  [[nodiscard]] std::int64_t batches_per_epoch() const { return loader_->batches_per_epoch(); }
  void seek(std::int64_t epoch, std::int64_t batch) { loader_->seek(epoch, batch); }
  /// Total time in which calls waited for the workers.
  [[nodiscard]] double waited_s() const { return waited_s_; }
  [[nodiscard]] bool pinned() const { return pinned_; }

  /// Files that could not be read, with the reason.
  [[nodiscard]] std::vector<std::string> broken() const;

 private:
  std::unique_ptr<data::BatchLoader> loader_;
  std::vector<std::int64_t> shape_;
  bool pinned_;
  double waited_s_ = 0.0;
  std::optional<data::Batch> current_;  ///< the tensors refer to its memory, unless it is pinned
};

/// Transform from images of a dataset to a network's input of height x width, as
/// docs/formats/datasets.md describes. `random`: crop and flip for training, else the centre.
[[nodiscard]] data::ImageTransform transform_for(const std::string& specification,
                                                 std::int64_t height, std::int64_t width,
                                                 bool random);

/// Shape [N, 3, H, W] of the network's first input. Throws Unsupported when it takes no images.
[[nodiscard]] const graph::Shape& image_shape(const graph::Graph& graph);

/// Throws Error (input) when the network has fewer classes than the dataset.
void check_classes(const graph::Graph& graph, const data::Dataset& dataset,
                   const std::string& specification);

}  // namespace rooflab::torch_worker
