#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/record/training_run.hpp"

/// Worker executables: one process per case, so that a crash, an out-of-memory kill or a hang of
/// one case loses nothing else. docs/formats/worker.md is the protocol.
namespace rooflab::engine {

/// The workers of Rooflab: the one that runs networks, and the one that probes a device.
inline constexpr std::string_view torch_worker = record::usual_worker;
inline constexpr std::string_view probe_worker = "rooflab-probe";

/// Version of what program and worker say to each other (docs/formats/worker.md). It changes when a
/// worker that follows the last one would fail.
inline constexpr int protocol_version = 1;

/// Name and build of a worker.
struct WorkerBuild {
  std::string worker = {};                  ///< its name: `rooflab-torch`
  std::optional<std::string> version = {};  ///< its own version; nullopt: not stated
  /// Version of Rooflab that it is a part of, which must be this one; nullopt: a worker of others.
  std::optional<std::string> rooflab = {};
  int protocol = 0;  ///< must be protocol_version
};

[[nodiscard]] std::span<const Field> fields_of(For<WorkerBuild>);

/// Description of a worker.
struct Capabilities {
  WorkerBuild build = {};
  std::filesystem::path path = {};
  std::map<std::string, std::string> libraries = {};  ///< `libtorch`: `1.13.1`, ...
  std::vector<record::DeviceIdentity> devices = {};   ///< devices that it can run on; the CPU first
  std::vector<std::string> missing = {};              ///< what the build lacks, one sentence each
};

[[nodiscard]] std::span<const Field> fields_of(For<Capabilities>);

/// Folder in which `rooflab doctor --build-worker` puts the workers of this version of Rooflab:
/// `rooflab/workers/VERSION` in $XDG_CACHE_HOME, else in ~/.cache. nullopt: no home is known.
[[nodiscard]] std::optional<std::filesystem::path> built_workers_folder();

/// Name of a link in built_workers_folder() to the workers that were built last.
inline constexpr std::string_view current_workers = "current";

/// Folders in which find_worker() looks, in their order. With a prefix: `bin` and `libexec/rooflab`
/// in it. Without: the folder $ROOFLAB_WORKERS if set, else `bin` next to the program's folder, the
/// workers that were built here, and `libexec/rooflab` of each installation. Throws Error (usage)
/// where $ROOFLAB_WORKERS is not absolute.
[[nodiscard]] std::vector<std::filesystem::path> worker_folders(
    const std::filesystem::path& prefix = {});

/// Text of worker_folders() for people: `/usr/local/bin, /usr/local/libexec/rooflab`.
[[nodiscard]] std::string searched_folders(const std::filesystem::path& prefix = {});

/// Finds the executable of a worker in worker_folders(). nullopt: not found. Throws Error (input)
/// where it cannot be run, and where the system does not tell whether it exists.
[[nodiscard]] std::optional<std::filesystem::path> find_worker(
    std::string_view name, const std::filesystem::path& prefix = {});

/// Executable of a worker that the user chose: a path (with a slash), or a name in worker_folders()
/// or in the folders of $PATH. Throws Error (input) with the folders that were searched.
[[nodiscard]] std::filesystem::path chosen_worker(const std::string& worker,
                                                  const std::filesystem::path& prefix = {});

/// Asks a worker for its description (starts it: a second or more with CUDA). Throws Error
/// (capability) when it does not answer in time, and when its protocol or its Rooflab differs.
[[nodiscard]] Capabilities describe(const std::filesystem::path& worker,
                                    std::chrono::milliseconds limit = std::chrono::seconds(30));

/// Progress of a case.
struct Progress {
  std::string stage = {};  ///< `set-up`, `first call`, `warm-up`, `measure`, `layers`, ...
  double done = 0.0;       ///< share of the stage, 0 to 1
  double left_s = 0.0;     ///< estimate for the whole case; 0: not known
};
/// A worker prints it on stdout, one JSON object per line.
[[nodiscard]] std::span<const Field> fields_of(For<Progress>);

struct RunOptions {
  std::filesystem::path worker = {};
  std::string name = {};  ///< what the worker must call itself; empty: anything
  std::function<void(const Progress&)> on_progress = {};  ///< may be empty
  std::function<bool()> should_stop = {};  ///< called several times a second; true ends the case
  double timeout_s = 0.0;                  ///< 0: none
  std::map<std::string, std::string> environment{};  ///< further variables for the worker
};

/// Runs one case in a separate process and waits for it. Never throws for failures of the worker:
/// one that dies or hangs gives a Record with that status and the end of its error output. The
/// worker dies with this process, however that ends. Throws Error (capability) when it cannot be
/// started or its build differs, Error (system) when a file could not be written, here or by the
/// worker.
[[nodiscard]] record::Record run_case(const Case& request, const RunOptions& options);

// Training to accuracy in a worker. docs/formats/worker.md is the protocol.

/// One run of training. Its folder holds everything that outlives the process: `run.json` (a
/// TrainingRun, rewritten after every epoch, atomically), `checkpoint.pt` (weights, optimizer,
/// place in the data; replaced atomically at the end of an epoch and every `checkpoint_period_s`
/// within one) and `weights.pt` (a PyTorch state dict with torchvision's names, at the end).
struct TrainingRequest {
  /// Identity with phase training; the graph's batch is the training batch. `data` is opened with
  /// Split::train to train on and Split::test to validate on.
  Case request = {};
  record::TrainingRecipe recipe = {};
  std::optional<double> target_accuracy = {};  ///< end after the first epoch that reaches it
  std::filesystem::path folder = {};
  bool resume = false;  ///< continue the folder's run; else begin a new one
  double checkpoint_period_s = 60.0;
  double max_time_s = 0.0;      ///< longest training, without validation; 0: no limit
  std::int64_t max_images = 0;  ///< images to train on in an epoch, and to validate on; 0: all
};

/// Runs `WORKER train REQUEST RUN_JSON` and waits. Like run_case it never throws for failures of
/// the worker: if one dies, the run is returned as its folder has it, with that status. No other
/// process may use the folder. Throws Error (usage), and changes nothing, when the folder's run
/// cannot be resumed by this request; Error (system) when a file could not be written: the folder
/// then holds what was written before. Progress stages read `epoch 3/30, accuracy 0.812`.
[[nodiscard]] record::TrainingRun run_training(const TrainingRequest& request,
                                               const RunOptions& options);

/// First difference between `held`, the run in a folder, and the request that prevents resuming:
/// `the seed is 1, not 2`. nullopt: no such difference; target and times may differ.
[[nodiscard]] std::optional<std::string> difference_to(const record::TrainingRun& held,
                                                       const TrainingRequest& request);

/// A request to evaluate trained models on labelled images.
struct EvaluationRequest {
  std::vector<std::filesystem::path> checkpoints = {};  ///< weights.pt or checkpoint.pt
  std::string data = {};  ///< test images; class names are matched to the model's
  std::string device = "cpu";
  std::int64_t batch = 100;
  int data_workers = 2;
};

/// Runs `WORKER evaluate REQUEST RESULT`. Throws Error (input) for a file that is not a checkpoint
/// and for data with a class that a model does not know (named, with the model's classes as a
/// hint), Error (capability) when the worker dies.
[[nodiscard]] std::vector<record::Evaluation> run_evaluation(const EvaluationRequest& request,
                                                             const RunOptions& options);

/// An error in checkpoints or data that the program reports to its user.
struct EvaluationFault {
  std::string message = {};
  std::string hint = {};
  std::string file = {};
};

/// Result that a worker writes for an evaluation.
struct EvaluationResult {
  std::vector<record::Evaluation> evaluations = {};
  std::optional<EvaluationFault> fault = {};
};

[[nodiscard]] std::span<const Field> fields_of(For<TrainingRequest>);
[[nodiscard]] FileKind file_kind_of(For<TrainingRequest>);
[[nodiscard]] std::span<const Field> fields_of(For<EvaluationRequest>);
[[nodiscard]] FileKind file_kind_of(For<EvaluationRequest>);
[[nodiscard]] std::span<const Field> fields_of(For<EvaluationFault>);
[[nodiscard]] std::span<const Field> fields_of(For<EvaluationResult>);
[[nodiscard]] FileKind file_kind_of(For<EvaluationResult>);

}  // namespace rooflab::engine
