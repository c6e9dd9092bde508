// What a step does, by what a reader could change. Work belongs to the step in whose window it
// begins; every figure is the sum over the steps that count over their number.
//
//   conversions, products   by names (kernel_purpose.hpp)
//   optimizer               kernels launched below an `Optimizer.step` annotation
//   its wait                |no kernel, copy or communication, and host in `Optimizer.step`|, on
//                           the device that waits least
//   recomputed              kernels launched below a node of the backward pass
//                           (`autograd::engine::evaluate_function: ...`) by an op that only a
//                           forward pass calls (aten::conv2d, aten::linear, ...), or by anything
//                           below a CheckpointFunctionBackward, its own nodes of the backward pass
//                           apart. Source: torch/utils/checkpoint.py, which runs the forward pass
//                           again inside that function (reentrant), or in the hook that unpacks a
//                           saved tensor.
//
// When it is wrong: kernels without the op that launched them do not count as an
// optimizer's or as recomputed; a backward pass written in Python that calls aten::linear counts as
// recomputation.

#include "rooflab/trace/step_work.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>

#include "kernel_purpose.hpp"
#include "lone_work.hpp"
#include "trace_panes.hpp"

namespace rooflab::trace {
namespace {

/// What an op's name says of who calls it.
struct OpTraits {
  bool backward_node = false;
  bool checkpoint = false;
  bool forward_only = false;  ///< no formula of a gradient calls it
};

OpTraits op_traits_of(std::string_view name) {
  static constexpr std::array<std::string_view, 20> forward_only = {
      "aten::conv1d",     "aten::conv2d",     "aten::conv3d",
      "aten::linear",     "aten::batch_norm", "aten::layer_norm",
      "aten::group_norm", "aten::relu",       "aten::relu_",
      "aten::gelu",       "aten::silu",       "aten::silu_",
      "aten::hardtanh_",  "aten::dropout",    "aten::scaled_dot_product_attention",
      "aten::softmax",    "aten::max_pool2d", "aten::adaptive_avg_pool2d",
      "aten::avg_pool2d", "aten::embedding"};
  OpTraits traits;
  traits.backward_node = name.starts_with("autograd::engine::evaluate_function: ");
  traits.checkpoint = name.find("CheckpointFunctionBackward") != std::string_view::npos;
  traits.forward_only = std::ranges::find(forward_only, name) != forward_only.end();
  return traits;
}

constexpr std::string_view optimizer_row = "(optimizer)";

/// What the ops above a piece of work say of it.
class Callers {
 public:
  Callers(const Timeline& timeline, const OperatorTree& tree)
      : timeline_(timeline),
        tree_(tree),
        ops_(of_names<OpTraits>(timeline.trace->ranges.names, op_traits_of)) {}

  struct Answer {
    OperatorTree::Node op = OperatorTree::none;  ///< innermost
    bool optimizer = false;
    OperatorTree::Node recomputed = OperatorTree::none;  ///< outermost op that ran again
  };
  [[nodiscard]] Answer of(std::size_t work) const {
    Answer answer;
    OperatorTree::Node forward = OperatorTree::none;
    OperatorTree::Node outermost = OperatorTree::none;
    bool backward_seen = false;
    answer.op = tree_.of_work(work);
    for (OperatorTree::Node node = answer.op; node != OperatorTree::none;
         node = tree_.parent(node)) {
      const std::uint32_t range = tree_.range(node);
      if (timeline_.traits_at(range).optimizer_step) answer.optimizer = true;
      if (backward_seen) continue;
      const OpTraits& traits = ops_[timeline_.trace->ranges.name[range]];
      if (traits.checkpoint) {
        answer.recomputed = outermost;
        backward_seen = true;
      } else if (traits.backward_node) {
        answer.recomputed = forward;
        backward_seen = true;
      }
      outermost = node;
      if (traits.forward_only) forward = node;
    }
    return answer;
  }
  [[nodiscard]] const std::string& name(OperatorTree::Node node) const {
    const record::RangeTable& ranges = timeline_.trace->ranges;
    return ranges.names[ranges.name[tree_.range(node)]];
  }

