#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/image_transform.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/record/training_run.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {

/// Progress of a run: after `batch` batches of `epoch`, with their sums.
struct TrainingPlace {
  std::int64_t epoch = 0;
  std::int64_t batch = 0;
  std::int64_t steps_per_epoch = 0;
  double loss_sum = 0.0;  ///< sum over images
  std::int64_t correct = 0;
  std::int64_t images = 0;
  double train_s = 0.0;
  double wait_s = 0.0;
  double issue_s = 0.0;
  double elapsed_s = 0.0;  ///< time of the run
};
[[nodiscard]] std::span<const Field> fields_of(For<TrainingPlace>);

/// A trained network with torchvision's names and everything needed to use it elsewhere and to
/// continue training. docs/formats/training.md describes the files.
struct Checkpoint {
  std::map<std::string, at::Tensor> model;  ///< parameters, buffers, constants, on the CPU
  record::TrainingRun run;                  ///< the run so far; its identity has the graph
  data::ImageTransform images;              ///< transform for evaluation
  // Only in checkpoint.pt:
  std::vector<at::Tensor> optimizer;
  std::vector<at::Tensor> scaler;  ///< tensors for training in amp-fp16
  std::optional<TrainingPlace> place;
};

/// Writes a checkpoint; like write_weights() it replaces the file atomically. Throws Error
/// (system), and leaves nothing, where it cannot be written.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
/// Writes only the model: a state dict of PyTorch with one additional entry.
void write_weights(const std::filesystem::path& file, const Checkpoint& checkpoint);

/// Reads a checkpoint or weights. Throws Error (input) for another file, and for an incomplete one.
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& file);

/// Copies a network's parameters, buffers and constants; `values` by ValueId.
[[nodiscard]] std::map<std::string, at::Tensor> model_of(const graph::Graph& graph,
                                                         const std::vector<at::Tensor>& values);

/// Overwrites `values` with the model's. Throws Error (input) that names the first tensor that is
/// missing or has another shape.
void load_model(const graph::Graph& graph, const std::vector<at::Tensor>& values,
                const std::map<std::string, at::Tensor>& model, const std::string& file);

/// Computes TrainingRun::weights_fingerprint, 16 hexadecimal digits.
[[nodiscard]] std::string fingerprint_of(const graph::Graph& graph,
                                         const std::vector<at::Tensor>& values);

}  // namespace rooflab::torch_worker
