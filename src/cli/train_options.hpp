#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "rooflab/engine/training.hpp"

namespace rooflab::cli {

/// What the data of a training is, as far as it must be known before.
struct TrainingData {
  std::vector<std::string> classes;
  std::int64_t images = 0;             ///< to train on
  bool validates_on_training = false;  ///< there is no other split
};

/// Flags of `train`: which network, on what data, where and how.
class TrainOptions {
 public:
  void add_to(Command command);

  [[nodiscard]] bool has_model() const { return !model_.empty(); }

  /// Opens the data of `--data`. Throws Error (usage, input).
  [[nodiscard]] TrainingData data() const;

  /// One for each run, by seed, without a folder. Throws Error (usage, input) for anything that is
  /// wrong, before anything runs.
  [[nodiscard]] std::vector<engine::TrainingRequest> requests(const TrainingData& data) const;

  /// The same with other values of flags, as advice gives them: `--batch`, `256`.
  [[nodiscard]] TrainOptions with(
      const std::vector<std::pair<std::string, std::string>>& flags) const;

  [[nodiscard]] bool has_max_time() const { return !max_time_.empty(); }

 private:
  [[nodiscard]] graph::Graph network(std::int64_t batch, std::int64_t classes) const;
  [[nodiscard]] record::TrainingRecipe recipe(const graph::Graph& graph, std::int64_t batch) const;
  [[nodiscard]] std::optional<double> target() const;
  [[nodiscard]] std::string command_line(std::uint64_t seed) const;

  std::string model_;
  std::string data_;
  std::string device_;
  // As typed; empty: not given.
  std::string batch_;
  std::string until_;
  std::string runs_;
  std::string seed_;
  std::string epochs_;
  std::string optimizer_ = "sgd-momentum";
  std::string learning_rate_;
  std::string momentum_;
  std::string weight_decay_;
  std::string schedule_ = "one-cycle";
  std::string warmup_epochs_;
  std::string milestones_;
  std::string label_smoothing_;
  std::string precision_ = "fp32";
  std::string variant_;
  std::string classes_;
  std::string image_size_;
  std::string data_workers_;
  std::string checkpoint_every_;
  std::string max_images_;
  std::string max_time_;
  bool nesterov_ = false;
  bool no_augment_ = false;
  bool deterministic_ = false;
  bool channels_last_ = false;
};

}  // namespace rooflab::cli
