#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::record {

/// Kernels of some traced steps of one rank, from the device's own activity records.
struct RankKernels {
  double step_s = 0.0;           ///< mean time of a traced step
  double kernel_s = 0.0;         ///< sum of kernel times per step
  double communication_s = 0.0;  ///< part of kernel_s in kernels of the communication library
  double hidden_s = 0.0;         ///< part of communication_s while another kernel ran
  double busy = 0.0;             ///< share of the time in which a kernel runs
  std::optional<double> sm_efficiency = {};  ///< blocks per multiprocessor, at most 1, over time
  std::optional<double> occupancy = {};      ///< estimated, weighted by kernel time
};

/// Measurements of one rank of a data-parallel run. All times in seconds.
struct RankResult {
  int rank = 0;
  std::string host = {};
  DeviceIdentity device = {};
  std::vector<double> steps_s = {};         ///< training steps with the exchange of gradients
  std::optional<double> alone_s = {};       ///< median step without any exchange
  std::optional<double> exchange_s = {};    ///< median all-reduce of the buckets, running alone
  std::optional<RankKernels> kernels = {};  ///< nullopt: no activity records
  std::vector<SampleSeries> samples = {};   ///< samples taken while steps_s were timed
  std::optional<Bytes> allocated_peak = {};
  std::optional<Bytes> reserved_peak = {};
  std::string message = {};  ///< how the rank failed; empty: it did not
};

/// Training of one network on several devices at once, each with a separate batch; gradients are
/// averaged. The slowest rank determines the step.
struct ScaleRun {
  CaseIdentity identity = {};  ///< batch of one rank, device of the first rank
  int ranks_wanted = 1;
  std::string backend = {};  ///< `nccl`, `gloo`; empty for one rank (nothing is exchanged)
  Status status = Status::ok;
  std::string message = {};
  Environment environment = {};                 ///< environment of rank 0
  std::vector<std::int64_t> bucket_bytes = {};  ///< in the order of their exchange
  std::vector<RankResult> ranks = {};           ///< sorted; after an early end those that reported
  std::vector<Note> warnings = {};

  [[nodiscard]] std::int64_t global_batch() const { return identity.batch * ranks_wanted; }
  /// Median step of the slowest rank; nullopt: no rank timed a step.
  [[nodiscard]] std::optional<double> step_s() const;
  [[nodiscard]] std::optional<double> samples_per_s() const;  ///< all ranks together
};

/// Fields in JSON, described in docs/formats/scale.md.
[[nodiscard]] std::span<const Field> fields_of(For<RankKernels>);
[[nodiscard]] std::span<const Field> fields_of(For<RankResult>);
[[nodiscard]] std::span<const Field> fields_of(For<ScaleRun>);
[[nodiscard]] FileKind file_kind_of(For<ScaleRun>);

/// Measurements of one stage of a cut network on its device. All times in seconds.
struct StageResult {
  std::string first = {};  ///< name of its first node
  std::string last = {};
  DeviceIdentity device = {};
  /// Work of this stage alone per step: all micro-batches, forward, backward and optimizer. Median
  /// of steps that wait after every part.
  double time_s = 0.0;
  double transfer_s = 0.0;  ///< per step: data received, and gradients that come back
  Bytes received = {};      ///< activations from other stages per step
  /// Peak of the device's allocator in a step; stages on one device count together.
  std::optional<Bytes> allocated_peak = {};
};

/// A network run in stages on several devices by one process.
struct StageRun {
  CaseIdentity identity = {};  ///< whole network and batch; all devices, joined by commas
  std::vector<std::int64_t> cuts = {};
  int micro_batches = 1;
  Status status = Status::ok;
  std::string message = {};
  Environment environment = {};      ///< environment with the first stage's device
  std::vector<double> steps_s = {};  ///< whole steps without waits, by the host's clock
  std::vector<StageResult> stages = {};
  std::vector<Note> warnings = {};
};

/// Fields in JSON, described in docs/formats/worker.md.
[[nodiscard]] std::span<const Field> fields_of(For<StageResult>);
[[nodiscard]] std::span<const Field> fields_of(For<StageRun>);
[[nodiscard]] FileKind file_kind_of(For<StageRun>);

}  // namespace rooflab::record
