#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fields.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab {

/// A kind of our files.
struct FileKind {
  std::string_view name;   ///< the value of `kind`: `record`
  std::string_view title;  ///< for people: `record`
  std::string_view hint;   ///< who writes such files; may be empty
  /// What commands wrote for people says `"command": "train"` instead.
  std::string_view key = "kind";
  bool between_programs = false;  ///< goes from program to worker; both are of one version
};

/// `{schema_version, kind}`, with the members of `content` behind them.
[[nodiscard]] Json with_head(const FileKind& kind, const Json& content);

/// Throws Error (input) for a file of another kind or version.
void check_head(const Json& json, const FileKind& kind, const std::string& file);

/// The same for what a command wrote, which names the command in place of a kind.
void check_result_version(const Json& json, const std::string& file);

/// Throws Error (input) where it cannot be read or is not JSON.
[[nodiscard]] Json read_json_file(const std::filesystem::path& path);
/// Writes it atomically, with members on lines of their own.
void write_json_file(const std::filesystem::path& path, const Json& json);

/// A described value that has files of its own: `const FileKind& file_kind_of(For<T>)` stands
/// beside its fields.
template <class T>
concept Filed = Described<T> && requires {
  { file_kind_of(For<T>{}) } -> std::convertible_to<FileKind>;
};

/// The whole content of a file, and the value of one. Throw Error (input).
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
/// Atomically: a reader never sees a part of it.
template <Filed T>
void save_file(const std::filesystem::path& path, const T& value) {
  write_json_file(path, file_json(value));
}

/// What a command writes: `{schema_version, command}`, with the members of `content` behind them.
[[nodiscard]] Json command_json(std::string_view command, const Json& content);
/// The same for a list of described rows under `key`.
template <class Rows>
[[nodiscard]] Json command_json(std::string_view command, FigureKey key, const Rows& rows) {
  Json content = Json::object();
  content[key.key()] = codec::encode(rows);
  return command_json(command, content);
}

/// The keys of a file that are neither words of the vocabulary nor names of other things
/// (libraries, metrics), by their place: `cases.limitTime`. Tests of writers expect none.
[[nodiscard]] std::vector<std::string> unknown_keys(const Json& json);

}  // namespace rooflab
