#include "parser.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/format.hpp"
#include "commands.hpp"
#include "describe/command_words.hpp"
#include "describe/parameter_list.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::cli {
namespace {

/// Words of other tools; several of ours for one: the first that a command has.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> flag_synonyms = {
    {{"-q", "--quiet"},
     {"--batch-size", "--batch"},
     {"--batchsize", "--batch"},
     {"--bs", "--batch"},
     {"-b", "--batch"},
     {"-d", "--device"},
     {"--gpu", "--device"},
     {"--gpus", "--device"},
     {"--devices", "--device"},
     {"--device", "--as-device"},
     {"--dtype", "--precision"},
     {"--amp", "--precision amp"},
     {"--train", "--phase training"},
     {"--training", "--phase training"},
     {"--learning-rate", "--lr"}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> other_hints = {
    {{"-v", "rooflab --version prints the version; more is not said"},
     {"--verbose", "more is not said; rooflab doctor says what works here"},
     {"-V", "rooflab --version prints the version"}}};

std::vector<std::string> long_flags(const CommandSpec& command) {
  std::vector<std::string> names = {"--help"};
  for (const Parameters* table : std::array{&command.parameters, &common_flags().parameters}) {
    for (const Parameter& each : *table) {
      if (!each.positional) names.push_back(each.flag());
    }
  }
  return names;
}

std::string hint_for_flag(const std::string& flag, const CommandSpec* command,
                          const std::vector<std::string>& known, const std::string& more) {
  for (const auto& [theirs, ours] : flag_synonyms) {
    const std::string name(ours.substr(0, ours.find(' ')));
    if (flag == theirs && std::ranges::find(known, name) != known.end()) {
      return format("did you mean '{}'? ({})", ours, more);
    }
  }
  for (const auto& [theirs, hint] : other_hints) {
    if (flag == theirs) return format("{} ({})", hint, more);
  }
  return near_hint(flag, known, more, more);
}

}  // namespace

const Parameters& parameters_of(For<PrintChoice>) {
  static const Parameters all = {
      parameter<&PrintChoice::color>("WHEN", "when to use colour"),
      parameter<&PrintChoice::wide>("all columns of tables, however wide the terminal is"),
      parameter<&PrintChoice::notes>("all notes, whole"),
      parameter<&PrintChoice::quiet>("print errors only; files of -o are still written"),
  };
  return all;
}

const CommandSpec& common_flags() {
  static const CommandSpec all = command<PrintChoice>(
      "", "",
      [](const PrintChoice& choice, Terminal& terminal) { terminal.console.choose(choice); });
  return all;
}

namespace {

constexpr std::string_view version_flag = "--version";

/// The names of the commands, and the flags of the program itself.
std::vector<std::string> words_of_program(std::span<const CommandSpec> commands) {
  std::vector<std::string> known;
  for (const CommandSpec& each : commands) known.push_back(each.name);
  known.insert(known.end(), {"--help", std::string(version_flag)});
  for (const Parameter& each : common_flags().parameters) known.push_back(each.flag());
  return known;
}

/// One command line, taken apart.
class LineReader {
 public:
  LineReader(std::span<const CommandSpec> commands, Terminal& terminal)
      : commands_(commands), terminal_(terminal) {}

  CommandLine read(std::span<const std::string> words) {
    const auto named = std::ranges::find_if(
        words, [this](const std::string& word) { return find_command(word) != nullptr; });
    const auto head = words.first(static_cast<std::size_t>(named - words.begin()));
    if (named != words.end()) line_.command = find_command(*named);
    read_head(head);
    if (line_.command != nullptr) read_tail(words.subspan(head.size() + 1));
    // Whoever asks for help gets it, whatever else is wrong, but for an action that does not exist.
    if (line_.asked == CommandLine::Asked::run) {
      refuse_others();
    } else {
      refuse_unknown_action();
    }
    return std::move(line_);
  }

 private:
  /// A word that nothing takes.
  struct Other {
    std::string word;
    bool is_flag = false;
    bool in_head = false;  ///< before the command
  };

