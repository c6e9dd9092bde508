#pragma once

#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/record/scale_run.hpp"

/// Networks run in stages on several devices, by one worker process. docs/formats/worker.md is the
/// protocol.
namespace rooflab::engine {

/// A network, its cuts (graph::stages_of) and the device of each stage.
struct StageRequest {
  /// Case of the whole network and batch. `settings.iterations` steps are timed; a memory limit
  /// holds for each device; `outputs` gets the losses of three training steps, or the outputs.
  Case request;
  std::vector<graph::NodeId> cuts;
  std::vector<std::string> devices;  ///< one per stage: `cuda:0`, `cuda:1`; `cpu`, `cpu`
  int micro_batches = 1;             ///< run all forward, then all backward (GPipe)
  int warmup_steps = 5;
};

/// Runs `WORKER stages REQUEST RESULT` and waits. Never throws for failures of the worker: one
/// that dies or runs out of memory gives a run with that status.
[[nodiscard]] record::StageRun run_stages(const StageRequest& request, const RunOptions& options);

[[nodiscard]] std::span<const Field> fields_of(For<StageRequest>);
[[nodiscard]] FileKind file_kind_of(For<StageRequest>);

}  // namespace rooflab::engine
