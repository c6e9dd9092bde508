#include "schema.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include "base/format.hpp"
#include "json_fields.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/describe/figure.hpp"
#include "rooflab/describe/figure_key.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab {
namespace {

/// Objects whose keys are names and not words of the vocabulary: the key of the object; more of
/// them, from the outside, joined by dots, where one says too little; `probe/environment`: in what
/// `probe` wrote.
constexpr std::array free_objects = std::to_array<std::string_view>({
    "libraries",
    "peaks",
    "facts",
    "workers",
    "origins",
    "path_flop",
    "peaks_flop_per_s",
    "sustained_flop_per_s",
    "ridge_points_flop_per_byte",
    "roles_s",
    "optimizer_fixed_s",
    "optimizer_per_tensor_s",
    "hosts.ops",
    "issue_costs.ops",
    "probe/environment",
    "request/request",
});

/// An object in a file.
struct Place {
  std::string writer;  ///< kind of the file, else the command that wrote it; empty: it says neither
  std::string path;    ///< the keys on the way to it, joined by dots

  [[nodiscard]] Place of_member(const std::string& key) const {
    return {writer, path.empty() ? key : format("{}.{}", path, key)};
  }
};

/// Whether the keys on the way to an object end in `parent`.
bool is_within(const Place& place, std::string_view parent) {
  const std::size_t slash = parent.find('/');
  if (slash != std::string_view::npos) {
    if (place.writer != parent.substr(0, slash)) return false;
    parent.remove_prefix(slash + 1);
  }
  const std::string& path = place.path;
  return parent == "*" || path == parent ||
         (!parent.empty() && path.ends_with(parent) &&
          path[path.size() - parent.size() - 1] == '.');
}

bool has_free_keys(const Place& place) {
  return std::ranges::any_of(free_objects,
                             [&](std::string_view each) { return is_within(place, each); });
}

Place place_of_file(const Json& json) {
  if (!json.is_object()) return {};
  const JsonFields fields(json, {});
  const std::optional<std::string> kind = fields.optional_text("kind");
  return {kind ? *kind : fields.optional_text("command").value_or(""), ""};
}

void collect_unknown(const Json& json, const Place& place, std::vector<std::string>& unknown) {
  if (json.is_array()) {
    for (const Json& each : json) collect_unknown(each, place, unknown);
    return;
  }
  if (!json.is_object()) return;
  const bool free = has_free_keys(place);
  for (const auto& [key, value] : json.items()) {
    const Place member = place.of_member(key);
    if (!free && find_figure(key) == nullptr &&
        std::ranges::find(unknown, member.path) == unknown.end()) {
      unknown.push_back(member.path);
    }
    collect_unknown(value, member, unknown);
  }
}

constexpr FigureKey schema_version_key = "schema_version";
constexpr FigureKey command_key = "command";

}  // namespace

Json with_head(const FileKind& kind, const Json& content) {
  Json json = {{"schema_version", schema_version}, {kind.key, kind.name}};
  json.update(content);
  return json;
}

void check_head(const Json& json, const FileKind& kind, const std::string& file) {
  const JsonFields fields(json, file);
  if (fields.optional_text(kind.key) != kind.name) {
    const bool vowel = std::string_view("aeiou").find(kind.title.front()) != std::string_view::npos;
    throw Error(ErrorKind::input,
                format("this is not {} {} of Rooflab", vowel ? "an" : "a", kind.title),
                std::string(kind.hint), {file, {}, {}, {}});
  }
  fields.require_version(schema_version, kind.title,
                         kind.between_programs ? std::string(kind.hint) : std::string());
}

void check_result_version(const Json& json, const std::string& file) {
  JsonFields(json, file).require_version(schema_version, "result");
}

Json command_json(std::string_view command, const Json& content) {
  Json json = {{schema_version_key.key(), schema_version}, {command_key.key(), command}};
  json.update(content);
  return json;
}

Json read_json_file(const std::filesystem::path& path) {
  return parse_json(read_file(path), path.string());
}

void write_json_file(const std::filesystem::path& path, const Json& json) {
  write_file_atomically(path, [&json](std::ostream& stream) { stream << json.dump(1) << '\n'; });
}

std::vector<std::string> unknown_keys(const Json& json) {
  std::vector<std::string> unknown;
  collect_unknown(json, place_of_file(json), unknown);
  return unknown;
}

}  // namespace rooflab
