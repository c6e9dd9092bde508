#pragma once

#include <span>
#include <string>
#include <vector>

#include "command.hpp"
#include "console.hpp"
#include "rooflab/base/embedded_file.hpp"

namespace rooflab::cli {

/// What every command may use.
struct Session {
  Console console;
  std::vector<std::string> words;  ///< the command line as typed
  int exit_code = 0;               ///< set by a command whose check failed
};

/// docs/cli/*.md, compiled into the program.
[[nodiscard]] std::span<const EmbeddedFile> help_texts();

// Each adds one subcommand with its flags and its action.
void add_summary_command(Command program, Session& session);
void add_predict_command(Command program, Session& session);
void add_roofline_command(Command program, Session& session);
void add_measure_command(Command program, Session& session);
void add_train_command(Command program, Session& session);
void add_evaluate_command(Command program, Session& session);
void add_scale_command(Command program, Session& session);
void add_fit_command(Command program, Session& session);
void add_partition_command(Command program, Session& session);
void add_study_command(Command program, Session& session);
void add_compare_command(Command program, Session& session);
void add_import_command(Command program, Session& session);
void add_report_command(Command program, Session& session);
void add_monitor_command(Command program, Session& session);
void add_profile_command(Command program, Session& session);
void add_probe_command(Command program, Session& session);
void add_models_command(Command program, Session& session);
void add_devices_command(Command program, Session& session);
void add_doctor_command(Command program, Session& session);
void add_completions_command(Command program, Session& session);

}  // namespace rooflab::cli
