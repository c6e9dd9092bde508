#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "work_place.hpp"

namespace faults {

/// What the harness was asked to do.
struct CommandLine {
  Programs programs;
  std::filesystem::path folder;  ///< in which it works; removed at the end
  std::uint64_t seed = 1;
  int kills = 0;
  int faults = 0;            ///< without `every_fault`
  bool every_fault = false;  ///< --faults all
  bool streams = false;      ///< standard streams, and two runs at once
  Group group = Group::fake;
  bool list = false;  ///< only the names of the scenarios
  bool verbose = false;
  std::string only;    ///< scenarios, separated by commas; empty: all
  std::string replay;  ///< one trial in the text form of disturbances
};

inline constexpr char usage[] =
    R"(usage: rooflab_faults --program FILE --workers DIR --library FILE [OPTION]...
       rooflab_faults --program FILE --installed --library FILE [OPTION]...

Disturbs runs of rooflab, continues them, and compares what they leave with undisturbed runs.

  --seed N          draws other disturbances (1)
  --kills N         runs that are killed (0)
  --faults N|all    calls of the system that fail (0); all: one of each kind and file
  --streams         also closed, full and cut standard streams, and two runs at once
  --quick           the same as --kills 5 --faults 20
  --only NAME,...   scenarios; --list names them
  --real            the scenarios on the real workers; --workers is their folder
  --python FILE     the scenarios of the Python package, with this interpreter; exit code 77 where
                    it has no PyTorch
  --installed       the program uses the workers of its installed tree, and calls on files in the
                    folders share and libexec of this tree fail, too
  --replay TEXT     one trial of the scenario of --only: kill@57 or kill@0.1s,ENOSPC@12
  --folder DIR      works there (a new folder in TMPDIR)
  --list            names of the scenarios, with their number of calls
  --verbose         every trial, and what differs between undisturbed runs

Exit codes: 0 nothing was wrong; 1 something was; 2 usage; 77 skipped, with the reason.
)";

/// Throws std::runtime_error with the reason when the words make no sense.
[[nodiscard]] CommandLine read_command_line(int argc, char** argv);

}  // namespace faults
