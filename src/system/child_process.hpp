#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rooflab {

/// Finds the executable with this name in the first folder of PATH that has one; an empty entry of
/// PATH does not mean the current folder.
[[nodiscard]] std::optional<std::filesystem::path> find_program(std::string_view name);

struct ChildOptions {
  std::string_view input;                              ///< text for its standard input
  std::optional<std::chrono::milliseconds> timeout{};  ///< after this time it is killed
  /// Receives the standard output in pieces, instead of ChildResult::output.
  std::function<void(std::string_view)> on_output{};
  std::size_t most_output =
      std::string::npos;  ///< limit of standard output in bytes; beyond it the child is killed
  /// Called about ten times a second; true ends the child: SIGTERM, and SIGKILL two seconds later.
  std::function<bool()> should_stop{};
  std::size_t kept_errors = std::string::npos;  ///< bytes to keep from the end of its error output
  std::map<std::string, std::string>
      environment{};       ///< added to this process's own, or replacing its values
  bool own_group = false;  ///< protects it from the terminal's signals, such as Ctrl-C
};

struct ChildResult {
  int exit_status = 0;  ///< 128 + signal if a signal ended it
  bool timed_out = false;
  bool said_too_much = false;  ///< whether `most_output` ended it
  bool stopped = false;        ///< whether should_stop ended it
  /// Whether SIGKILL came from the system, which killed a process of this machine because memory
  /// was short. nullopt: not known, or another end.
  std::optional<bool> killed_for_memory{};
  std::string output;
  std::string errors;
};

/// Runs a program without a shell in the C locale until it ends. Throws Error (capability) when it
/// cannot be started. Exceptions of `on_output` and `should_stop` kill the child and are passed on.
[[nodiscard]] ChildResult run_child(const std::filesystem::path& program,
                                    std::span<const std::string> arguments,
                                    const ChildOptions& options = {});

}  // namespace rooflab
