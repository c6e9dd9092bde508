#pragma once

#include <filesystem>
#include <vector>

#include "console.hpp"
#include "measure_options.hpp"
#include "record_folder.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::cli {

struct MeasureRunOptions {
  std::filesystem::path worker;
  double timeout_s = 0.0;          ///< of each case; 0: none
  RecordFolder* folder = nullptr;  ///< where each record goes as soon as there is one
  bool resume = false;             ///< take what the folder has
  std::string command;             ///< the whole command line, for the records' environment
};

/// Runs the cases one after the other, each in a worker of its own, until the last one or until
/// InterruptGuard is interrupted; the case that ran then is the last and has that status. Shows on
/// a terminal how far it is. Gives one record a case, in order.
[[nodiscard]] std::vector<record::Record> run_cases(const std::vector<PlannedCase>& cases,
                                                    const MeasureRunOptions& options,
                                                    const Console& console);

}  // namespace rooflab::cli
