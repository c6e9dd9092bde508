#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::record {

/// Kernels of some traced steps of one rank, from the device's own activity records.
struct RankKernels {
  double step_s = 0.0;           ///< mean time of a traced step
  double kernel_s = 0.0;         ///< sum of kernel times, a step
  double communication_s = 0.0;  ///< part of kernel_s in kernels of the communication library
  double hidden_s = 0.0;         ///< part of communication_s while another kernel ran
  double busy = 0.0;             ///< time with a kernel over time
  std::optional<double> sm_efficiency;  ///< blocks per multiprocessor, at most 1, over time
  std::optional<double> occupancy;      ///< estimated, weighted by kernel time
};

/// What one rank of a data-parallel run saw. All times in seconds.
struct RankResult {
  int rank = 0;
  std::string host;
  DeviceIdentity device;
  std::vector<double> steps_s;         ///< training steps with the exchange of gradients
  std::optional<double> alone_s;       ///< median of the same step without any exchange
  std::optional<double> exchange_s;    ///< median all-reduce of the same buckets, nothing beside
  std::optional<RankKernels> kernels;  ///< nullopt: no activity records here
  std::vector<SampleSeries> samples;   ///< while steps_s were timed
  std::optional<Bytes> allocated_peak;
  std::optional<Bytes> reserved_peak;
  std::string message;  ///< how it ended, where it failed; empty: well
};

/// Training of one network on several devices at once, each with a batch of its own, gradients
/// averaged. The slowest rank decides.
struct ScaleRun {
  CaseIdentity identity;  ///< batch is that of one rank; device the first rank's
  int ranks_wanted = 1;
  std::string backend;  ///< `nccl`, `gloo`; empty for one rank (nothing is exchanged)
  Status status = Status::ok;
  std::string message;
  Environment environment;                 ///< rank 0's
  std::vector<std::int64_t> bucket_bytes;  ///< in the order of their exchange
  std::vector<RankResult> ranks;           ///< sorted by rank; after an early end those that told
  std::vector<Note> warnings;

  [[nodiscard]] std::int64_t global_batch() const { return identity.batch * ranks_wanted; }
  /// Median step of the slowest rank; nullopt: no rank timed a step.
  [[nodiscard]] std::optional<double> step_s() const;
  [[nodiscard]] std::optional<double> samples_per_s() const;  ///< all ranks together
};

/// docs/formats/scale.md
[[nodiscard]] std::span<const Field> fields_of(For<RankKernels>);
[[nodiscard]] std::span<const Field> fields_of(For<RankResult>);
[[nodiscard]] std::span<const Field> fields_of(For<ScaleRun>);
[[nodiscard]] FileKind file_kind_of(For<ScaleRun>);

/// What one stage of a network that was cut did on its device. All times in seconds.
struct StageResult {
  std::string first;  ///< name of its first node
  std::string last;
  DeviceIdentity device;
  /// A step's work of this stage alone, all micro-batches, forward, backward and optimizer; median
  /// of steps in which every part was waited for.
  double time_s = 0.0;
  double transfer_s = 0.0;  ///< likewise: what it receives, and its gradients that come back
  Bytes received;           ///< activations from other stages, a step
  /// The device's allocator in a step; of two stages on one device both together.
  std::optional<Bytes> allocated_peak;
};

/// A network run in stages on several devices by one process.
struct StageRun {
  CaseIdentity identity;  ///< the whole network and batch; device: all, joined by commas
  std::vector<std::int64_t> cuts;
  int micro_batches = 1;
  Status status = Status::ok;
  std::string message;
  Environment environment;      ///< its device is the first stage's
  std::vector<double> steps_s;  ///< whole steps, free running, by the host's clock
  std::vector<StageResult> stages;
  std::vector<Note> warnings;
};

/// docs/formats/worker.md
[[nodiscard]] std::span<const Field> fields_of(For<StageResult>);
[[nodiscard]] std::span<const Field> fields_of(For<StageRun>);
[[nodiscard]] FileKind file_kind_of(For<StageRun>);

}  // namespace rooflab::record
