#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fields.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/describe/figure_key.hpp"

namespace rooflab {

/// A kind of Rooflab's files.
struct FileKind {
  std::string_view name;   ///< the value of `kind`: `record`
  std::string_view title;  ///< name for people: `record`
  std::string_view hint;   ///< which command writes such files; may be empty
  /// Key of the kind; results of commands have `"command": "train"` instead.
  std::string_view key = "kind";
  bool between_programs = false;  ///< passed between program and worker of one version
};

/// Returns `{schema_version, kind}` followed by the members of `content`.
[[nodiscard]] Json with_head(const FileKind& kind, const Json& content);

/// Throws Error (input) for a file with another kind or schema version.
void check_head(const Json& json, const FileKind& kind, const std::string& file);

/// Throws Error (input) where a command's result has another schema version.
void check_result_version(const Json& json, const std::string& file);

/// Reads a JSON file. Throws Error (input) where it cannot be read or is not JSON.
[[nodiscard]] Json read_json_file(const std::filesystem::path& path);
/// Writes a JSON file atomically, each member on a separate line.
void write_json_file(const std::filesystem::path& path, const Json& json);

/// A described value that is written to separate files: `const FileKind& file_kind_of(For<T>)` is
/// declared next to its fields.
template <class T>
concept Filed = Described<T> && requires {
  { file_kind_of(For<T>{}) } -> std::convertible_to<FileKind>;
};

/// The JSON of a whole file with this value; from_file_json() reads it back. Reading throws Error
/// (input).
template <Filed T>
[[nodiscard]] Json file_json(const T& value) {
  return with_head(file_kind_of(For<T>{}), to_json(value));
}
template <Filed T>
[[nodiscard]] T from_file_json(const Json& json, const std::string& file) {
  check_head(json, file_kind_of(For<T>{}), file);
  return from_json<T>(json, file);
}
template <Filed T>
[[nodiscard]] T load_file(const std::filesystem::path& path) {
  return from_file_json<T>(read_json_file(path), path.string());
}
/// Writes a value to a file atomically: a reader never sees a part of it.
template <Filed T>
void save_file(const std::filesystem::path& path, const T& value) {
  write_json_file(path, file_json(value));
}

/// JSON of a command's result: `{schema_version, command}` followed by the members of `content`.
[[nodiscard]] Json command_json(std::string_view command, const Json& content);
/// JSON of a command's result with a list of described rows under `key`.
template <class Rows>
[[nodiscard]] Json command_json(std::string_view command, FigureKey key, const Rows& rows) {
  Json content = Json::object();
  content[key.key()] = codec::encode(rows);
  return command_json(command, content);
}

/// Keys of a file that are neither words of the vocabulary nor names (of libraries, metrics), by
/// their place: `cases.limitTime`. Tests of writers expect none.
[[nodiscard]] std::vector<std::string> unknown_keys(const Json& json);

}  // namespace rooflab
