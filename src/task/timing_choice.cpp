#include "rooflab/task/timing_choice.hpp"

#include <algorithm>

#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/parameter_list.hpp"

namespace rooflab::task {

const Parameters& parameters_of(For<TimingChoice>) {
  static const engine::MeasureSettings usual;
  static const Parameters all = {
      parameter<&TimingChoice::iterations>({.key = "iterations",
                                            .value = "N",
                                            .help = "timed steps, at least",
                                            .example = "50",
                                            .changes_step = false}),
      parameter<&TimingChoice::min_time>({.key = "min_time",
                                          .value = "S",
                                          .help = "seconds of timed steps, at least",
                                          .default_text = format("{:g}", usual.min_time_s),
                                          .example = "5",
                                          .changes_step = false}),
      parameter<&TimingChoice::max_time>({.key = "max_time",
                                          .value = "S",
                                          .help = "seconds of timed steps, at most",
                                          .default_text = format("{:g}", usual.max_time_s),
                                          .example = "30",
                                          .changes_step = false}),
      parameter<&TimingChoice::threads>({.key = "threads",
                                         .value = "N",
                                         .help = "CPU threads of the framework",
                                         .default_text = "its own",
                                         .example = "4",
                                         .changes_step = false}),
      parameter<&TimingChoice::seed>({.key = "seed",
                                      .value = "N",
                                      .help = "of weights, data and dropout",
                                      .example = "1",
                                      .least = 0,
                                      .changes_step = false}),
      parameter<&TimingChoice::cudnn_benchmark>({.key = "cudnn_benchmark",
                                                 .help = "let cuDNN try its algorithms out",
                                                 .changes_step = false}),
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
