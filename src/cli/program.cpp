#include "program.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>

#include "commands.hpp"
#include "flag_value.hpp"
#include "help_formatter.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/study/run.hpp"

namespace rooflab::cli {
namespace {

constexpr int exit_usage = 2;
constexpr int exit_capability = 3;

/// Asked for the long help of a command.
struct LongHelp {
  std::string command;
};

void add_commands(Command program, Session& session) {
  add_summary_command(program, session);
  add_predict_command(program, session);
  add_roofline_command(program, session);
  add_measure_command(program, session);
  add_train_command(program, session);
  add_evaluate_command(program, session);
  add_scale_command(program, session);
  add_fit_command(program, session);
  add_partition_command(program, session);
  add_study_command(program, session);
  add_compare_command(program, session);
  add_import_command(program, session);
  add_report_command(program, session);
  add_monitor_command(program, session);
  add_profile_command(program, session);
  add_probe_command(program, session);
  add_models_command(program, session);
  add_devices_command(program, session);
  add_doctor_command(program, session);
  add_completions_command(program, session);
}

void add_common_flags(CLI::App& app, Session& session) {
  app.set_help_flag("-h", "this screen; --help says more");
  app.add_flag_callback(
      "--help", [&app] { throw LongHelp{app.get_name()}; }, "the manual");
  app.add_option_function<std::string>(
         "--color",
         [&session](const std::string& when) {
           session.console.choose_color(value_named<ColorChoice>("--color value", when));
         },
         "auto, always or never")
      ->type_name("WHEN");
}

std::string long_help(const std::string& command, const CLI::App& program) {
  const std::string wanted = format("{}.md", command.empty() ? "rooflab" : command);
  for (const EmbeddedFile& file : help_texts()) {
    if (file.name == wanted || file.name.ends_with("/" + wanted)) return std::string(file.text);
  }
  for (const CLI::App* app : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (app->get_name() == command) return app->help();
  }
  return program.help();
}

/// The command whose flags an unknown word was meant for.
const CLI::App& chosen_command(const CLI::App& program) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  return chosen.empty() ? program : *chosen.front();
}

/// The parser's complaint about one option, in our words.
std::string parser_message(const CLI::ParseError& error, const CLI::App& command) {
  const std::string text = error.what();
  for (const CLI::Option* option : command.get_options()) {
    const std::string name =
        option->get_positional() ? option->get_name(true) : option->get_name(false, false);
    const std::string shown =
        option->get_positional() ? option->get_type_name() : option->get_name(false, true);
    if (text == format("{} is required", name)) return format("{} is missing", shown);
    if (!text.starts_with(name + ":")) continue;
    if (text.find("received") != std::string::npos) return format("{} is given twice", shown);
    if (text.find("missing") != std::string::npos) return format("{} needs a value", shown);
  }
  return text;
}

/// What is wrong with the command line, in our words.
Error usage_error(const CLI::ParseError& error, const CLI::App& program) {
  const CLI::App& command = chosen_command(program);
  const bool top = &command == &program;
  std::vector<std::string> known;
  if (top) {
    for (const CLI::App* sub : program.get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(sub->get_name());
    }
  }
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string more = top ? "rooflab -h" : format("rooflab {} -h", command.get_name());
  const std::vector<std::string> extras = program.remaining(true);
  if (!extras.empty()) {
    const std::string& word = extras.front();
    const std::string bare = word.substr(0, word.find('='));
    if (!top && std::ranges::find(known, bare) != known.end()) {
      return Error(ErrorKind::usage, format("flag '{}' stands before the command", bare),
                   format("rooflab {} ... {}", command.get_name(), bare));
    }
    const std::string what = word.starts_with('-') ? "flag" : (top ? "command" : "argument");
    return Error(ErrorKind::usage, format("unknown {} '{}'", what, word),
                 near_hint(bare, known, more, more));
  }
  if (top) return Error(ErrorKind::usage, "a command is needed", more);
  return Error(ErrorKind::usage, parser_message(error, command), more);
}

int report_error(const Session& session, const Error& error) {
  session.console.error(error.full_message(), error.hint());
  return error.kind() == ErrorKind::capability ? exit_capability : exit_usage;
}

/// The command's action runs while the parser finishes; help and version arrive as exceptions.
void parse_and_run(CLI::App& program, Session& session, int argc, char** argv) {
  try {
    program.parse(argc, argv);
  } catch (const LongHelp& help) {
    session.console.print(long_help(help.command, program));
  } catch (const CLI::CallForHelp&) {
    session.console.print(chosen_command(program).help());
  } catch (const CLI::CallForVersion& version) {
    session.console.print(format("{}\n", version.what()));
  }
}

/// A case of a study ends with it. Workers end with their program by themselves.
void end_with_study() {
  const char* const process = std::getenv(study::study_process_variable);
  if (process != nullptr && parse_integer(process) == ::getppid()) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  // A reader that has seen enough is no error.
  std::signal(SIGPIPE, SIG_IGN);
  end_with_study();
  Session session;
  session.words = {"rooflab"};
  for (int i = 1; i < argc; ++i) session.words.emplace_back(argv[i]);
  CLI::App program(
      "How fast a neural network could run on a device: counts, limits, memory, rooflines",
      "rooflab");
  program.set_version_flag("--version", format("rooflab {}", ROOFLAB_VERSION), "print the version");
  program.formatter(std::make_shared<HelpFormatter>());
  program.require_subcommand(1);
  program.footer(
      "exit codes: 0 done, 1 a check failed, 2 usage or input, 3 something is missing here");
  add_commands(Command(&program), session);
  add_common_flags(program, session);
  for (CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    command->group("Commands");
    add_common_flags(*command, session);
  }
  try {
    parse_and_run(program, session, argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_error(session, usage_error(error, program));
  } catch (const Error& error) {
    return report_error(session, error);
  } catch (const std::bad_alloc&) {
    session.console.error("out of memory", "the input describes more than this machine can hold");
    return exit_usage;
  } catch (const std::filesystem::filesystem_error& error) {
    session.console.error(error.what(), "");
    return exit_usage;
  }
  return session.exit_code;
}

}  // namespace rooflab::cli
