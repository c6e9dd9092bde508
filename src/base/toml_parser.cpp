// The only file that sees toml++: its tree becomes ours, with keys in file order.

// toml++ 3.3 asserts in parse_key() what a wrong file can break (`[` and then a NUL byte): without
// NDEBUG it would end the program, with it clang may take it for granted. The parser checks the
// same again and reports it, so the assertions are left out.
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>
#include <utility>

#include "rooflab/base/text.hpp"
#include "toml.hpp"
#include "toml_depth.hpp"

namespace rooflab {
namespace {

class Converter {
 public:
  explicit Converter(std::string file)
      : file_(std::make_shared<const std::string>(std::move(file))) {}

  [[nodiscard]] TomlPlace place_of(int line, int column) const { return {file_, line, column}; }
  [[nodiscard]] TomlPlace place_of(const toml::source_region& region) const {
    return place_of(static_cast<int>(region.begin.line), static_cast<int>(region.begin.column));
  }

  [[nodiscard]] TomlTable convert(const toml::table& table, const TomlPath& path) const {
    TomlTable result(path, place_of(table.source()));
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (const auto& [key, node] : table) entries.emplace_back(&key, &node);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      const auto& left = a.first->source().begin;
      const auto& right = b.first->source().begin;
      return std::pair(left.line, left.column) < std::pair(right.line, right.column);
    });
    for (const auto& [key, node] : entries) {
      std::string name(key->str());
      result.append({name, place_of(key->source()), convert(*node, step(path, name))});
    }
    return result;
  }

 private:
  template <class Name>
  static TomlPath step(const TomlPath& path, Name name) {
    return std::make_shared<const TomlStep>(TomlStep{path, std::move(name)});
  }

  [[nodiscard]] TomlValue convert(const toml::node& node, const TomlPath& path) const {
    TomlPlace place = place_of(node.source());
    if (const auto* text = node.as_string()) return {text->get(), path, place};
    if (const auto* integer = node.as_integer()) return {integer->get(), path, place};
    if (const auto* number = node.as_floating_point()) return {number->get(), path, place};
    if (const auto* flag = node.as_boolean()) return {flag->get(), path, place};
    if (const auto* table = node.as_table()) return {convert(*table, path), path, place};
    if (const auto* array = node.as_array()) {
      TomlArray elements;
      for (const toml::node& element : *array) {
        elements.push_back(convert(element, step(path, elements.size())));
      }
      return {std::move(elements), path, place};
    }
    const TomlValue date(std::string(), path, place);
    throw date.error(format("'{}' is a date or time, which is not used here", date.path()),
                     "write it as a string");
  }

  std::shared_ptr<const std::string> file_;
};

}  // namespace

TomlTable parse_toml(std::string_view text, std::string file) {
  const Converter converter(std::move(file));
  if (const std::optional<TomlPosition> deep = too_deep_toml(text)) {
    throw Error(ErrorKind::input,
                format("keys, tables and arrays are nested more than {} levels deep", deepest_toml),
                "each part of a dotted key is a level",
                converter.place_of(deep->line, deep->column).location());
  }
  try {
    return converter.convert(toml::parse(text), nullptr);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::input, format("not valid TOML: {}", error.description()),
                "the syntax is described at https://toml.io",
                converter.place_of(error.source()).location());
  }
}

}  // namespace rooflab
