#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/record/scale_run.hpp"

/// Data-parallel runs: one worker process per rank, `rooflab-torch rank`, which communicate only
/// through c10d. docs/formats/worker.md is the protocol.
namespace rooflab::engine {

/// Place of a process in its job.
struct RankPlace {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  ///< rank on its host, which selects the device
  std::string master = "127.0.0.1";
  int port = 0;

  friend bool operator==(const RankPlace&, const RankPlace&) = default;
};

/// Place from the environment that a launcher set: torchrun (RANK, WORLD_SIZE, LOCAL_RANK,
/// MASTER_ADDR, MASTER_PORT), srun (SLURM_PROCID, SLURM_NTASKS, SLURM_LOCALID; MASTER_ADDR, or the
/// first host of SLURM_JOB_NODELIST), mpirun (OMPI_COMM_WORLD_RANK, ...; PMI_RANK, ...). nullopt:
/// started by hand. Throws Error (input) that names the variable when they are incomplete or
/// contradictory.
[[nodiscard]] std::optional<RankPlace> place_from_environment(
    const std::map<std::string, std::string>& environment);

/// The request to every rank.
struct ScaleRequest {
  Case request;                      ///< batch of one rank; the device is filled in for each rank
  std::vector<std::string> devices;  ///< one per local rank: `cuda:0`, `cuda:1`; `cpu`, `cpu`
  double timeout_s = 60.0;           ///< a rank that is silent for this long counts as lost
  bool exchange_alone = true;  ///< also time the step without exchange, and the exchange alone
  bool kernels = true;         ///< also trace kernels, if CUPTI is available
};

/// Starts all ranks on this host and supervises them: if one dies, the others are ended and the
/// run names it with the reason; the run keeps the timed steps. Never throws for failures of
/// ranks.
[[nodiscard]] record::ScaleRun run_ranks(const ScaleRequest& request, const RunOptions& options);

/// Runs one rank at this process's place under a launcher. The run is complete on rank 0; nullopt
/// on the others, except on a rank that failed.
[[nodiscard]] std::optional<record::ScaleRun> run_one_rank(const ScaleRequest& request,
                                                           const RankPlace& place,
                                                           const RunOptions& options);

[[nodiscard]] std::span<const Field> fields_of(For<ScaleRequest>);
[[nodiscard]] FileKind file_kind_of(For<ScaleRequest>);

/// One message of `bytes` over `ranks` devices of this host, without other work.
struct LinkTime {
  int ranks = 2;
  double bytes = 0.0;
  double time_s = 0.0;  ///< median of the slowest rank
  double least_s = 0.0;
  double most_s = 0.0;
  std::string collective = "all_reduce";  ///< a name of Collective
};

/// Measurements of `rooflab probe --links` over 2 to all devices: messages of 4 KiB to 256 MiB,
/// mutual slowdowns of messages and concurrent kernels, and copies between the first two devices.
struct LinkProbe {
  std::vector<LinkTime> times;
  std::vector<device::MeasuredFigure> figures;  ///< `overlap.*` (rooflab/device/overlap.hpp)
  std::string backend;
  std::vector<Note> notes;  ///< measurements that failed
  std::string message;      ///< why the probe ended early; empty: it did not
};
[[nodiscard]] LinkProbe run_link_probe(const std::vector<std::string>& devices,
                                       const RunOptions& options);

/// The request to each rank of a link probe.
struct LinkRequest {
  std::vector<std::string> devices;  ///< one per local rank
  double timeout_s = 60.0;
};
[[nodiscard]] std::span<const Field> fields_of(For<LinkRequest>);
[[nodiscard]] FileKind file_kind_of(For<LinkRequest>);
[[nodiscard]] std::span<const Field> fields_of(For<LinkTime>);
[[nodiscard]] std::span<const Field> fields_of(For<LinkProbe>);
[[nodiscard]] FileKind file_kind_of(For<LinkProbe>);

/// The environment of this process.
[[nodiscard]] std::map<std::string, std::string> own_environment();

}  // namespace rooflab::engine
