#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
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

}  // namespace rooflab::record
