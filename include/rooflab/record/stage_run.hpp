#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::record {

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
