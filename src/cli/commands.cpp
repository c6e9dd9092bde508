#include "commands.hpp"

#include "base/format.hpp"
#include "interrupt.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::cli {

// Each is defined in its own source.
CommandSpec summary_command(), predict_command(), roofline_command(), measure_command(),
    train_command(), evaluate_command(), scale_command(), fit_command(), partition_command(),
    study_command(), task_command(), help_command(), compare_command(), import_command(),
    report_command(), monitor_command(), profile_command(), probe_command(), models_command(),
    devices_command(), doctor_command(), completions_command();

std::vector<CommandSpec> all_commands() {
  return {summary_command(),   predict_command(),    roofline_command(), measure_command(),
          train_command(),     evaluate_command(),   scale_command(),    fit_command(),
          partition_command(), study_command(),      compare_command(),  import_command(),
          report_command(),    monitor_command(),    profile_command(),  probe_command(),
          models_command(),    devices_command(),    doctor_command(),   task_command(),
          help_command(),      completions_command()};
}

std::string CommandSpec::default_of(const Parameter& parameter) const {
  if (!parameter.default_text.empty()) return parameter.default_text;
  if (parameter.is_switch() || parameter.positional || usual == nullptr) return {};
  return join(parameter.write(usual.get()), ",");
}

const CommandSpec& Terminal::find_command(const std::string& name) const {
  std::vector<std::string> known;
  for (const CommandSpec& each : commands) {
    if (each.name == name) return each;
    known.push_back(each.name);
  }
  throw Error(ErrorKind::usage, format("unknown command '{}'", name),
              near_hint(name, known, "rooflab -h", "rooflab -h"));
}

task::Session Terminal::task() const {
  task::Session terminal;
  terminal.version = ROOFLAB_VERSION;
  terminal.command = command_line();
  terminal.show_progress = [this](std::string_view line) {
    line.empty() ? console.clear_progress() : console.show_progress(line);
  };
  terminal.shows_progress = console.shows_progress();
  terminal.say_step = [this](std::string_view line) {
    if (console.stderr_is_terminal()) console.say(line);
  };
  terminal.say = [this](std::string_view line) { console.say(line); };
  terminal.should_stop = interrupted;
  return terminal;
}

}  // namespace rooflab::cli
