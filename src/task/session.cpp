#include "rooflab/task/session.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/engine/worker.hpp"
#include "system/installation.hpp"

namespace rooflab::task {

std::string torch_worker_advice() {
  return "rooflab doctor --build-worker builds it against the PyTorch of python3, with its CUDA; "
         "Debian's package rooflab-torch has one for processors alone";
}

namespace {

std::string with_searched_folders(const std::string& advice, const std::filesystem::path& prefix) {
  return format("{}; looked for in {}", advice, engine::searched_folders(prefix));
}

}  // namespace

std::filesystem::path require_torch_worker(const std::filesystem::path& prefix) {
  if (const auto worker = engine::find_worker(engine::torch_worker, prefix)) return *worker;
  throw Error(ErrorKind::capability,
              format("{}, the worker that runs networks, is not installed", engine::torch_worker),
              with_searched_folders(torch_worker_advice(), prefix));
}

std::string probe_worker_advice() {
  return "Debian: install the package rooflab-probe; with CUDA's compiler (the toolkit, or pip "
         "install 'cuda-toolkit[nvcc,cccl]' of PyTorch's CUDA) rooflab doctor --build-worker "
         "builds it with its GPU part";
}

std::string injected_library_advice() {
  return "in Rooflab's sources tools/cuda_place --get takes CUDA's headers from PyPI (or install "
         "the CUDA toolkit, 13.0 or later), then ./run install builds it";
}

std::filesystem::path require_injected_library(const std::filesystem::path& prefix) {
  if (const auto library = engine::find_worker(injected_library, prefix)) return *library;
  throw Error(ErrorKind::capability,
              format("{}, which is loaded into the command, is not installed", injected_library),
              with_searched_folders(injected_library_advice(), prefix));
}

std::filesystem::path share_folder(const std::filesystem::path& prefix) {
  constexpr std::string_view share = "share/rooflab";
  if (!prefix.empty()) return prefix / share;
  const std::vector<std::filesystem::path> prefixes = installation_prefixes();
  for (const std::filesystem::path& each : prefixes) {
    std::error_code ignored;
    if (std::filesystem::is_directory(each / share, ignored)) return each / share;
  }
  return prefixes.empty() ? std::filesystem::path() : prefixes.front() / share;
}

const Parameters& parameters_of(For<TimingChoice>) {
  // Not inside the braces below: clang 14 destroys what a call there returns once too often.
  static const engine::MeasureSettings usual;
  static const std::string usual_least = format("{:g}", usual.min_time_s);
  static const std::string usual_most = format("{:g}", usual.max_time_s);
  static const Parameters all = {
      aside({parameter<&TimingChoice::iterations>("N", "timed steps, at least", {.example = "50"}),
             parameter<&TimingChoice::min_time>("S", "seconds of timed steps, at least",
                                                {.default_text = usual_least, .example = "5"}),
             parameter<&TimingChoice::max_time>("S", "seconds of timed steps, at most",
                                                {.default_text = usual_most, .example = "30"}),
             parameter<&TimingChoice::threads>("N", "CPU threads of the framework",
                                               {.default_text = "its own", .example = "4"}),
             parameter<&TimingChoice::seed>("N", "seed of weights, data and dropout",
                                            {.example = "1", .least = 0}),
             parameter<&TimingChoice::cudnn_benchmark>("let cuDNN benchmark its algorithms")}),
  };
  return all;
}

namespace {

/// A framework starts all of its threads and has them wait for each other in every op: thousands
/// on a few processors come to no end. The machine that runs the case decides.
int checked_threads(std::int64_t threads) {
  constexpr std::int64_t per_processor = 4;
  const std::int64_t processors = std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
  const std::int64_t most = per_processor * processors;
  if (threads <= most) return static_cast<int>(threads);
  throw Error(ErrorKind::usage,
              format("{} takes at most {} on this machine, not {}",
                     flag_of<&TimingChoice::threads>(), most, threads),
              format("it has {}", plural(processors, "processor")));
}

}  // namespace

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
  if (threads) settings.threads = checked_threads(*threads);
  settings.seed = seed;
  settings.cudnn_benchmark = cudnn_benchmark;
}

}  // namespace rooflab::task
