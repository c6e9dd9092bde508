#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// The rules of tools/layers.txt, checked on the text of sources.
namespace rooflab::layers {

struct Rules {
  std::map<std::string, std::set<std::string>> allowed;  ///< room -> itself and all it may use
  std::map<std::string, std::string> parties;            ///< include prefix -> its one room
  std::set<std::filesystem::path> public_headers;        ///< include/rooflab/zoo/zoo.hpp
  std::vector<std::string> system_headers;               ///< exact, or a prefix that ends with '/'
  std::set<std::string> shared_stems;                    ///< names of files in two rooms
  std::vector<std::string> problems;                     ///< problems of the table itself
};

/// Reads the table's text. A room that names a room not above it is a problem, so that the allowed
/// sets never hold a cycle.
[[nodiscard]] Rules parse_rules(std::string_view text);

/// The room of a path relative to the project: `src/zoo/vgg.cpp` and `include/rooflab/zoo/x.hpp`
/// are of `zoo`, `workers/torch/main.cpp` of `workers/torch`; empty where the rules do not reach.
[[nodiscard]] std::string room_of(const std::filesystem::path& path);

/// What is wrong with one source file, as `path:line: text`. `exists` tells whether a path relative
/// to the project is a file.
[[nodiscard]] std::vector<std::string> check_source(const Rules& rules,
                                                    const std::filesystem::path& path,
                                                    std::string_view text,
                                                    bool (*exists)(const std::filesystem::path&));

/// Literals of a source that begin with a flag's dashes. The members of requests have their flags
/// in the tables of `task`; a room below it names none.
[[nodiscard]] std::vector<std::string> flags_in(const std::filesystem::path& path,
                                                std::string_view text);

/// What is wrong with the headers that users of the library see, the files below include/: one that
/// the table does not list, and a listed one that does not exist.
[[nodiscard]] std::vector<std::string> check_public_headers(
    const Rules& rules, const std::set<std::filesystem::path>& headers);

/// What is wrong with the name of a file or of a folder on the way to it: nothing is called common,
/// utils, helpers, core or manager.
[[nodiscard]] std::vector<std::string> check_names(const std::filesystem::path& path);

/// Names of files that two rooms have, without their endings. `main`, `rules` and `*_fields` may be
/// in every room; `known` are the exceptions that are left, each of which must still be one.
[[nodiscard]] std::vector<std::string> check_stems(
    const std::vector<std::filesystem::path>& sources, const std::set<std::string>& known);

}  // namespace rooflab::layers