 private:
  const Timeline& timeline_;
  const OperatorTree& tree_;
  std::vector<OpTraits> ops_;
};

/// Kernels of the mean step whose names are `kept`, the longest first.
std::vector<StepKernel> kernels_of(const TraceKernels& kernels, double steps,
                                   bool (*kept)(const std::string&)) {
  std::vector<StepKernel> result;
  for (const KernelRow& row : kernels.rows) {
    if (!kept(row.name)) continue;
    result.push_back({row.name, static_cast<double>(row.calls) / steps,
                      static_cast<double>(row.total_ns) / steps});
  }
  return result;
}

/// Whether a copy goes from pageable memory of the host to a device.
bool is_pageable(const Timeline& timeline, const DeviceWork& work) {
  if (work.kind != WorkKind::memcpy) return false;
  const record::CopyEvent& copy = timeline.trace->copies[work.row];
  if (copy.name >= timeline.trace->copy_names.size()) return false;  // it has no name
  const std::string& name = timeline.trace->copy_names[copy.name];
  return name.find("HtoD") != std::string::npos && name.find("Pageable") != std::string::npos;
}

/// What a kernel's name says, for each name.
std::vector<LoneWork::Kinds> kinds_by_name(const record::NameTable& names) {
  return of_names<LoneWork::Kinds>(names, [](const std::string& name) {
    LoneWork::Kinds kinds;
    const auto set = [&kinds](LoneKind kind, bool is) {
      kinds[static_cast<std::size_t>(kind)] = is;
    };
    set(LoneKind::conversion, !layout_conversion_of(name).empty());
    set(LoneKind::cuda_core_product, is_fp32_product_on_cuda_cores(name));
    return kinds;
  });
}

/// A kernel is one cost, whatever could end it: of several kinds it has the most particular.
LoneWork::Kinds first_of(LoneWork::Kinds kinds) {
  for (const LoneKind kind : {LoneKind::conversion, LoneKind::recomputed,
                              LoneKind::cuda_core_product, LoneKind::short_kernel}) {
    if (!kinds[static_cast<std::size_t>(kind)]) continue;
    LoneWork::Kinds one;
    one[static_cast<std::size_t>(kind)] = true;
    return one;
  }
  return kinds;
}

/// Sums over the work of all steps.
class StepSums {
 public:
  StepSums(const Timeline& timeline, const OperatorTree& tree)
      : timeline_(timeline),
        callers_(timeline, tree),
        kinds_of_name_(kinds_by_name(timeline.kernels->names)) {}

  void add(std::size_t w) {
    const DeviceWork& work = timeline_.work[w];
    if (work.kind == WorkKind::kernel) {
      add_kernel(work, callers_.of(w));
    } else {
      add_copy(work);
    }
  }
  /// The sums over the number of steps.
  [[nodiscard]] StepWork mean(double steps) const;

 private:
  void add_copy(const DeviceWork& work);
  void add_kernel(const DeviceWork& work, const Callers::Answer& caller);
  [[nodiscard]] std::string row_of(const Callers::Answer& caller) const {
    if (caller.optimizer) return std::string(optimizer_row);
    return caller.op == OperatorTree::none ? std::string() : callers_.name(caller.op);
  }

