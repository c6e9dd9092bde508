#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "describe/fields.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/record/environment.hpp"
#include "system/line_file.hpp"

/// Measurements of a device: single ops through rooflab-torch, micro-benchmarks by rooflab-probe. A
/// worker appends a line to the results file for every finished measurement, so a killed probe
/// loses at most one and can be continued. docs/formats/worker.md is the protocol.
namespace rooflab::engine {

/// Kind of measurement that rooflab-torch makes of one item.
enum class ProbeKind {
  op,         ///< device time and memory of one op (phase inference) and its gradients (forward)
  chain,      ///< host time to issue the nodes, and their backward
  optimizer,  ///< an optimizer step over the graph's parameters: device time and issue time
  call,       ///< device time of a framework's function that is not an op of graphs
};
constexpr auto names_in_order(For<ProbeKind>) {
  return names_through<ProbeKind::call>("op", "chain", "optimizer", "call");
}

struct ProbeItem {
  ProbeKind kind = ProbeKind::op;
  /// Graph in text form; for an op one node whose operands are all parameters. For a call its kind
  /// and sizes, as a calibration names them, separated by blanks.
  std::string graph;
  Precision precision =
      Precision::fp32;         ///< fp32 or tf32: whether TF32 is allowed; data as in the graph
  bool channels_last = false;  ///< operands of rank 4
  bool gradients = false;      ///< training mode and gradients, else inference
  std::string optimizer = "sgd-momentum";
};

/// A call of a function, for an item of the kind `call`.
struct ProbeCall {
  std::string kind;
  std::vector<double> sizes;
};
[[nodiscard]] std::string text_of(const ProbeCall& call);
/// Parses the call of an item. Throws Error (input) for a size that is not a number.
[[nodiscard]] ProbeCall call_of(const ProbeItem& item);

/// Measurements of one item. nullopt: not requested, or not possible (`message` has the reason).
struct ProbeResult {
  std::size_t item = 0;
  std::optional<double> forward_s;          ///< device time; for a chain host time per node
  std::optional<double> data_gradient_s;    ///< with respect to operand 0
  std::optional<double> weight_gradient_s;  ///< with respect to operand 1
  std::optional<double> gradients_s;        ///< with respect to all; for a chain wall time per node
  std::optional<double> optimizer_s;        ///< device time of a step
  std::optional<double> issue_s;            ///< host time of one call or optimizer step
  std::optional<double> forward_peak_bytes;  ///< peak allocated in the op minus that before it
  std::optional<double> data_gradient_peak_bytes;
  std::optional<double> weight_gradient_peak_bytes;
  std::optional<double> gradients_peak_bytes;
  double spread = 0.0;  ///< (longest - shortest) / median of the forward repetitions
  std::string message;  ///< why it could not be measured; empty: no failure
};

struct OpProbeRequest {
  std::string device = "cuda:0";
  double budget_s = 180.0;  ///< items are measured in their order until this is used up
  /// Whether each repetition of an op finds the caches as the last repetition left them. If false,
  /// it finds them as the previous op in a network would leave them.
  bool repeats_operands = false;
  std::vector<ProbeItem> items;
};

struct OpProbeOutcome {
  record::Environment environment;
  std::vector<ProbeResult> results;
  std::optional<double> context_bytes;                  ///< process memory outside the allocator
  std::optional<double> blas_workspace_forward_bytes;   ///< kept after products
  std::optional<double> blas_workspace_training_bytes;  ///< kept after gradients
  std::optional<double> event_s;         ///< between two adjacent marks; already subtracted
  std::optional<double> graph_kernel_s;  ///< the shortest kernel in a replayed CUDA graph
  std::string message;                   ///< why the worker ended early; empty: it did not
};

/// Request to rooflab-probe.
struct DeviceProbeRequest {
  std::string device = "cuda:0";  ///< `cuda:N` or `cpu`
  bool quick = false;
  /// Parts of the probe: bandwidth, l2, peaks, transfers, launch, vector_addition.
  std::vector<std::string> parts;
};

struct DeviceProbeOutcome {
  std::map<std::string, std::string> environment;
  std::vector<device::MeasuredFigure> figures;
  std::vector<device::VectorAddition> vector_additions;
  std::vector<Note> notes;
  std::string message;  ///< why the worker ended early; empty: it did not
};

/// Runs `WORKER probe REQUEST RESULTS`. `results` is the growing file of results; earlier results
/// in it are kept and not measured again. If the worker dies, the outcome has its finished items.
/// Throws Error (capability) with the worker's last message when it measured nothing.
[[nodiscard]] OpProbeOutcome run_op_probe(const OpProbeRequest& request,
                                          const std::filesystem::path& results,
                                          const RunOptions& options);
[[nodiscard]] DeviceProbeOutcome run_device_probe(const DeviceProbeRequest& request,
                                                  const std::filesystem::path& results,
                                                  const RunOptions& options);

/// A line of the results file of ops, with one of these members.
struct OpProbeLine {
  std::optional<std::string> request;  ///< first line: kind and fingerprint of the request
  std::optional<record::Environment> environment;
  std::optional<double> event_s;
  std::optional<double> graph_kernel_s;
  std::optional<double> blas_workspace_forward_bytes;
  std::optional<double> blas_workspace_training_bytes;
  std::optional<double> context_bytes;
  std::optional<ProbeResult> result;
};

/// A line of the results file of a device, with one of these members. Environments of several lines
/// are joined.
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

/// Appends results to a file at once, one line each.
class ProbeJournal {
 public:
  /// Reads the lines of the file, which is made if it is missing; an incomplete last line is
  /// dropped. Throws Error (system) where it cannot be written, Error (input) for a wrong line.
  explicit ProbeJournal(const std::filesystem::path& file);

  [[nodiscard]] const std::vector<Json>& lines() const { return lines_; }
  /// Decodes the lines; an error names the line.
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
