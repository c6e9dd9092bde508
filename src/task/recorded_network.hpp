#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rooflab/recording/recording.hpp"
#include "rooflab/task/network.hpp"

namespace rooflab::task {

/// Whether a model is a file: by its form, or because a file has this name and no built-in network
/// does. Throws Error (input) where the system cannot tell.
[[nodiscard]] bool is_model_file(const std::string& model);
/// Whether a model is a file or built in.
[[nodiscard]] bool is_network(const std::string& model);
/// Whether a model is a recording. Throws Error (input) for a file that cannot be read.
[[nodiscard]] bool is_recorded(const std::string& model);

/// Whether settings of recordings may apply to a model: true also for an unknown name, which is
/// reported when it is loaded. Throws as is_recorded().
[[nodiscard]] bool may_be_recorded(const std::string& model);

/// A recording together with recordings of its step in other sizes (`settings.recorded`), each read
/// once.
class RecordedNetwork {
 public:
  /// Reads the recordings. Throws Error (input) for a wrong file, and for recordings of other
  /// steps.
  RecordedNetwork(std::string file, const NetworkSettings& settings);

  /// Loads the step in a size; unset sizes are the recording's own. Throws Error (usage) for
  /// settings that a recording cannot take, and Error (usage, input) for a size that the recordings
  /// do not determine.
  [[nodiscard]] LoadedModel load(const recording::StepSize& size) const;
  [[nodiscard]] recording::StepSize own_size() const { return size_of(sizes_.first()); }

 private:
  std::string file_;
  const NetworkSettings& settings_;
  recording::StepSizes sizes_;
};

}  // namespace rooflab::task
