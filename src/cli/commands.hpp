#pragma once

#include <CLI/App.hpp>
#include <span>
#include <string>
#include <vector>

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
void add_summary_command(CLI::App& program, Session& session);
void add_predict_command(CLI::App& program, Session& session);
void add_roofline_command(CLI::App& program, Session& session);
void add_measure_command(CLI::App& program, Session& session);
void add_train_command(CLI::App& program, Session& session);
void add_evaluate_command(CLI::App& program, Session& session);
void add_scale_command(CLI::App& program, Session& session);
void add_fit_command(CLI::App& program, Session& session);
void add_partition_command(CLI::App& program, Session& session);
void add_study_command(CLI::App& program, Session& session);
void add_compare_command(CLI::App& program, Session& session);
void add_import_command(CLI::App& program, Session& session);
void add_report_command(CLI::App& program, Session& session);
void add_monitor_command(CLI::App& program, Session& session);
void add_profile_command(CLI::App& program, Session& session);
void add_probe_command(CLI::App& program, Session& session);
void add_models_command(CLI::App& program, Session& session);
void add_devices_command(CLI::App& program, Session& session);
void add_doctor_command(CLI::App& program, Session& session);
void add_completions_command(CLI::App& program, Session& session);

}  // namespace rooflab::cli
