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

/// How far a run has come: after `batch` batches of `epoch`, and what they summed up to.
struct TrainingPlace {
  std::int64_t epoch = 0;
  std::int64_t batch = 0;
  std::int64_t steps_per_epoch = 0;
  double loss_sum = 0.0;  ///< over images
  std::int64_t correct = 0;
  std::int64_t images = 0;
  double train_s = 0.0;
  double wait_s = 0.0;
  double issue_s = 0.0;
  double elapsed_s = 0.0;  ///< time of the run
};
[[nodiscard]] std::span<const Field> fields_of(For<TrainingPlace>);

/// A trained network, by torchvision's names, with all that is needed to use it elsewhere and to
/// train on. docs/formats/training.md describes the files.
struct Checkpoint {
  std::map<std::string, at::Tensor> model;  ///< parameters, buffers, constants, on the CPU
  record::TrainingRun run;                  ///< until then; its identity holds the graph
  data::ImageTransform images;              ///< transform for evaluation
  // Only in checkpoint.pt:
  std::vector<at::Tensor> optimizer;
  std::vector<at::Tensor> scaler;  ///< tensors for training in amp-fp16
  std::optional<TrainingPlace> place;
};

/// Both replace the file atomically. Throw Error (system), and leave nothing, where it cannot be
/// written.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
/// The model alone: a state dict of PyTorch with one entry more.
void write_weights(const std::filesystem::path& file, const Checkpoint& checkpoint);

/// Either of the files. Throws Error (input) for another, and for one that is cut off.
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& file);

/// Copies of a network's parameters, buffers and constants; `values` by ValueId.
[[nodiscard]] std::map<std::string, at::Tensor> model_of(const graph::Graph& graph,
                                                         const std::vector<at::Tensor>& values);

/// Overwrites `values` with the model's. Throws Error (input) that names the first tensor that is
/// missing or has another shape.
void load_model(const graph::Graph& graph, const std::vector<at::Tensor>& values,
                const std::map<std::string, at::Tensor>& model, const std::string& file);

/// TrainingRun::weights_fingerprint, 16 hexadecimal digits.
[[nodiscard]] std::string fingerprint_of(const graph::Graph& graph,
                                         const std::vector<at::Tensor>& values);

}  // namespace rooflab::torch_worker
