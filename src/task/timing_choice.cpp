#include "rooflab/task/timing_choice.hpp"

#include <algorithm>

#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/parameter_list.hpp"

namespace rooflab::task {

const Parameters& parameters_of(For<TimingChoice>) {
  static const engine::MeasureSettings usual;
  static const Parameters all = {
      aside({parameter<&TimingChoice::iterations>("N", "timed steps, at least", {.example = "50"}),
             parameter<&TimingChoice::min_time>(
                 "S", "seconds of timed steps, at least",
                 {.default_text = format("{:g}", usual.min_time_s), .example = "5"}),
             parameter<&TimingChoice::max_time>(
                 "S", "seconds of timed steps, at most",
                 {.default_text = format("{:g}", usual.max_time_s), .example = "30"}),
             parameter<&TimingChoice::threads>("N", "CPU threads of the framework",
                                               {.default_text = "its own", .example = "4"}),
             parameter<&TimingChoice::seed>("N", "seed of weights, data and dropout",
                                            {.example = "1", .least = 0}),
             parameter<&TimingChoice::cudnn_benchmark>("let cuDNN benchmark its algorithms")}),
  };
  return all;
}

void TimingChoice::apply(engine::MeasureSettings& settings) const {
  settings.iterations = iterations;
  settings.min_time_s =
      min_time.value_or(std::min(settings.min_time_s, max_time.value_or(settings.max_time_s)));
  settings.max_time_s = max_time.value_or(std::max(settings.min_time_s, settings.max_time_s));
  if (settings.min_time_s > settings.max_time_s) {
    throw Error(
        ErrorKind::usage,
        format("{} {} exceeds {} {}", flag_of<&TimingChoice::min_time>(), settings.min_time_s,
               flag_of<&TimingChoice::max_time>(), settings.max_time_s),
        "steps are timed at least and at most so long");
  }
  settings.threads = threads.value_or(settings.threads);
  settings.seed = seed;
  settings.cudnn_benchmark = cudnn_benchmark;
}

}  // namespace rooflab::task
