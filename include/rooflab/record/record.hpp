#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/describe/note.hpp"
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

/// Number of parts of one kind in an imported file that could not be used.
struct Loss {
  std::string what = {};  ///< `rows that end early`, `events without a time`
  std::int64_t count = 0;
  std::string first = {};  ///< place of the first one: `line 17`, `byte 40960`
};

/// Adds one to the losses of kind `what`.
void count_loss(std::vector<Loss>& losses, std::string_view what, std::string_view where);

[[nodiscard]] std::span<const Field> fields_of(For<Loss>);

// An observation: one case run on one device, a watched command, or a recording of another tool. A
// Record does not depend on the tool that made it.

/// Outcome of a case.
enum class Status : std::uint8_t {
  ok,
  oom,          ///< out of device or host memory: an outcome, not a failure
  unsupported,  ///< the installed framework does not support an op or a precision
  failed,       ///< the worker reported an error
  crashed,      ///< the worker died
  interrupted,  ///< the user stopped it
};
constexpr auto names_in_order(For<Status>) {
  return names_through<Status::interrupted>("ok", "oom", "unsupported", "failed", "crashed",
                                            "interrupted");
}

/// The worker that runs cases where nobody chose another.
inline constexpr std::string_view usual_worker = "rooflab-torch";

/// Identity of the case that was run.
struct CaseIdentity {
  std::string model = {};   ///< the user's name for it
  std::string device = {};  ///< `cpu`, `cuda:0`
  // Recordings of other programs may not have these.
  Told<std::int64_t> batch = 1;
  Told<Phase> phase = Phase::inference;
  Told<Precision> precision = Precision::fp32;
  std::string optimizer = {};  ///< training only
  std::string variant = {};    ///< variant of a built-in model; may be empty
  std::string rewrite = {};    ///< `swap-relu-maxpool`; may be empty
  Told<std::string> data = "dummy";
  Told<bool> channels_last = false;
  /// Worker that ran it: `rooflab-torch`. nullopt: none did, or the file does not say.
  std::optional<std::string> worker = {};
  std::string command = {};  ///< the command line for this one case
  /// The network in its text form (docs/formats/graph.md), before precision
  std::string graph = {};

  /// Marks these as unknown, for a recording of another program.
  void forget();
  /// The worker's name where it is not the usual one; else empty.
  [[nodiscard]] std::string other_worker() const;

  friend bool operator==(const CaseIdentity&, const CaseIdentity&) = default;
};
/// Title of a case: `resnet18 on cuda:0, batch 8, training, tf32`.
[[nodiscard]] std::string title_of(const CaseIdentity& identity);

/// Times of whole steps. Set-up and first call are never among `steps_s`.
struct Timing {
  std::vector<double> steps_s = {};  ///< compute time of each timed step, in order
  double setup_s = 0.0;       ///< process start to the first call: libraries, context, weights
  double first_call_s = 0.0;  ///< the first step: algorithm choice, memory, lazy loading
  int warmup_steps = 0;       ///< after the first call, before the timed ones
  bool stable = true;         ///< the warm-up ended because times had settled
  std::string clock = {};     ///< `device events` or `steady clock`
  /// Per timed step: waiting for the next batch; empty for dummy data
  std::vector<double> data_s = {};
  std::vector<double> copy_s = {};  ///< per timed step: moving the batch to the device
  /// Time the host took to issue a step's work, median, without waiting for the device. Where it
  /// reaches the step's time, the host is the bottleneck.
  std::optional<double> issue_s = {};
  /// Median time the device itself needed for a step when all its work was queued beforehand.
  std::optional<double> device_s = {};

  [[nodiscard]] std::optional<double> median_s()
      const;  ///< median of the steps; nullopt without steps
};

/// State of the allocator around one phase of a step.
struct PhaseMemory {
  std::string phase = {};  ///< `forward`, `loss`, `backward`, `optimizer`
  Bytes before = {};
  Bytes peak = {};
  Bytes after = {};
};

/// Memory of a run. Memory allocated (tensors), reserved (segments of the allocator) and used on
/// the device are separate numbers.
struct MemoryUse {
  std::optional<Bytes> allocated_peak = {};  ///< peak of a step
  std::optional<Bytes> reserved_peak = {};
  std::optional<Bytes> device_used = {};  ///< whole device after the steps, other processes too
  std::optional<Bytes> context = {};      ///< device memory that the process took before any tensor
  std::optional<Bytes> saved = {};        ///< growth over a forward pass whose output is kept
  /// Parameters, buffers, optimizer state, input between steps
  std::optional<Bytes> persistent = {};
  std::optional<Bytes> resident_peak = {};  ///< peak of the host process
  std::vector<PhaseMemory> phases = {};
};

