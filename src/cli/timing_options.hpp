#pragma once

#include <string>

#include "rooflab/engine/case.hpp"

namespace rooflab::cli {

/// What measure and scale ask alike about how steps are timed, as typed; empty: not given.
struct TimingOptions {
  std::string iterations;
  std::string min_time;
  std::string max_time;
  std::string threads;
  std::string seed;
  bool cudnn_benchmark = false;

  /// Puts what was given into `settings`. Throws Error (usage).
  void apply(engine::MeasureSettings& settings) const;
};

}  // namespace rooflab::cli
