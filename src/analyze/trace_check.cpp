// The time of a trace by class of ops, compared with limit and prediction of the network that ran.
//
// Kernels belong to the op that launched them (trace/step_work.cpp), and ops have a class by parts
// of their names: `aten::convolution_backward` is a convolution, `aten::threshold_backward` and
// `aten::clamp_min_` are a ReLU's. The network's rows have the class of their op. Times of kernels
// are sums; the device's idle time is in none of them and belongs to the step.
//
// When it is wrong: an op that the framework fused, or that a compiler named, is `other`; the sum
// of the gradients of a fork is elementwise here and belongs to the fork's op in the model.

#include "rooflab/analyze/trace_check.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "describe/field_table.hpp"
#include "row_classes.hpp"

namespace rooflab::analyze {
namespace {

struct OperatorPart {
  std::string_view part;
  OpClass op_class;
};
/// The first part that a name has decides.
constexpr std::array operator_parts = std::to_array<OperatorPart>({
    {"(optimizer)", OpClass::optimizer},
    {"attention", OpClass::attention},
    {"conv", OpClass::convolution},
    {"lstm", OpClass::recurrent},
    {"gru", OpClass::recurrent},
    {"rnn", OpClass::recurrent},
    {"norm", OpClass::normalisation},
    {"nll_loss", OpClass::loss},
    {"_loss", OpClass::loss},
    {"log_softmax", OpClass::loss},
    {"mm", OpClass::matmul},
    {"matmul", OpClass::matmul},
    {"linear", OpClass::matmul},
    {"pool", OpClass::pooling},
    {"mean", OpClass::pooling},
    {"relu", OpClass::activation},
    {"threshold", OpClass::activation},
    {"clamp_min", OpClass::activation},
    {"hardtanh", OpClass::activation},
    {"gelu", OpClass::activation},
    {"silu", OpClass::activation},
    {"sigmoid", OpClass::activation},
    {"tanh", OpClass::activation},
    {"softmax", OpClass::activation},
    {"dropout", OpClass::elementwise},
    {"::add", OpClass::elementwise},
    {"::mul", OpClass::elementwise},
    {"::sub", OpClass::elementwise},
    {"::div", OpClass::elementwise},
    {"::cat", OpClass::copy},
    {"copy_", OpClass::copy},
    {"embedding", OpClass::copy},
    {"index", OpClass::copy},
    {"::pad", OpClass::copy},
});

void add(std::optional<double>& sum, const std::optional<Seconds>& part) {
  if (part) sum = sum.value_or(0.0) + part->value;
}

}  // namespace

OpClass op_class_of_operator(std::string_view name) {
  for (const OperatorPart& each : operator_parts) {
    if (name.find(each.part) != std::string_view::npos) return each.op_class;
  }
  return OpClass::other;
}

TraceCheck check_trace(const trace::StepWork& work, double step_s, const graph::Graph& network,
                       const CaseResult& model) {
  constexpr double seconds_per_ns = 1e-9;
  TraceCheck check;
  check.step_s = step_s;
  if (model.limit.time) check.limit_s = model.limit.time->value;
  if (const auto time = model.predicted_time()) check.predicted_s = time->value;
  check.measured_device = model.predicted_from() == measured_itself;
  if (model.has_interval()) {
    check.predicted_low_s = model.prediction->low.value;
    check.predicted_high_s = model.prediction->high.value;
  }
  std::map<OpClass, ClassCheck> by_class;
  const auto at = [&by_class](OpClass op_class) -> ClassCheck& {
    ClassCheck& found = by_class[op_class];
    found.op_class = op_class;
    return found;
  };
  double known_ns = 0.0;
  for (const trace::StepKernel& op : work.operators) {
    const OpClass op_class = op_class_of_operator(op.name);
    at(op_class).time_s += op.time_ns * seconds_per_ns;
    if (op_class != OpClass::other) known_ns += op.time_ns;
  }
  check.kernel_share = work.kernel_ns > 0.0 ? known_ns / work.kernel_ns : 0.0;
  const RowClasses classes(&network);
  for (const LayerRow& row : model.layers) {
    if (!row.time && !row.predicted) continue;
    if (row.name == gaps_row) continue;  // kernels are compared
    ClassCheck& of_class = at(classes.of(row.name));
    add(of_class.limit_s, row.time);
    add(of_class.predicted_s, row.predicted);
  }
  for (const auto& [op_class, each] : by_class) check.classes.push_back(each);
  std::ranges::stable_sort(check.classes, std::greater{}, &ClassCheck::time_s);
  return check;
}

std::optional<Misfit> TraceCheck::misfit() const {
  // A profiler only slows a step: one that is much shorter than nine of ten is another one.
  constexpr double far_below = 0.8;
  constexpr double of_kernels = 0.1;
  constexpr double of_limit = 0.05;
  constexpr double nearly_all = 0.9;  // a compiler's kernels are of no class
  using graph::WorkClass;
  if (limit_s && step_s < *limit_s) return Misfit{Misfit::Reason::below_limit, WorkClass::other};
  if (measured_device && !assumes && predicted_low_s && step_s < far_below * *predicted_low_s) {
    return Misfit{Misfit::Reason::below_interval, WorkClass::other};
  }
  if (kernel_share < nearly_all || !limit_s) return std::nullopt;
  struct Times {
    double kernels_s = 0.0;
    std::optional<double> limit_s;
  };
  std::map<WorkClass, Times> by_class;
  double kernels_s = 0.0;
  for (const ClassCheck& each : classes) {
    Times& its = by_class[graph::work_class_of(each.op_class)];
    its.kernels_s += each.time_s;
    if (each.limit_s) its.limit_s = its.limit_s.value_or(0.0) + *each.limit_s;
    kernels_s += each.time_s;
  }
  for (const WorkClass each :
       {WorkClass::convolution, WorkClass::product, WorkClass::normalisation}) {
    const Times& its = by_class[each];
    if (!its.limit_s && its.kernels_s > of_kernels * kernels_s) {
      return Misfit{Misfit::Reason::kernels_alone, each};
    }
    if (its.kernels_s == 0.0 && its.limit_s.value_or(0.0) > of_limit * *limit_s) {
      return Misfit{Misfit::Reason::network_alone, each};
    }
  }
  return std::nullopt;
}

std::span<const Field> fields_of(For<ClassCheck>) {
  static constexpr auto fields = members<&ClassCheck::op_class, &ClassCheck::time_s,
                                         &ClassCheck::limit_s, &ClassCheck::predicted_s>;
  return fields;
}

std::span<const Field> fields_of(For<TraceCheck>) {
  static constexpr auto fields = field_table(
      field<&TraceCheck::network>("checked_network"),
      members<&TraceCheck::step_s, &TraceCheck::limit_s, &TraceCheck::predicted_s,
              &TraceCheck::predicted_low_s, &TraceCheck::predicted_high_s,
              &TraceCheck::kernel_share>,
      field<&TraceCheck::passes>("passes_check"), field<&TraceCheck::classes>("op_classes"));
  return fields;
}

}  // namespace rooflab::analyze
