#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/record/training_run.hpp"

namespace rooflab::training {

/// What keeps a training run from being faster.
enum class TrainingLimit : std::uint8_t {
  data,           ///< steps wait for images
  host,           ///< the device waits for the host to issue work
  small_batch,    ///< too few images at a time for the device
  precision,      ///< matrix work beside the tensor cores
  memory_format,  ///< tensor cores with images in channels-first order
  power,          ///< the power limit holds the clocks down
  heat,           ///< so does the temperature
};
constexpr auto names_in_order(For<TrainingLimit>) {
  return names_through<TrainingLimit::heat>("data-bound", "host-bound", "small batch", "precision",
                                            "memory format", "power limit", "heat");
}

/// A finding with its numbers, and what would help.
struct TrainingAdvice {
  TrainingLimit limit = TrainingLimit::data;
  std::string sentence;
  /// Flags of `rooflab train` with their values, empty for a switch; none where no flag helps.
  std::vector<std::pair<std::string, std::string>> flags;

  /// The flags as words: `--batch 256`.
  [[nodiscard]] std::string change() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<TrainingAdvice>);

/// From the times and samples of a run, the one that costs most first. What the run does not tell
/// (no samples, a CPU) gives no finding. The thresholds stand in docs/methods/training.md.
[[nodiscard]] std::vector<TrainingAdvice> advice_of(const record::TrainingRun& run);

}  // namespace rooflab::training
