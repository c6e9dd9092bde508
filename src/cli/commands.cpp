#include "commands.hpp"

#include "interrupt.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

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

const CommandSpec& Session::find_command(const std::string& name) const {
  std::vector<std::string> known;
  for (const CommandSpec& each : commands) {
    if (each.name == name) return each;
    known.push_back(each.name);
  }
  throw Error(ErrorKind::usage, format("unknown command '{}'", name),
              near_hint(name, known, "rooflab -h", "rooflab -h"));
}

task::Session Session::task() const {
  task::Session session;
  session.version = ROOFLAB_VERSION;
  session.command = command_line();
  session.show_progress = [this](std::string_view line) {
    line.empty() ? console.clear_progress() : console.show_progress(line);
  };
  session.shows_progress = console.shows_progress();
  session.say_step = [this](std::string_view line) {
    if (console.stderr_is_terminal()) console.say(line);
  };
  session.say = [this](std::string_view line) { console.say(line); };
  session.should_stop = interrupted;
  return session;
}

}  // namespace rooflab::cli
