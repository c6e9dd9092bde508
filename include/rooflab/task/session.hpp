#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/parameter.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/engine/case.hpp"

/// What the program does, a header a command: a request, its table of members, a result, and the
/// function between them. Nothing here prints.
namespace rooflab::task {

/// What a task may use of the process that it runs in. A default one is silent and never stops.
struct Session {
  std::string version;  ///< version of the program, for records
  std::string command;  ///< the command line as typed, for records
  /// One line about how far the work is, in place of the last one; empty: takes it away.
  std::function<void(std::string_view line)> show_progress = [](std::string_view) {};
  bool shows_progress = false;  ///< to anyone: lines that cost much are made only then
  std::function<void(std::string_view line)> say_step = [](std::string_view) {};  ///< a step ended
  std::function<void(std::string_view line)> say = [](std::string_view) {};       ///< worth a line
  std::function<bool()> should_stop = [] { return false; };
};

/// The command line that does a request: `rooflab predict resnet18 --device t4`. Members that have
/// their default are left out.
template <class Request>
[[nodiscard]] std::string command_line_of(const Request& request) {
  std::vector<std::string> words = {"rooflab", std::string(Request::command)};
  for (std::string& word : words_of(request)) words.push_back(std::move(word));
  return shell_line(words);
}

/// How steps are timed, of measure and scale alike.
struct TimingChoice {
  int iterations = engine::MeasureSettings().iterations;
  std::optional<double> min_time = {};
  std::optional<double> max_time = {};
  std::optional<std::int64_t> threads = {};
  std::uint64_t seed = 0;
  bool cudnn_benchmark = false;

  /// Puts what was chosen into `settings`. Throws Error (usage), also for more threads than a few
  /// for each of this machine's processors.
  void apply(engine::MeasureSettings& settings) const;
};
const Parameters& parameters_of(For<TimingChoice>);

/// The worker that runs networks. Throws Error (capability) that says how to get it.
[[nodiscard]] std::filesystem::path require_torch_worker();

/// How to get libtorch and with it the worker, in a sentence.
[[nodiscard]] std::string torch_worker_advice();

/// How to get the worker rooflab-probe and its CUDA part, in a sentence.
[[nodiscard]] std::string probe_worker_advice();

/// What `profile` has the CUDA driver load into a program. Throws Error (capability) that says how
/// to get it.
[[nodiscard]] std::filesystem::path require_injected_library();
inline constexpr std::string_view injected_library = "librooflab-inject.so";

/// How to get it, in a sentence.
[[nodiscard]] std::string injected_library_advice();

/// `share/rooflab` beside the program's `bin`, in the build tree and when installed.
[[nodiscard]] std::filesystem::path share_folder();

}  // namespace rooflab::task
