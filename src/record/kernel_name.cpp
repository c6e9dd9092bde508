// Names come demangled, in the spelling of C++ (`ns::name<arguments>(parameters)`), or as the
// libraries' generators write them, words joined by underscores.

#include "rooflab/record/kernel_name.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"

namespace rooflab::record {
namespace {

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
}

/// The first of `ends` outside of angle brackets and parentheses; all of it without one.
std::string_view up_to(std::string_view text, std::string_view ends) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && ends.find(text[i]) != ends.npos) return text.substr(0, i);
    if (text[i] == '<' || text[i] == '(') ++depth;
    if (text[i] == '>' || text[i] == ')') --depth;
  }
  return text;
}

/// Behind the last `::` of what comes before arguments.
std::string_view without_scopes(std::string_view name) {
  const std::size_t scope = name.substr(0, name.find('<')).rfind("::");
  return scope == name.npos ? name : name.substr(scope + 2);
}

std::string short_cpp_name(std::string_view full);

/// The first template argument that is a type; without one the first.
std::string first_type(std::string_view arguments) {
  std::string first;
  while (!arguments.empty()) {
    const std::string_view argument = up_to(arguments, ",>");
    std::string name = short_cpp_name(trim(argument));
    if (first.empty()) first = name;
    const bool is_value = name.empty() || name.find_first_not_of("0123456789u") == name.npos ||
                          name == "true" || name == "false";
    if (!is_value) return name;
    if (argument.size() >= arguments.size() || arguments[argument.size()] == '>') break;
    arguments.remove_prefix(argument.size() + 1);
  }
  return first;
}

std::string short_cpp_name(std::string_view full) {
  // Parameters stand at the name; `conv1: conv2d (forward)` is a text.
  const std::string_view called = up_to(full, "(");
  const std::string_view name = without_scopes(called.ends_with(' ') ? full : called);
  const std::size_t open = name.find('<');
  if (open == name.npos) return std::string(name);
  const std::string_view base = name.substr(0, open);
  if (base.empty()) return std::string(full);
  std::string first = first_type(name.substr(open + 1));
  // CUTLASS wraps what the kernel is in a separate template.
  if (base.starts_with("Kernel")) return first;
  return first.empty() ? std::string(base) : format("{}<{}>", base, first);
}

/// `128x128` of `..._tilesize128x128x16_...`.
std::string_view tile_of(std::string_view name) {
  constexpr std::string_view mark = "tilesize";
  const std::size_t at = name.find(mark);
  if (at == name.npos) return {};
  std::string_view tile = name.substr(at + mark.size());
  tile = tile.substr(0, tile.find_first_not_of("0123456789x"));
  const std::size_t second = tile.find('x');
  return second == tile.npos ? tile : tile.substr(0, tile.find('x', second + 1));
}

std::string short_xmma_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> types = {"tf32", "bf16", "f16", "f8", "i8", "f32"};
  const std::string_view from = name.substr(name.find("xmma_"));
  const std::string_view what = from.substr(0, from.find('_', std::string_view("xmma_").size()));
  std::string text(what);
  // Of operands and result the narrowest type says on which path the product runs.
  const auto type = std::ranges::find_if(
      types, [&](std::string_view each) { return from.find(each, what.size()) != from.npos; });
  for (const std::string_view part :
       {type == types.end() ? std::string_view() : *type, tile_of(from)}) {
    if (!part.empty()) text += format(" {}", part);
  }
  return text;
}

}  // namespace

std::string short_kernel_name(std::string_view name) {
  if (name.find("xmma_") != name.npos) return short_xmma_name(name);
  std::string text(trim(name));
  for (const std::string_view part : {"(anonymous namespace)::", "<unnamed>::", "{anonymous}::"}) {
    erase_all(text, part);
  }
  if (text.starts_with("void ")) text.erase(0, 5);
  const std::string result = short_cpp_name(text);
  return result.empty() ? std::string(name) : result;
}

}  // namespace rooflab::record
