#include "manual_page.hpp"

#include "base/format.hpp"
#include "help_screen.hpp"

namespace rooflab::cli {
namespace {

std::string escaped(std::string_view text) {
  std::string safe;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) safe += "\\&";
    if (c == '-' || c == '\\') safe += '\\';
    safe += c;
    begins_line = c == '\n';
  }
  return safe;
}

/// Text whose lines stay as they are.
std::string as_it_stands(const std::string& text) { return format(".nf\n{}.fi\n", escaped(text)); }

}  // namespace

std::string manual_page(const CommandSpec* command, std::span<const CommandSpec> commands) {
  const std::string name = command == nullptr ? "rooflab" : format("rooflab-{}", command->name);
  const std::string summary = command == nullptr
                                  ? "how fast a neural network could, will and does run on a device"
                                  : command->summary;
  std::string capitals = name;
  for (char& c : capitals) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  std::string see_also;
  if (command != nullptr) {
    see_also = ".BR rooflab (1)";
  } else {
    for (const CommandSpec& each : commands) {
      see_also += format("{}.BR rooflab\\-{} (1)", see_also.empty() ? "" : ",\n", each.name);
    }
  }
  return format(
      ".TH {} 1 \"{}\" \"rooflab {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH DESCRIPTION\n{}"
      ".SH SEE ALSO\n{}\n",
      capitals, ROOFLAB_RELEASE_DATE, ROOFLAB_VERSION, escaped(name), escaped(summary),
      as_it_stands(manual_text(command, commands)), see_also);
}

}  // namespace rooflab::cli
