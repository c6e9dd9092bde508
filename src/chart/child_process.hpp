#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rooflab::chart {

/// The executable of that name in the first folder of PATH that has one; an empty entry of PATH is
/// not taken for the current folder.
[[nodiscard]] std::optional<std::filesystem::path> find_program(std::string_view name);

struct ChildResult {
  int exit_status = 0;  ///< 128 + signal when one ended it
  bool timed_out = false;
  std::string output;
  std::string errors;
};

/// Runs a program without a shell in the C locale, `input` on its standard input, until it ends; it
/// is killed at the timeout. Throws Error (capability) when it cannot be started.
[[nodiscard]] ChildResult run_child(const std::filesystem::path& program,
                                    std::span<const std::string> arguments, std::string_view input,
                                    std::chrono::milliseconds timeout);

}  // namespace rooflab::chart
