#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/text.hpp"
#include "rooflab/describe/parameter.hpp"
#include "rooflab/engine/case.hpp"

/// The commands of the program, one header per command: a request, its table of members, a result,
/// and the function from request to result. Nothing here prints.
namespace rooflab::task {

/// Environment of a task in its process. A default session is silent and never stops.
struct Session {
  std::string version = {};  ///< version of the program, for records
  std::string command = {};  ///< the command line as typed, for records
  /// Folder that Rooflab is installed in, for programs outside of it: its workers and its `share`
  /// are taken from there. Empty: what engine::worker_folders() and share_folder() say.
  std::filesystem::path prefix = {};
  /// Shows one line of progress in place of the last one; an empty line removes it.
  std::function<void(std::string_view line)> show_progress = [](std::string_view) {};
  bool shows_progress = false;  ///< somebody sees progress; expensive lines are made only then
  std::function<void(std::string_view line)> say_step = [](std::string_view) {};  ///< a step ended
  std::function<void(std::string_view line)> say = [](std::string_view) {};       ///< worth a line
  std::function<bool()> should_stop = [] { return false; };
};

/// The command line of a request: `rooflab predict resnet18 --device t4`. Members that have their
/// default are left out.
template <class Request>
[[nodiscard]] std::string command_line_of(const Request& request) {
  std::vector<std::string> words = {"rooflab", std::string(Request::command)};
  for (std::string& word : words_of(request)) words.push_back(std::move(word));
  return shell_line(words);
}

/// Settings for timing steps, for measure and scale.
struct TimingChoice {
  int iterations = engine::MeasureSettings().iterations;
  std::optional<double> min_time = {};
  std::optional<double> max_time = {};
  std::optional<std::int64_t> threads = {};
  std::uint64_t seed = 0;
  bool cudnn_benchmark = false;

  /// Copies the choices into `settings`. Throws Error (usage), also for far more threads than this
  /// machine has processors.
  void apply(engine::MeasureSettings& settings) const;
};
const Parameters& parameters_of(For<TimingChoice>);

/// Finds the worker that runs networks. Throws Error (capability) with torch_worker_advice() and
/// the folders that were searched. `prefix`: as in Session.
[[nodiscard]] std::filesystem::path require_torch_worker(const std::filesystem::path& prefix = {});

/// A sentence on how to get libtorch and with it the worker.
[[nodiscard]] std::string torch_worker_advice();

/// A sentence on how to get the worker rooflab-probe and its CUDA part.
[[nodiscard]] std::string probe_worker_advice();

/// Finds the library that `profile` makes the CUDA driver load into a program. Throws Error
/// (capability) with injected_library_advice() and the folders that were searched.
[[nodiscard]] std::filesystem::path require_injected_library(
    const std::filesystem::path& prefix = {});
inline constexpr std::string_view injected_library = "librooflab-inject.so";

/// A sentence on how to get the injected library.
[[nodiscard]] std::string injected_library_advice();

/// The folder `share/rooflab` of the installation: of `prefix`, else the first that is there next
/// to the program's `bin` (also in the build tree) and where the library was built for. It has
/// Plotly's bundle, `plotly/plotly-basic.min.js`.
[[nodiscard]] std::filesystem::path share_folder(const std::filesystem::path& prefix = {});

}  // namespace rooflab::task
