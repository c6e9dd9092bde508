// What ran, by names of ops and kernels and by the shapes and types of arguments, of the steps
// where steps are marked.
//
//   training    an op of a backward pass, an `Optimizer.step`, or a kernel whose name says so
//               (dgrad, wgrad, bwd, backward)
//   inference   none of these, and ops launched most of the kernels' time; on a CPU, none of these,
//               and ops of PyTorch
//   batch       extent 0 of what convolutions take; else of the indices of embeddings, of what
//               linear layers take of rank 3 or more, of batch norms, of linear layers of rank 2.
//               The first of these that the trace has, where all calls agree
//   precision   types of the operands of products: float is TF32 where a kernel's name says tf32;
//               16-bit types are autocast where float tensors are cast again and again
//   optimizer   `Optimizer.step#SGD.step`; SGD has momentum where its step multiplies
//
// Source: names of torch/optim/optimizer.py (_RecordFunction), torch/optim/sgd.py (buf.mul_),
// torch/csrc/autograd (evaluate_function). When it is wrong: a program that computes gradients by
// kernels with other names; a network whose images become several rows each (patches, boxes) before
// its first convolution.

#include "rooflab/analyze/recorded_case.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooflab/base/json.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"
#include "trace/trace_timeline.hpp"

namespace rooflab::analyze {
namespace {

using record::NameTable;
using record::RangeKind;

bool has_part(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

bool is_of_backward_pass(std::string_view op) {
  return has_part(op, "autograd::engine::evaluate_function") || op.ends_with("_backward") ||
         has_part(op, "Backward");
}

bool is_backward_kernel(std::string_view kernel) {
  static constexpr std::array<std::string_view, 6> parts = {"dgrad", "wgrad",    "_bwd",
                                                            "bwd_",  "backward", "Backward"};
  return std::ranges::any_of(parts, [&](std::string_view part) { return has_part(kernel, part); });
}

/// Which argument of an op has the batch, and how sure that is: the lesser the surer.
struct BatchPlace {
  std::size_t argument = 0;
  int doubt = 0;
  std::size_t least_rank = 1;
  bool rank_of_next = false;  ///< it has the rank of the argument behind it, a kernel
};

std::vector<BatchPlace> batch_places(std::string_view op) {
  enum Doubt : int { convolution, embedding, sequence, norm, rows };
  for (const std::string_view name : {"aten::conv1d", "aten::conv2d", "aten::conv3d",
                                      "aten::convolution", "aten::cudnn_convolution"}) {
    if (op == name) return {{0, convolution, 3, true}};
  }
  if (op == "aten::embedding") return {{1, embedding, 2}};
  if (op == "aten::linear") return {{0, sequence, 3}, {0, rows, 2}};
  if (op == "aten::addmm") return {{1, rows, 2}};
  if (op == "aten::batch_norm") return {{0, norm, 2}};
  return {};
}

/// Sizes of an argument that is a tensor, else empty.
std::vector<std::int64_t> sizes_of(const Json& shapes, std::size_t argument) {
  std::vector<std::int64_t> sizes;
  if (!shapes.is_array() || argument >= shapes.size() || !shapes[argument].is_array()) return {};
  for (const Json& size : shapes[argument]) {
    if (!size.is_number_integer()) return {};
    sizes.push_back(size.get<std::int64_t>());
  }
  return sizes;
}

/// What an op's name says.
struct OpFacts {
  bool backward = false;
  bool of_pytorch = false;
  bool casts = false;
  std::vector<BatchPlace> batch;
};

OpFacts op_facts_of(std::string_view op) {
  return {is_of_backward_pass(op), op.starts_with("aten::"), op == "aten::_to_copy",
          batch_places(op)};
}

/// Goes through the ranges once.
class CaseReader {
 public:
  CaseReader(const record::Trace& trace, const trace::TraceAnalysis& analysis)
      : ranges_(trace.ranges),
        analysis_(analysis),
        ops_(trace::of_names<OpFacts>(trace.ranges.names, op_facts_of)) {}

  RecordedCase read() {
    find_moments();
    for (std::size_t row = 0; row < ranges_.size(); ++row) {
      if (ranges_.kind[row] == RangeKind::op && is_in_step(row)) take_op(row);
    }
    RecordedCase found;
    found.phase = phase();
    found.batch = batch();
    found.precision = precision();
    found.optimizer = optimizer();
    return found;
  }

 private:
  [[nodiscard]] TimeInterval interval(std::size_t row) const {
    return {ranges_.start_ns[row], ranges_.start_ns[row] + ranges_.duration_ns[row]};
  }
  [[nodiscard]] std::string_view name(std::size_t row) const {
    return ranges_.names[ranges_.name[row]];
  }
  [[nodiscard]] static bool holds(const IntervalSet& set, std::int64_t time_ns) {
    const auto after = std::ranges::upper_bound(set, time_ns, {}, &TimeInterval::start_ns);
    return after != set.begin() && time_ns < std::prev(after)->end_ns;
  }

  void find_moments() {
    std::vector<TimeInterval> steps;
    if (analysis_.ours.steps.marked) {
      for (const trace::StepWindow& step : analysis_.ours.steps.steps) steps.push_back(step.marked);
    }
    steps_ = union_of(std::move(steps));
    constexpr std::string_view step = "Optimizer.step#";
    std::map<NameTable::Id, std::vector<TimeInterval>> by_thread;
    for (std::size_t row = 0; row < ranges_.size(); ++row) {
      if (ranges_.kind[row] == RangeKind::device_annotation || !name(row).starts_with(step))
        continue;
      if (!is_in_step(row)) continue;
      std::string_view of = name(row).substr(step.size());
      optimizers_.insert(lowercase(of.substr(0, of.find('.'))));
      by_thread[ranges_.thread[row]].push_back(interval(row));
    }
    for (auto& [thread, intervals] : by_thread) {
      optimizer_steps_[thread] = union_of(std::move(intervals));
    }
  }

  [[nodiscard]] bool is_in_step(std::size_t row) const {
    return steps_.empty() || holds(steps_, ranges_.start_ns[row]);
  }

  void take_op(std::size_t row) {
    const OpFacts& op = ops_[ranges_.name[row]];
    backward_ = backward_ || op.backward;
    forward_ = forward_ || op.of_pytorch;
    if (const auto steps = optimizer_steps_.find(ranges_.thread[row]);
        steps != optimizer_steps_.end() && holds(steps->second, ranges_.start_ns[row])) {
      in_optimizer_.emplace(name(row));
    }
    if ((op.batch.empty() && !op.casts) || ranges_.argument[row] == 0) return;
    const auto [found, is_new] = arguments_.try_emplace(ranges_.argument[row]);
    if (is_new) found->second = split(ranges_.arguments[ranges_.argument[row]], '\n');
    const std::vector<std::string>& lines = found->second;
    const Json shapes = Json::parse_if_valid(lines.front()).value_or(nullptr);
    for (const BatchPlace& place : op.batch) {
      const std::vector<std::int64_t> sizes = sizes_of(shapes, place.argument);
      if (sizes.size() < place.least_rank || sizes.empty()) continue;
      if (place.rank_of_next && sizes_of(shapes, place.argument + 1).size() != sizes.size())
        continue;
      batches_[place.doubt].insert(sizes.front());
      break;
    }
    if (op.casts && lines.size() > 1 && sizes_of(shapes, 0).size() > 1 &&
        lines[1].starts_with(R"(["float")")) {
      ++casts_;
    }
  }

  [[nodiscard]] std::optional<Phase> phase() const {
    if (backward_ || !optimizers_.empty()) return Phase::training;
    double known_ns = 0.0;
    for (const trace::StepKernel& op : analysis_.work.operators) {
      if (!op.name.empty()) known_ns += op.time_ns;
    }
    if (analysis_.work.kernel_ns <= 0.0) {  // of a CPU
      return forward_ ? std::optional(Phase::inference) : std::nullopt;
    }
    constexpr double most = 0.5;
    return known_ns > most * analysis_.work.kernel_ns ? std::optional(Phase::inference)
                                                      : std::nullopt;
  }

  [[nodiscard]] std::optional<std::int64_t> batch() const {
    if (batches_.empty()) return std::nullopt;
    std::set<std::int64_t> values = batches_.begin()->second;
    if (values.size() > 1) values.erase(1);  // positions, masks: the same for every sample
    return values.size() == 1 ? std::optional(*values.begin()) : std::nullopt;
  }

  [[nodiscard]] bool has_tf32() const {
    return std::ranges::any_of(analysis_.step_tables.kernels.rows,
                               [](const auto& kernel) { return has_part(kernel.name, "tf32"); });
  }

  [[nodiscard]] std::optional<Precision> precision() const {
    std::set<DType> types;
    for (const trace::ModelledOperator& op : analysis_.step_tables.modelled_operators) {
      types.insert(op.types.begin(), op.types.end());
    }
    constexpr int autocast = 2;  // a batch of images is cast once in other programs
    if (types.contains(DType::f16))
      return casts_ >= autocast ? Precision::amp_fp16 : Precision::fp16;
    if (types.contains(DType::bf16)) {
      return casts_ >= autocast ? Precision::amp_bf16 : Precision::bf16;
    }
    if (has_tf32()) return Precision::tf32;
    if (types.contains(DType::f32)) return Precision::fp32;
    if (types.contains(DType::f64)) return Precision::fp64;
    return std::nullopt;
  }

  [[nodiscard]] std::optional<schedule::Optimizer> optimizer() const {
    if (optimizers_.size() != 1) return std::nullopt;
    const std::string& name = *optimizers_.begin();
    if (name == "adam" || name == "adamw") return schedule::Optimizer::adam;
    if (name != "sgd" || in_optimizer_.empty()) return std::nullopt;
    const auto has = [&](std::string_view op) { return in_optimizer_.contains(std::string(op)); };
    if (has("aten::_fused_sgd_")) return std::nullopt;
    return has("aten::_foreach_mul_") || has("aten::mul_") ? schedule::Optimizer::sgd_momentum
                                                           : schedule::Optimizer::sgd;
  }

  const record::RangeTable& ranges_;
  const trace::TraceAnalysis& analysis_;
  std::vector<OpFacts> ops_;  ///< a row for each name
  IntervalSet steps_;
  std::map<NameTable::Id, IntervalSet> optimizer_steps_;  ///< keys: threads
  std::set<std::string> optimizers_;
  std::set<std::string> in_optimizer_;  ///< ops
  bool backward_ = false;
  bool forward_ = false;
  std::map<int, std::set<std::int64_t>> batches_;  ///< keys: doubt
  std::map<NameTable::Id, std::vector<std::string>> arguments_;
  int casts_ = 0;
};

}  // namespace

RecordedCase recorded_case_of(const record::Record& record, const trace::TraceAnalysis* trace) {
  RecordedCase found;
  if (trace != nullptr && record.trace) found = CaseReader(*record.trace, *trace).read();
  if (found.phase == Phase::training || !record.kernels) return found;
  const NameTable& kernels = record.kernels->names;
  for (NameTable::Id id = 0; id < kernels.size(); ++id) {
    if (is_backward_kernel(kernels[id])) found.phase = Phase::training;
  }
  return found;
}

bool may_be_of(Precision shown, Precision asked) {
  if (shown == asked) return true;
  const auto type_of = [](Precision precision) -> std::optional<DType> {
    switch (precision) {
      case Precision::fp16:
      case Precision::amp_fp16:
        return DType::f16;
      case Precision::bf16:
      case Precision::amp_bf16:
        return DType::bf16;
      case Precision::amp:
      case Precision::fp64:
      case Precision::fp32:
      case Precision::tf32:
      case Precision::fp8:
      case Precision::int8:
      case Precision::mixed:
        return std::nullopt;
    }
    return std::nullopt;
  };
  if (shown == Precision::fp32) return asked == Precision::tf32;
  const std::optional<DType> type = type_of(shown);
  return type && (asked == Precision::amp || type_of(asked) == type);
}

}  // namespace rooflab::analyze
