#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "specimen.hpp"

namespace mutator {

/// What the mutator was asked to do.
struct CommandLine {
  std::filesystem::path program;
  std::filesystem::path workers;
  std::filesystem::path folder;  ///< works there
  bool own_folder = false;       ///< made by itself, to be removed
  std::filesystem::path keep;    ///< for inputs that failed; empty: none is kept
  std::uint64_t seed = 1;
  long first = 0;  ///< number of the first run
  long runs = 1000;
  long seconds = 0;  ///< 0: by `runs`
  std::string only;  ///< subjects, separated by commas; empty: all
  Limits limits;
};

inline constexpr char usage[] =
    R"(usage: rooflab_mutator --program FILE --workers DIR [OPTION]...

Damages files that rooflab reads and runs it on them.

  --seed N         draws other damage (1)
  --runs N         runs (1000)
  --seconds N      runs for that time
  --first N        begins with run N, which is the same whatever ran before it (0)
  --only NAME,...  kinds of files
  --keep DIR       keeps the files of runs that failed, each in a folder with its COMMAND
  --folder DIR     works there (a new folder in TMPDIR)
  --no-memory-limit  no limit of the address space, for programs with sanitizers

Exit codes: 0 nothing was wrong; 1 something was; 2 usage.
)";

/// Throws std::runtime_error with the reason when the words make no sense.
[[nodiscard]] CommandLine read_command_line(int argc, char** argv);

/// The subjects of --only.
[[nodiscard]] std::vector<Subject> chosen_subjects(const CommandLine& line);

}  // namespace mutator
