#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/record/counted_groups.hpp"
#include "rooflab/record/environment.hpp"
#include "rooflab/record/hardware_samples.hpp"
#include "rooflab/record/host_costs.hpp"
#include "rooflab/record/kernel_table.hpp"
#include "rooflab/record/modelled_step.hpp"
#include "rooflab/record/sample.hpp"
#include "rooflab/record/told.hpp"
#include "rooflab/record/trace.hpp"

namespace rooflab::record {

/// Something in an imported file that did not become part of the record, counted.
struct Loss {
  std::string what;  ///< `rows that end early`, `events without a time`
  std::int64_t count = 0;
  std::string first;  ///< where the first one is: `line 17`, `byte 40960`
};

/// Adds one to the losses of that kind.
void count_loss(std::vector<Loss>& losses, std::string_view what, std::string_view where);

[[nodiscard]] std::span<const Field> fields_of(For<Loss>);

// What was observed: one case run on one device, a command that was watched, what another tool
// recorded. Whoever reads a Record cannot tell, and must not ask, which tool made it.

/// How a case ended.
enum class Status : std::uint8_t {
  ok,
  oom,          ///< device or host memory ran out: an outcome, not a failure
  unsupported,  ///< the framework here cannot do it (an op, a precision)
  failed,       ///< the worker reported an error
  crashed,      ///< the worker died
  interrupted,  ///< the user stopped it
};
constexpr auto names_in_order(For<Status>) {
  return names_through<Status::interrupted>("ok", "oom", "unsupported", "failed", "crashed",
                                            "interrupted");
}

/// What was run.
struct CaseIdentity {
  std::string model;   ///< the user's name for it
  std::string device;  ///< `cpu`, `cuda:0`
  // A recording of another program may not tell them.
  Told<std::int64_t> batch = 1;
  Told<Phase> phase = Phase::inference;
  Told<Precision> precision = Precision::fp32;
  std::string optimizer;  ///< training only
  std::string variant;    ///< variant of a built-in model; may be empty
  std::string rewrite;    ///< `swap-relu-maxpool`; may be empty
  Told<std::string> data = "dummy";
  Told<bool> channels_last = false;
  std::string command;  ///< the command line for this one case
  std::string graph;    ///< the network in its text form (docs/formats/graph.md), before precision

  /// Nothing of these is known: the recording is of another program.
  void forget();

  friend bool operator==(const CaseIdentity&, const CaseIdentity&) = default;
};
/// `resnet18 on cuda:0, batch 8, training, tf32`.
[[nodiscard]] std::string title_of(const CaseIdentity& identity);

/// Times of whole steps. Set-up and first call are never among `steps_s`.
struct Timing {
  std::vector<double> steps_s;  ///< compute time of each timed step, in order
  double setup_s = 0.0;         ///< process start to the first call: libraries, context, weights
  double first_call_s = 0.0;    ///< the first step: algorithm choice, memory, lazy loading
  int warmup_steps = 0;         ///< after the first call, before the timed ones
  bool stable = true;           ///< the warm-up ended because times had settled
  std::string clock;            ///< `device events` or `steady clock`
  std::vector<double> data_s;  ///< per timed step: waiting for the next batch; empty for dummy data
  std::vector<double> copy_s;  ///< per timed step: moving it to the device
  /// Time the host took to issue a step's work, median, without waiting for the device. Where it
  /// reaches the step's time, the host is the bottleneck.
  std::optional<double> issue_s;
  /// Median time the device itself needed for a step when all its work was queued beforehand.
  std::optional<double> device_s;

