#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/line_file.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/record/environment.hpp"

/// Measurements of a device: single ops through rooflab-torch, micro-benchmarks by rooflab-probe.
/// A worker appends a line to the results file for every measurement that it finished, so a killed
/// probe loses one of them and continues where it stopped. docs/formats/worker.md is the protocol.
namespace rooflab::engine {

/// What rooflab-torch does with the graph of one item.
enum class ProbeKind {
  op,     ///< device time and memory of its one op (phase inference) and its gradients (forward)
  chain,  ///< host time to issue its nodes, and the backward of its nodes
  optimizer,  ///< a step over the graph's parameters: device time and issue time
  call,       ///< device time of a function of the framework that no op of a graph stands for
};
constexpr auto names_in_order(For<ProbeKind>) {
  return names_through<ProbeKind::call>("op", "chain", "optimizer", "call");
}

struct ProbeItem {
  ProbeKind kind = ProbeKind::op;
  /// Text form; of an op: one node whose operands are all parameters. Of a call: its kind and its
  /// sizes, as a calibration names them, with blanks between.
  std::string graph;
  Precision precision =
      Precision::fp32;         ///< fp32 or tf32: data as in the graph; TF32 allowed or not
  bool channels_last = false;  ///< operands of rank 4
  bool gradients = false;      ///< training mode and gradients, else inference
  std::string optimizer = "sgd-momentum";
};

/// What an item of the kind `call` says in place of a graph.
struct ProbeCall {
  std::string kind;
  std::vector<double> sizes;
};
[[nodiscard]] std::string text_of(const ProbeCall& call);
/// Throws Error (input) for a size that cannot be read as a number.
[[nodiscard]] ProbeCall call_of(const ProbeItem& item);

/// Measurements of one item. Absent: not requested, or not possible (`message` says why).
struct ProbeResult {
  std::size_t item = 0;
  std::optional<double> forward_s;          ///< device time; of a chain: the host's, per node
  std::optional<double> data_gradient_s;    ///< with respect to operand 0
  std::optional<double> weight_gradient_s;  ///< with respect to operand 1
  std::optional<double> gradients_s;        ///< with respect to all; of a chain: wall time per node
  std::optional<double> optimizer_s;        ///< device time of a step
  std::optional<double> issue_s;            ///< host time of one call, a step of the optimizer
  std::optional<double> forward_peak_bytes;  ///< most allocated during the op, less before it
  std::optional<double> data_gradient_peak_bytes;
  std::optional<double> weight_gradient_peak_bytes;
  std::optional<double> gradients_peak_bytes;
  double spread = 0.0;  ///< (most - least) / median of the forward repetitions
  std::string message;  ///< why it could not be measured; empty: it was
};

struct OpProbeRequest {
  std::string device = "cuda:0";
  double budget_s = 180.0;  ///< items are measured in their order until it is used up
  /// Each repetition of an op finds in the caches what the last one left. Otherwise it finds what
  /// the op before it would leave in a network.
  bool repeats_operands = false;
  std::vector<ProbeItem> items;
};

struct OpProbeOutcome {
  record::Environment environment;
  std::vector<ProbeResult> results;
  std::optional<double> context_bytes;  ///< device memory of the process beside the allocator's
  std::optional<double> blas_workspace_forward_bytes;   ///< kept after products
  std::optional<double> blas_workspace_training_bytes;  ///< likewise, once gradients were made
  std::optional<double> event_s;         ///< between two adjacent marks; already subtracted
  std::optional<double> graph_kernel_s;  ///< the shortest kernel in a replayed CUDA graph
  std::string message;  ///< why the worker ended before it was done; empty: it was done
};

/// What rooflab-probe measures.
struct DeviceProbeRequest {
  std::string device = "cuda:0";  ///< or `cpu`
  bool quick = false;
  /// Parts of the probe: bandwidth, l2, peaks, transfers, launch, vector_addition.
  std::vector<std::string> parts;
};

struct DeviceProbeOutcome {
  std::map<std::string, std::string> environment;
  std::vector<device::MeasuredFigure> figures;
  std::vector<device::VectorAddition> vector_additions;
  std::vector<Note> notes;
  std::string message;  ///< why the worker ended before it was done; empty: it was done
};

/// Runs `WORKER probe REQUEST RESULTS`. `results` is the file that grows; what it holds already is
/// kept and not measured again. The outcome of a worker that died holds its finished items.
/// Throws Error (capability) with the worker's last words when it measured nothing at all.
[[nodiscard]] OpProbeOutcome run_op_probe(const OpProbeRequest& request,
                                          const std::filesystem::path& results,
                                          const RunOptions& options);
[[nodiscard]] DeviceProbeOutcome run_device_probe(const DeviceProbeRequest& request,
                                                  const std::filesystem::path& results,
                                                  const RunOptions& options);

/// A line of the results file of ops: one of these.
struct OpProbeLine {
  std::optional<std::string> request;  ///< the first line: the request's kind and fingerprint
  std::optional<record::Environment> environment;
  std::optional<double> event_s;
  std::optional<double> graph_kernel_s;
  std::optional<double> blas_workspace_forward_bytes;
  std::optional<double> blas_workspace_training_bytes;
  std::optional<double> context_bytes;
  std::optional<ProbeResult> result;
};

/// The same of a device. What an environment says is added to the lines before.
struct DeviceProbeLine {
  std::optional<std::string> request;
  std::optional<std::map<std::string, std::string>> environment;
  std::optional<device::MeasuredFigure> figure;
  std::optional<device::VectorAddition> vector_addition;
  std::optional<Note> note;
  std::optional<std::string> part_done;
};

[[nodiscard]] std::span<const Field> fields_of(For<ProbeItem>);
[[nodiscard]] std::span<const Field> fields_of(For<ProbeResult>);
[[nodiscard]] std::span<const Field> fields_of(For<OpProbeRequest>);
[[nodiscard]] FileKind file_kind_of(For<OpProbeRequest>);
[[nodiscard]] std::span<const Field> fields_of(For<OpProbeLine>);
[[nodiscard]] std::span<const Field> fields_of(For<DeviceProbeRequest>);
[[nodiscard]] FileKind file_kind_of(For<DeviceProbeRequest>);
[[nodiscard]] std::span<const Field> fields_of(For<DeviceProbeLine>);

/// Appends results to the file, a line each, at once.
class ProbeJournal {
 public:
  /// Reads what the file holds, which is made where it is not there; a last line that was cut off
  /// is dropped. Throws Error (system) where it cannot be written, Error (input) for a wrong line.
  explicit ProbeJournal(const std::filesystem::path& file);

  [[nodiscard]] const std::vector<Json>& lines() const { return lines_; }
  /// The lines as they are described; an error names the line.
  template <Described Line>
  [[nodiscard]] std::vector<Line> lines_as() const {
    std::vector<Line> lines;
    for (const Json& line : lines_) {
      const std::string number = std::to_string(lines.size() + 1);
      lines.push_back(from_json<Line>(line, file_.path().string() + ":" + number));
    }
    return lines;
  }
  template <Described Line>
  void append(const Line& line) {
    append(to_json(line));
  }
  /// Throws Error (system), and leaves no part of the line, where it cannot be written.
  void append(const Json& line);

 private:
  LineFile file_;
  std::vector<Json> lines_;
};

}  // namespace rooflab::engine
