#include "timing_options.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "flag_value.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::cli {

void TimingOptions::apply(engine::MeasureSettings& settings) const {
  if (!iterations.empty()) {
    settings.iterations = positive_int(iterations, "--iterations", "--iterations 50");
  }
  if (!min_time.empty()) {
    settings.min_time_s = positive_number(min_time, "--min-time", "--min-time 5");
  }
  if (!max_time.empty()) {
    settings.max_time_s = positive_number(max_time, "--max-time", "--max-time 30");
  }
  if (min_time.empty()) settings.min_time_s = std::min(settings.min_time_s, settings.max_time_s);
  if (max_time.empty()) settings.max_time_s = std::max(settings.min_time_s, settings.max_time_s);
  if (settings.min_time_s > settings.max_time_s) {
    throw Error(ErrorKind::usage, format("--min-time {} exceeds --max-time {}", min_time, max_time),
                "steps are timed at least and at most so long");
  }
  if (!threads.empty()) settings.threads = positive_int(threads, "--threads", "--threads 4");
  if (!seed.empty()) {
    const std::optional<std::int64_t> number = parse_integer(seed);
    if (!number || *number < 0) {
      throw Error(ErrorKind::usage,
                  format("--seed takes a whole number of 0 or more, not '{}'", seed),
                  "for example --seed 1");
    }
    settings.seed = static_cast<std::uint64_t>(*number);
  }
  settings.cudnn_benchmark = cudnn_benchmark;
}

}  // namespace rooflab::cli
