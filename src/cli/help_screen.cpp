#include "help_screen.hpp"

#include "base/format.hpp"
#include "commands.hpp"
#include "parser.hpp"

namespace rooflab::cli {
namespace {

constexpr std::size_t screen_width = 100;
constexpr std::size_t name_width = 30;
constexpr std::string_view exit_codes =
    "\nexit codes: 0 done, 1 a check failed, 2 usage or input, 3 something is missing here\n";
/// The line of a page that its option table replaces.
constexpr std::string_view option_mark = "{options}\n";
constexpr std::string_view command_mark = "{commands}\n";

/// `  NAME  text`, the text in its column, and on separate lines where it is longer.
std::string row(const std::string& name, const std::string& text) {
  std::string rows = "  " + name;
  std::size_t column = rows.size();
  const auto to_column = [&] {
    if (column + 2 > name_width) {
      rows += '\n';
      column = 0;
    }
    rows += std::string(name_width - column, ' ');
    column = name_width;
  };
  to_column();
  bool first = true;
  for (const std::string& word : split(text, ' ')) {
    if (!first && column + 1 + word.size() > screen_width) {
      rows += '\n';
      column = 0;
      to_column();
      first = true;
    }
    rows += first ? word : " " + word;
    column += word.size() + (first ? 0 : 1);
    first = false;
  }
  return rows + "\n";
}

std::string shown_names(const Parameter& parameter) {
  if (parameter.positional) return parameter.value;
  std::string name = parameter.flag();
  if (parameter.letter != 0) name = format("-{}, {}", parameter.letter, name);
  return parameter.value.empty() ? name : format("{} {}", name, shown_value(parameter));
}

std::string text_of(const CommandSpec& command, const Parameter& parameter) {
  std::string text = parameter.help;
  std::vector<std::string> words = parameter.offered();
  if (words.size() > 1) {
    const std::string last = words.back();
    words.pop_back();
    text += format(": {} or {}", join(words, ", "), last);
  }
  const std::string usual = command.default_of(parameter);
  return usual.empty() ? text : format("{} (default: {})", text, usual);
}

std::string common_rows() {
  std::string rows = row("-h", "this screen; --help says more") + row("--help", "the manual");
  const CommandSpec& common = common_flags();
  for (const Parameter& each : common.parameters) {
    rows += row(shown_names(each), text_of(common, each));
  }
  return rows;
}

std::string command_rows(std::span<const CommandSpec> commands) {
  std::string rows;
  for (const CommandSpec& each : commands) rows += row(each.name, each.summary);
  return rows;
}

std::string with(std::string text, std::string_view mark, const std::string& replacement) {
  const std::size_t place = text.find(mark);
  return place == std::string::npos ? text : text.replace(place, mark.size(), replacement);
}

}  // namespace

std::string shown_value(const Parameter& parameter) {
  const std::string& value = parameter.value;
  return parameter.single ? value.substr(0, value.find(",...")) : value;
}

std::string usage_line(const CommandSpec& command) {
  std::string words;
  for (const Parameter& each : command.parameters) {
    if (!each.positional) continue;
    words += each.required ? format(" {}", each.value) : format(" [{}]", each.value);
  }
  for (const Parameter& each : command.parameters) {
    if (each.required && !each.positional)
      words += format(" {} {}", each.flag(), shown_value(each));
  }
  return format("usage: rooflab {}{} [OPTION]...\n", command.name, words);
}

std::string option_table(const CommandSpec& command) {
  std::string positionals;
  std::string flags;
  for (const Parameter& each : command.parameters) {
    (each.positional ? positionals : flags) += row(shown_names(each), text_of(command, each));
  }
  return (positionals.empty() ? "" : positionals + "\n") + "Options:\n" + flags + common_rows();
}

std::string command_screen(const CommandSpec& command) {
  return format("{}\n{}\n{}{}", command.summary, usage_line(command), option_table(command),
                exit_codes);
}

std::string program_screen(std::span<const CommandSpec> commands) {
  return format(
      "How fast a neural network could run on a device: counts, limits, memory, rooflines\n"
      "usage: rooflab COMMAND [OPTION]...\n\nOptions:\n{}{}\nCommands:\n{}{}",
      row("--version", "print the version"), common_rows(), command_rows(commands), exit_codes);
}

std::string manual_text(const CommandSpec* command, std::span<const CommandSpec> commands) {
  const std::string wanted = format("{}.md", command == nullptr ? "README" : command->name);
  for (const EmbeddedFile& file : help_texts()) {
    if (file.name != wanted) continue;
    if (command == nullptr)
      return with(std::string(file.text), command_mark, command_rows(commands));
    return with(std::string(file.text), option_mark, option_table(*command));
  }
  return command == nullptr ? program_screen(commands) : command_screen(*command);
}

}  // namespace rooflab::cli