  [[nodiscard]] std::optional<double> median_s()
      const;  ///< median of the steps; nullopt without steps
};

/// Allocator's state around one phase of a step.
struct PhaseMemory {
  std::string phase;  ///< `forward`, `loss`, `backward`, `optimizer`
  Bytes before;
  Bytes peak;
  Bytes after;
};

/// Allocated (tensors), reserved (the allocator's segments) and used by the device are three
/// numbers and never mixed.
struct MemoryUse {
  std::optional<Bytes> allocated_peak;  ///< peak of a step
  std::optional<Bytes> reserved_peak;
  std::optional<Bytes> device_used;  ///< whole device after the steps, other processes too
  std::optional<Bytes> context;      ///< device memory that the process took before any tensor
  std::optional<Bytes> saved;        ///< held after a forward pass minus before, its output kept
  std::optional<Bytes> persistent;   ///< parameters, buffers, optimizer state, input between steps
  std::optional<Bytes> resident_peak;  ///< peak of the host process
  std::vector<PhaseMemory> phases;
};

/// Time of one node of the graph, medians over the per-layer runs.
struct NodeTiming {
  std::string node;  ///< scope path; `(loss)`, `(optimizer)`, `(other)` for what has no node
  std::string op;
  double forward_s = 0.0;
  std::optional<double> backward_s;
  std::optional<double> synchronized_s;  ///< forward, waiting for the device after every op
  std::optional<std::int64_t> allocated_delta_bytes;  ///< allocated after its forward minus before
};

/// Per-layer times, from runs of their own. Their sum need not be the time of a whole step: the
/// differences are part of the record.
struct LayerTimes {
  std::vector<NodeTiming> nodes;
  int repetitions = 0;
  double sum_s = 0.0;    ///< forward and backward times of all nodes, loss and optimizer
  double whole_s = 0.0;  ///< median of the same step between the first and the last event
  /// Median of the forward pass (the step in training has no such run) with a wait after every op,
  /// by the host's clock: what people measure layer by layer.
  std::optional<double> synchronized_sum_s;
  std::optional<double> forward_whole_s;  ///< the forward pass alone, free running

  /// What lies between the ops; negative where timing each op costs more than that.
  [[nodiscard]] double between_s() const { return whole_s - sum_s; }
  [[nodiscard]] double forward_sum_s() const;
  /// What waiting after every op adds to the forward pass.
  [[nodiscard]] std::optional<double> synchronization_s() const;
  [[nodiscard]] std::int64_t waits() const;  ///< ops after which it waited
};

/// A run of one case, or of a watched command (no timing then).
struct Record {
  CaseIdentity identity;
  Status status = Status::ok;
  std::string message;  ///< why it is not ok; what was held and asked for `oom`
  Environment environment;
  std::optional<Timing> timing;
  std::optional<MemoryUse> memory;
  std::optional<double> energy_j;  ///< per step, from the device's energy counter
  std::optional<LayerTimes> layers;
  /// What issuing work cost the host of the run, measured behind its steps by their issuer.
  std::optional<HostCosts> issue_costs;
  std::vector<SampleSeries> samples;
  std::optional<KernelTable> kernels;  ///< launches with times and counters
  /// The user named a device and a precision that leave no work for tensor cores.
  bool tensor_work_ruled_out = false;
  /// What the hardware counted over time, of the whole device; empty where it was asked in vain.
  std::optional<HardwareSamples> hardware_samples;
  std::optional<CountedGroups> counted_groups;  ///< where the program has no steps
  std::optional<Counting> counting;      ///< how the kernels' counters were collected, if by us
  std::optional<ToldOps> told_ops;       ///< a profile just read has them; not in JSON
  std::optional<ModelledStep> modelled;  ///< what the ops of the step had to do, by their shapes
  std::vector<CommunicationEvent> messages;  ///< a step's, unless a trace has them
  std::optional<Trace> trace;                ///< what ran when; its kernels are in `kernels`
  std::vector<Loss> lost;                    ///< what was left out of an imported file
  std::vector<std::string> broken_data;      ///< files that could not be read, with the reason
  std::vector<Note> warnings;                ///< why the result is suspect, one sentence each
};

/// True if FLOPs of tensor cores may be missing: they were not counted and not ruled out.
[[nodiscard]] bool may_have_tensor_work(const Record& record);

[[nodiscard]] std::span<const Field> fields_of(For<CaseIdentity>);
[[nodiscard]] std::span<const Field> fields_of(For<Timing>);
[[nodiscard]] std::span<const Field> fields_of(For<PhaseMemory>);
[[nodiscard]] std::span<const Field> fields_of(For<MemoryUse>);
[[nodiscard]] std::span<const Field> fields_of(For<NodeTiming>);
[[nodiscard]] std::span<const Field> fields_of(For<LayerTimes>);
/// Those of them that are not of single nodes.
[[nodiscard]] std::span<const Field> layer_sum_fields();
[[nodiscard]] std::span<const Field> fields_of(For<Record>);
[[nodiscard]] FileKind file_kind_of(For<Record>);

}  // namespace rooflab::record
