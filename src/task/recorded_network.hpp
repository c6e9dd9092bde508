#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rooflab/recording/recording.hpp"
#include "rooflab/task/network.hpp"

namespace rooflab::task {

/// Whether a model is a file: by its name, or because a file has it and no built-in network.
/// Throws Error (input) where the system cannot tell.
[[nodiscard]] bool is_model_file(const std::string& model);
/// Whether a model is a recording. Throws Error (input) for a file that cannot be read.
[[nodiscard]] bool is_recorded(const std::string& model);

/// Whether a setting of recordings may have a part: a name that nothing has is told of when it is
/// loaded. Throws as is_recorded().
[[nodiscard]] bool may_be_recorded(const std::string& model);

/// A recording, with those of the same step in other sizes (`settings.recorded`), read once.
class RecordedNetwork {
 public:
  /// Throws Error (input) for a wrong file, and for recordings of other steps.
  RecordedNetwork(std::string file, const NetworkSettings& settings);

  /// The step in that size; what is not asked for is the recording's own. Throws Error (usage) for
  /// settings that a recording cannot take, and Error (usage, input) for a size that nothing says.
  [[nodiscard]] LoadedModel load(const recording::StepSize& size) const;
  [[nodiscard]] recording::StepSize own_size() const { return size_of(sizes_.first()); }

 private:
  std::string file_;
  const NetworkSettings& settings_;
  recording::StepSizes sizes_;
};

}  // namespace rooflab::task
