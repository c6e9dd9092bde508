#include "parser.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <map>

#include "base/parameter_list.hpp"
#include "commands.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::cli {
namespace {

/// Words of other tools; several of ours for one: the first that a command has.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> flag_synonyms = {
    {{"--batch-size", "--batch"},
     {"-b", "--batch"},
     {"-d", "--device"},
     {"--gpu", "--device"},
     {"--gpus", "--device"},
     {"--devices", "--device"},
     {"--dtype", "--precision"},
     {"--amp", "--precision amp"},
     {"--train", "--phase training"},
     {"--training", "--phase training"},
     {"--learning-rate", "--lr"}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> other_hints = {
    {{"-q", "progress goes to stderr: 2>/dev/null"},
     {"--quiet", "progress goes to stderr: 2>/dev/null"},
     {"-v", "rooflab --version prints the version; more is not said"},
     {"--verbose", "more is not said; rooflab doctor says what works here"},
     {"-V", "rooflab --version prints the version"}}};

/// Asked for a text instead of a run.
struct TextAsked {
  CommandLine::Asked asked;
};

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
  const Parameter* const renamed = command ? command->parameters.renamed(flag) : nullptr;
  if (renamed != nullptr) return format("did you mean '{}'? ({})", renamed->flag(), more);
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

struct CommonFlags {
  ColorChoice color = ColorChoice::automatic;
};

const Parameters& parameters_of(For<CommonFlags>) {
  static const Parameters all = {parameter<&CommonFlags::color>("WHEN", "colours")};
  return all;
}

const CommandSpec& common_flags() {
  static const CommandSpec all =
      command<CommonFlags>("", "", [](const CommonFlags& flags, Session& session) {
        session.console.choose_color(flags.color);
      });
  return all;
}

struct Parser::Apps {
  std::vector<CommandSpec>& commands;
  Session& session;
  CLI::App program;
  std::map<const CommandSpec*, CLI::App*> apps;
  /// The words that each option took.
  std::map<const CommandSpec*, GivenWords> given;
  std::string color;

  Apps(std::vector<CommandSpec>& all, Session& of)
      : commands(all), session(of), program("", "rooflab") {
    program.set_version_flag("--version", "", "");
    program.require_subcommand(1);
    add_common(program);
    for (CommandSpec& each : commands) {
      apps[&each] = add(each);
      add_common(*apps[&each]);
    }
  }

  CLI::App* add(const CommandSpec& command) {
    CLI::App* const app = program.add_subcommand(command.name, command.summary);
    for (const Parameter& each : command.parameters) add_option(*app, command, each);
    return app;
  }

  void add_option(CLI::App& app, const CommandSpec& command, const Parameter& parameter) {
    GivenWords& into = given[&command];
    if (parameter.is_switch()) {
      app.add_flag_callback(parameter.flag(), [&into, &parameter] { into[parameter.key]; });
      return;
    }
    std::string name = parameter.positional ? parameter.key : parameter.flag();
    if (parameter.letter != 0) name = format("-{},{}", parameter.letter, name);
    CLI::Option* const option = app.add_option_function<std::vector<std::string>>(
        name, [&into, &parameter](const std::vector<std::string>& words) {
          into[parameter.key] = words;
        });
    const bool many_words = parameter.is_list() && (parameter.positional || parameter.takes_words);
    option->expected(many_words ? -1 : 1);
    if (many_words) return;
    option->allow_extra_args(false);
    if (parameter.is_list()) option->take_all();
  }

  void add_common(CLI::App& app) {
    const auto throwing = [](CommandLine::Asked asked) {
      return [asked] { throw TextAsked{asked}; };
    };
    app.set_help_flag();
    app.add_flag_callback("-h", throwing(CommandLine::Asked::screen));
    app.add_flag_callback("--help", throwing(CommandLine::Asked::manual));
    app.add_option_function<std::string>("--color", [this](const std::string& when) {
      common_flags().run({{"color", {when}}}, session);
    });
  }

  [[nodiscard]] const CommandSpec* chosen() const {
    for (const auto& [command, app] : apps) {
      if (app->parsed()) return command;
    }
    // Parsing ended before the command was done.
    const std::vector<CLI::App*> begun = program.get_subcommands();
    for (const auto& [command, app] : apps) {
      if (!begun.empty() && app == begun.front()) return command;
    }
    return nullptr;
  }

  /// The parser's complaint about one option, in our words.
  [[nodiscard]] static std::string message_of(const CLI::ParseError& error,
                                              const CommandSpec& command) {
    const std::string text = error.what();
    for (const Parameters* table : std::array{&command.parameters, &common_flags().parameters}) {
      for (const Parameter& each : *table) {
        const std::string name = each.positional ? each.key : each.flag();
        if (text == format("{} is required", name)) return format("{} is missing", each.flag());
        if (!text.starts_with(name + ":")) continue;
        if (text.find("received") != std::string::npos) {
          return format("{} is given twice", each.flag());
        }
        if (text.find("missing") != std::string::npos) {
          return format("{} needs a value", each.flag());
        }
      }
    }
    return text;
  }

  /// What is wrong with the command line, in our words.
  [[nodiscard]] Error error_of(const CLI::ParseError& error) const {
    const CommandSpec* const command = chosen();
    const std::string more =
        command == nullptr ? "rooflab -h" : format("rooflab {} -h", command->name);
    std::vector<std::string> known;
    if (command != nullptr) {
      known = long_flags(*command);
    } else {
      for (const CommandSpec& each : commands) known.push_back(each.name);
      known.insert(known.end(), {"--help", "--color", "--version"});
    }
    const std::vector<std::string> extras = program.remaining(true);
    if (extras.empty()) {
      if (command == nullptr) return Error(ErrorKind::usage, "a command is needed", more);
      return Error(ErrorKind::usage, message_of(error, *command), more);
    }
    const std::string& word = extras.front();
    const std::string bare = word.substr(0, word.find('='));
    if (command != nullptr && std::ranges::find(known, bare) != known.end()) {
      return Error(ErrorKind::usage, format("flag '{}' stands before the command", bare),
                   format("rooflab {} ... {}", command->name, bare));
    }
    const std::string what =
        word.starts_with('-') ? "flag" : (command == nullptr ? "command" : "argument");
    return Error(ErrorKind::usage, format("unknown {} '{}'", what, word),
                 hint_for_flag(bare, command, known, more));
  }
};

Parser::Parser(std::vector<CommandSpec>& commands, Session& session)
    : apps_(std::make_unique<Apps>(commands, session)) {}

Parser::~Parser() = default;

CommandLine Parser::parse(int argc, char** argv) {
  CommandLine line;
  try {
    apps_->program.parse(argc, argv);
  } catch (const TextAsked& text) {
    line.asked = text.asked;
  } catch (const CLI::CallForVersion&) {
    line.asked = CommandLine::Asked::version;
  } catch (const CLI::ParseError& error) {
    throw apps_->error_of(error);
  }
  line.command = apps_->chosen();
  if (line.command != nullptr) line.given = std::move(apps_->given[line.command]);
  return line;
}

}  // namespace rooflab::cli
