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

void add_copy(const Timeline& timeline, const DeviceWork& work, StepWork& sums) {
  const record::CopyEvent& copy = timeline.trace->copies[work.row];
  if (sums.pageable_copies == 0.0) sums.pageable_bytes = 0.0;
  sums.pageable_copies += 1.0;
  add_part(sums.pageable_bytes,
           copy.bytes < 0 ? std::nullopt : std::optional(static_cast<double>(copy.bytes)));
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
  StepWork result;
  result.steps = steps.steps.size();
  if (result.steps == 0) return result;
  const auto count = static_cast<double>(result.steps);
  const Moments moments = device_moments(steps);
  const Callers callers(timeline, tree);
  const std::vector<LoneWork::Kinds> named = kinds_by_name(timeline.kernels->names);
  LoneWork lone;
  std::map<std::string, double> recomputed;
  std::map<std::string, StepKernel> operators;
  for (std::size_t w = 0; w < timeline.work.size(); ++w) {
    const DeviceWork& work = timeline.work[w];
    if (!moments.has(work.start_ns)) continue;
    if (work.kind != WorkKind::kernel) {
      const bool pageable = is_pageable(timeline, work);
      if (pageable) add_copy(timeline, work, result);
      LoneWork::Kinds kinds;
      kinds[static_cast<std::size_t>(LoneKind::pageable_copy)] = pageable;
      lone.add(work.device, work.interval(), kinds);
      continue;
    }
    const auto time_ns = static_cast<double>(work.duration_ns());
    result.launches += 1.0;
    if (time_ns < StepWork::short_kernel_ns) {
      result.short_launches += 1.0;
      result.short_ns += time_ns;
    }
    const Callers::Answer caller = callers.of(w);
    StepKernel& op = operators[caller.optimizer                  ? std::string(optimizer_row)
                               : caller.op == OperatorTree::none ? std::string()
                                                                 : callers.name(caller.op)];
    op.calls += 1.0;
    op.time_ns += time_ns;
    if (caller.optimizer) {
      result.optimizer_launches += 1.0;
      result.optimizer_ns += time_ns;
    }
    if (caller.recomputed != OperatorTree::none) {
      result.recomputed_ns += time_ns;
      recomputed[callers.name(caller.recomputed)] += time_ns;
    }
    LoneWork::Kinds kinds = named[timeline.kernels->name_id(work.row)];
    kinds[static_cast<std::size_t>(LoneKind::short_kernel)] = time_ns < StepWork::short_kernel_ns;
    kinds[static_cast<std::size_t>(LoneKind::recomputed)] = caller.recomputed != OperatorTree::none;
    lone.add(work.device, work.interval(), first_of(kinds));
  }
  result.alone_ns = lone.alone_ns();
  for (double& alone : result.alone_ns) alone /= count;
  result.optimizer_wait_ns = optimizer_wait_ns(timeline, devices, steps);
  for (const auto sum :
       {&StepWork::launches, &StepWork::short_launches, &StepWork::short_ns,
        &StepWork::pageable_copies, &StepWork::recomputed_ns, &StepWork::optimizer_launches,
        &StepWork::optimizer_ns, &StepWork::optimizer_wait_ns}) {
    result.*sum /= count;
  }
  if (result.pageable_bytes) *result.pageable_bytes /= count;
  if (!recomputed.empty()) {
    result.recomputed_op = std::ranges::max_element(recomputed, {}, [](const auto& each) {
                             return each.second;
                           })->first;
  }
  for (const auto& [name, sum] : operators) {
    result.operators.push_back({name, sum.calls / count, sum.time_ns / count});
  }
  std::ranges::stable_sort(result.operators, std::greater{}, &StepKernel::time_ns);
  result.kernel_ns = static_cast<double>(kernels.total_ns) / count;
  result.kernels = kernels_of(kernels, count, [](const std::string&) { return true; });
  result.conversions = kernels_of(
      kernels, count, [](const std::string& name) { return !layout_conversion_of(name).empty(); });
  result.cuda_core_products = kernels_of(
      kernels, count, [](const std::string& name) { return is_fp32_product_on_cuda_cores(name); });
  return result;
}

}  // namespace rooflab::trace