/// Time of one node of the graph, medians over the per-layer runs.
struct NodeTiming {
  std::string node = {};  ///< scope path, or `(loss)`, `(optimizer)`, `(other)`
  std::string op = {};
  double forward_s = 0.0;
  std::optional<double> backward_s = {};
  std::optional<double> synchronized_s = {};  ///< forward, waiting for the device after every op
  std::optional<std::int64_t> allocated_delta_bytes = {};  ///< growth over its forward pass
};

/// Per-layer times from separate runs. Their sum may differ from the time of a whole step; the
/// record has both.
struct LayerTimes {
  std::vector<NodeTiming> nodes = {};
  int repetitions = 0;
  double sum_s = 0.0;    ///< forward and backward times of all nodes, loss and optimizer
  double whole_s = 0.0;  ///< median of the step between its first and last event
  /// Median of the forward pass with a wait after every op, by the host's clock, as in manual
  /// measurements layer by layer. Whole training steps have no such run.
  std::optional<double> synchronized_sum_s = {};
  std::optional<double> forward_whole_s = {};  ///< forward pass alone without waits

  /// Time between the ops; negative where timing each op costs more.
  [[nodiscard]] double between_s() const { return whole_s - sum_s; }
  [[nodiscard]] double forward_sum_s() const;
  /// Time that waiting after every op adds to the forward pass.
  [[nodiscard]] std::optional<double> synchronization_s() const;
  [[nodiscard]] std::int64_t waits() const;  ///< number of ops after which the run waited
};

/// A run of one case, or of a watched command (no timing then).
struct Record {
  CaseIdentity identity = {};
  Status status = Status::ok;
  std::string message = {};  ///< why the status is not ok; for `oom` memory held and requested
  Environment environment = {};
  std::optional<Timing> timing = {};
  std::optional<MemoryUse> memory = {};
  std::optional<double> energy_j = {};  ///< per step, from the device's energy counter
  std::optional<LayerTimes> layers = {};
  /// Host cost of issuing work, measured after the steps by their issuer.
  std::optional<HostCosts> issue_costs = {};
  std::vector<SampleSeries> samples = {};
  std::optional<KernelTable> kernels = {};  ///< launches with times and counters
  /// Whether tensor-core work is ruled out by the device and precision that the user named.
  bool tensor_work_ruled_out = false;
  /// Hardware counters of the whole device over time; without rows if sampling failed.
  std::optional<HardwareSamples> hardware_samples = {};
  std::optional<CountedGroups> counted_groups = {};  ///< for programs without steps
  std::optional<Counting> counting = {};          ///< how Rooflab collected the kernels' counters
  std::optional<ToldOps> told_ops = {};           ///< a profile just read has them; not in JSON
  std::optional<ModelledStep> modelled = {};      ///< work of the step's ops by their shapes
  std::vector<CommunicationEvent> messages = {};  ///< messages of a step, unless a trace has them
  std::optional<Trace> trace = {};            ///< events over time; the kernels are in `kernels`
  std::vector<Loss> lost = {};                ///< parts of an imported file that could not be used
  std::vector<std::string> broken_data = {};  ///< files that could not be read, with the reason
  std::vector<Note> warnings = {};            ///< why the result is suspect, one sentence each
};

/// Whether FLOPs of tensor cores may be missing: they were not counted and not ruled out.
[[nodiscard]] bool may_have_tensor_work(const Record& record);

[[nodiscard]] std::span<const Field> fields_of(For<CaseIdentity>);
[[nodiscard]] std::span<const Field> fields_of(For<Timing>);
[[nodiscard]] std::span<const Field> fields_of(For<PhaseMemory>);
[[nodiscard]] std::span<const Field> fields_of(For<MemoryUse>);
[[nodiscard]] std::span<const Field> fields_of(For<NodeTiming>);
[[nodiscard]] std::span<const Field> fields_of(For<LayerTimes>);
/// Fields of layer times that are not about single nodes.
[[nodiscard]] std::span<const Field> layer_sum_fields();
[[nodiscard]] std::span<const Field> fields_of(For<Record>);
[[nodiscard]] FileKind file_kind_of(For<Record>);

}  // namespace rooflab::record