  [[nodiscard]] const CommandSpec* find_command(const std::string& word) const {
    const auto found = std::ranges::find(commands_, word, &CommandSpec::name);
    return found == commands_.end() ? nullptr : &*found;
  }

  void read_head(std::span<const std::string> words) {
    const auto unknown = [this](const std::string& word, bool is_flag) {
      if (word == version_flag) {
        line_.asked = CommandLine::Asked::version;
      } else {
        take_other({word, is_flag, true});
      }
    };
    take_common(given_words(common_flags().parameters, words, unknown, more_of(line_.command)));
  }

  void read_tail(std::span<const std::string> words) {
    const auto unknown = [this](const std::string& word, bool is_flag) {
      take_other({word, is_flag, false});
    };
    const Parameters table = {line_.command->parameters, common_flags().parameters};
    line_.given = take_common(given_words(table, words, unknown, more_of(line_.command)));
  }

  [[nodiscard]] static std::string more_of(const CommandSpec* command) {
    return command == nullptr ? "rooflab -h" : format("rooflab {} -h", command->name);
  }

  /// Obeys the flags that every command has; the others are left.
  GivenWords take_common(GivenWords given) {
    for (const Parameter& each : common_flags().parameters) {
      if (auto found = given.extract(each.key)) common_[each.key] = std::move(found.mapped());
    }
    if (!common_.empty()) common_flags().run(common_, terminal_);
    return given;
  }

  void take_other(Other other) {
    if (other.is_flag && other.word == "-h") {
      line_.asked = CommandLine::Asked::screen;
    } else if (other.is_flag && other.word == "--help") {
      line_.asked = CommandLine::Asked::manual;
    } else if (!other_) {
      other_ = std::move(other);
    }
  }

  void refuse_unknown_action() const {
    if (line_.command == nullptr) return;
    for (const Parameter& each : line_.command->parameters) {
      const auto given = line_.given.find(each.key);
      const std::vector<std::string> names = each.form->names();
      const bool is_action = each.positional && !each.is_list() && !names.empty();
      if (!is_action || given == line_.given.end()) continue;
      for (const std::string& word : given->second) {
        if (std::ranges::find(names, word) != names.end()) continue;
        const std::string all = format("one of {}", join(names, ", "));
        throw Error(ErrorKind::usage, format("unknown {} '{}'", each.study_key(), word),
                    near_hint(word, names, all, all));
      }
    }
  }

  void refuse_others() const {
    if (!other_) {
      if (line_.command != nullptr) return;
      throw Error(ErrorKind::usage, "a command is needed", more_of(nullptr));
    }
    const auto& [word, is_flag, in_head] = *other_;
    // A word before the command is not one of its arguments, but may be one of its flags.
    const CommandSpec* const command = in_head && !is_flag ? nullptr : line_.command;
    const std::vector<std::string> known =
        command == nullptr ? words_of_program(commands_) : long_flags(*command);
    // As a whole: a word of another tool may have one dash and more than one letter.
    const std::string name = word.substr(0, word.find('='));
    if (in_head && command != nullptr && std::ranges::find(known, name) != known.end()) {
      throw Error(ErrorKind::usage, format("flag '{}' is before the command", name),
                  format("rooflab {} ... {}", command->name, name));
    }
    const std::string what = is_flag ? "flag" : command == nullptr ? "command" : "argument";
    throw Error(ErrorKind::usage, format("unknown {} '{}'", what, word),
                hint_for_flag(name, command, known, more_of(command)));
  }

  std::span<const CommandSpec> commands_;
  Terminal& terminal_;
  CommandLine line_;
  GivenWords common_;           ///< before and behind the command
  std::optional<Other> other_;  ///< the first
};

}  // namespace

CommandLine parse(std::span<const CommandSpec> commands, std::span<const std::string> words,
                  Terminal& terminal) {
  return LineReader(commands, terminal).read(words);
}

}  // namespace rooflab::cli