  const Timeline& timeline_;
  Callers callers_;
  std::vector<LoneWork::Kinds> kinds_of_name_;
  StepWork sums_;
  LoneWork lone_;
  std::map<std::string, double> recomputed_ns_;
  std::map<std::string, StepKernel> operators_;
};

void StepSums::add_copy(const DeviceWork& work) {
  const bool pageable = is_pageable(timeline_, work);
  LoneWork::Kinds kinds;
  kinds[static_cast<std::size_t>(LoneKind::pageable_copy)] = pageable;
  lone_.add(work.device, work.interval(), kinds);
  if (!pageable) return;
  const record::CopyEvent& copy = timeline_.trace->copies[work.row];
  if (sums_.pageable_copies == 0.0) sums_.pageable_bytes = 0.0;
  sums_.pageable_copies += 1.0;
  add_part(sums_.pageable_bytes,
           copy.bytes < 0 ? std::nullopt : std::optional(static_cast<double>(copy.bytes)));
}

void StepSums::add_kernel(const DeviceWork& work, const Callers::Answer& caller) {
  const auto time_ns = static_cast<double>(work.duration_ns());
  const bool is_short = time_ns < StepWork::short_kernel_ns;
  const bool again = caller.recomputed != OperatorTree::none;
  sums_.launches += 1.0;
  if (is_short) {
    sums_.short_launches += 1.0;
    sums_.short_ns += time_ns;
  }
  StepKernel& op = operators_[row_of(caller)];
  op.calls += 1.0;
  op.time_ns += time_ns;
  if (caller.optimizer) {
    sums_.optimizer_launches += 1.0;
    sums_.optimizer_ns += time_ns;
  }
  if (again) {
    sums_.recomputed_ns += time_ns;
    recomputed_ns_[callers_.name(caller.recomputed)] += time_ns;
  }
  LoneWork::Kinds kinds = kinds_of_name_[timeline_.kernels->name_id(work.row)];
  kinds[static_cast<std::size_t>(LoneKind::short_kernel)] = is_short;
  kinds[static_cast<std::size_t>(LoneKind::recomputed)] = again;
  lone_.add(work.device, work.interval(), first_of(kinds));
}

StepWork StepSums::mean(double steps) const {
  StepWork mean = sums_;
  mean.alone_ns = lone_.alone_ns();
  for (double& alone : mean.alone_ns) alone /= steps;
  for (const auto sum : {&StepWork::launches, &StepWork::short_launches, &StepWork::short_ns,
                         &StepWork::pageable_copies, &StepWork::recomputed_ns,
                         &StepWork::optimizer_launches, &StepWork::optimizer_ns}) {
    mean.*sum /= steps;
  }
  if (mean.pageable_bytes) *mean.pageable_bytes /= steps;
  if (!recomputed_ns_.empty()) {
    mean.recomputed_op = std::ranges::max_element(recomputed_ns_, {}, [](const auto& each) {
                           return each.second;
                         })->first;
  }
  for (const auto& [name, sum] : operators_) {
    mean.operators.push_back({name, sum.calls / steps, sum.time_ns / steps});
  }
  std::ranges::stable_sort(mean.operators, std::greater{}, &StepKernel::time_ns);
  return mean;
}

/// Time in which a device is idle and an optimizer runs on the host; of several devices the least.
double optimizer_wait_ns(const Timeline& timeline, std::span<const DeviceRoles> devices,
                         const StepWindows& steps) {
  std::vector<TimeInterval> optimizers;
  for (const std::uint32_t range : timeline.by_start) {
    if (timeline.traits_at(range).optimizer_step &&
        timeline.trace->ranges.kind[range] != record::RangeKind::device_annotation) {
      optimizers.push_back(timeline.range(range));
    }
  }
  const IntervalSet stepping =
      intersection_of(union_of(std::move(optimizers)), union_of(steps.windows()));
  std::optional<double> least;
  for (const auto& [device, roles] : devices) {
    IntervalSet idle = stepping;
    for (const StepRole role :
         {StepRole::kernel, StepRole::memcpy, StepRole::memset, StepRole::communication}) {
      idle = difference_of(idle, roles[static_cast<std::size_t>(role)]);
    }
    const auto idle_ns = static_cast<double>(total_ns(idle));
    least = std::min(least.value_or(idle_ns), idle_ns);
  }
  return least.value_or(0.0);
}

}  // namespace

double total_ns(const std::vector<StepKernel>& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [](double sum, const StepKernel& kernel) { return sum + kernel.time_ns; });
}

StepWork step_work(const Timeline& timeline, const OperatorTree& tree,
                   std::span<const DeviceRoles> devices, const StepWindows& steps,
                   const TraceKernels& kernels) {
  if (steps.steps.empty()) return {};
  const auto count = static_cast<double>(steps.steps.size());
  const Moments moments = device_moments(steps);
  StepSums sums(timeline, tree);
  for (std::size_t w = 0; w < timeline.work.size(); ++w) {
    if (moments.has(timeline.work[w].start_ns)) sums.add(w);
  }
  StepWork result = sums.mean(count);
  result.steps = steps.steps.size();
  result.optimizer_wait_ns = optimizer_wait_ns(timeline, devices, steps) / count;
  result.kernel_ns = static_cast<double>(kernels.total_ns) / count;
  result.kernels = kernels_of(kernels, count, [](const std::string&) { return true; });
  result.conversions = kernels_of(
      kernels, count, [](const std::string& name) { return !layout_conversion_of(name).empty(); });
  result.cuda_core_products = kernels_of(
      kernels, count, [](const std::string& name) { return is_fp32_product_on_cuda_cores(name); });
  return result;
}

}  // namespace rooflab::trace
