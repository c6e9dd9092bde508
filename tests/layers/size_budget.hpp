#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// The budget of tools/layers.txt: lines of a room, a file and a function.
namespace rooflab::layers {

struct SizeBudget {
  std::map<std::string, int> rooms;  ///< lines of each room
  std::map<std::string, int> long_files;
  /// `src/x/y.cpp NAME`: a function above the limit, and the lines that it has.
  std::map<std::string, int> long_functions;
  std::vector<std::string> problems;  ///< rows that are not understood
};

/// Reads the rows `lines ROOM: N`, `long FILE: N` and `long FILE FUNCTION: N` of the table.
[[nodiscard]] SizeBudget parse_budget(std::string_view text);

struct FunctionSize {
  std::string name;  ///< `OpCurve::fit`
  int line = 0;      ///< where it begins
  int lines = 0;
};

/// Functions of a source that clang-format has formatted: those at its left margin, and those that
/// are defined in a class there.
[[nodiscard]] std::vector<FunctionSize> functions_of(std::string_view text);

/// What is above the budget in sources by their path, and exceptions that are higher than needed.
[[nodiscard]] std::vector<std::string> check_sizes(
    const SizeBudget& budget, const std::map<std::filesystem::path, std::string>& sources);

}  // namespace rooflab::layers
