#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/engine/case.hpp"
#include "rooflab/record/record.hpp"

/// Worker executables: one process per case, so that a crash, an out-of-memory kill or a hang of
/// one case loses nothing else. docs/formats/worker.md is the protocol.
namespace rooflab::engine {

/// Description of a worker.
struct Capabilities {
  std::string worker;  ///< `rooflab-torch`
  std::filesystem::path path;
  std::map<std::string, std::string> libraries;  ///< `libtorch`: `1.13.1`, ...
  std::vector<record::DeviceIdentity> devices;   ///< devices that it can run on; the CPU first
  std::vector<std::string> missing;              ///< what this build lacks, one sentence each
};

[[nodiscard]] std::span<const Field> fields_of(For<Capabilities>);

/// The executable of a worker: in the folder that $ROOFLAB_WORKERS names, else in ../bin and
/// ../libexec/rooflab beside the program. nullopt: not there.
[[nodiscard]] std::optional<std::filesystem::path> find_worker(std::string_view name);

/// Asks a worker for its description (starts it: a second or more with CUDA). Throws Error
/// (capability) when it does not answer.
[[nodiscard]] Capabilities describe(const std::filesystem::path& worker);

/// Progress of a case.
struct Progress {
  std::string stage;    ///< `set-up`, `first call`, `warm-up`, `measure`, `layers`, ...
  double done = 0.0;    ///< share of the stage, 0 to 1
  double left_s = 0.0;  ///< estimate for the whole case; 0: not known
};
/// A worker says it on its standard output, an object a line.
[[nodiscard]] std::span<const Field> fields_of(For<Progress>);

struct RunOptions {
  std::filesystem::path worker;
  std::function<void(const Progress&)> on_progress;  ///< may be empty
  std::function<bool()> should_stop;  ///< asked some times a second; true ends the case
  double timeout_s = 0.0;             ///< 0: none
  std::map<std::string, std::string> environment{};  ///< further variables for the worker
};

/// Runs one case in a process of its own and waits for it. Never throws for failures of the worker:
/// one that dies or hangs gives a Record with that status and the end of its error output.
/// The worker dies with this process. Throws Error (capability) when it cannot be started.
[[nodiscard]] record::Record run_case(const Case& request, const RunOptions& options);

}  // namespace rooflab::engine
