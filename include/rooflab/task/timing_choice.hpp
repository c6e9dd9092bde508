#pragma once

#include <cstdint>
#include <optional>

#include "rooflab/base/parameter.hpp"
#include "rooflab/engine/case.hpp"

namespace rooflab::task {

/// How steps are timed, of measure and scale alike.
struct TimingChoice {
  int iterations = engine::MeasureSettings().iterations;
  std::optional<double> min_time = {};
  std::optional<double> max_time = {};
  std::optional<int> threads = {};
  std::uint64_t seed = 0;
  bool cudnn_benchmark = false;

  /// Puts what was chosen into `settings`. Throws Error (usage).
  void apply(engine::MeasureSettings& settings) const;
};
const Parameters& parameters_of(For<TimingChoice>);

}  // namespace rooflab::task
