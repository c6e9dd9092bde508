// What ran, by names of kernels, of ranges and of calls of the runtime, and by what the record says
// itself. Sources: PyTorch writes `enumerate(DataLoader)#...`, `Optimizer.step#CLASS.step` and
// `autograd::engine::evaluate_function: ...`; Inductor names its kernels `triton_...`; fused
// optimizers are FusedAdamMathFunctor and FusedSgdMathFunctor, lists of tensors
// multi_tensor_apply_kernel. torch.optim of PyTorch 2.11 for the classes that know `fused` on CUDA
// and `foreach`.
//
// When it is wrong: names tell little of kernels that somebody else named; a program that has TF32
// on and no kernel in it looks as if it were off.

#include "evidence.hpp"

#include <algorithm>
#include <array>

#include "analyze/kernel_class.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/findings/try_line.hpp"
#include "trace/kernel_purpose.hpp"

namespace rooflab::findings {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// `sm80_xmma_fprop_implicit_gemm_tf32f32_...`, `cutlass_80_tensorop_s1688gemm_...`
bool is_in_tf32(std::string_view lower) {
  return has(lower, "tf32") || (has(lower, "tensorop_s1688") && !has(lower, "f16"));
}

struct Collectives {
  bool all_reduces = false;
  bool shards = false;
};

void see_kernel(const std::string& name, Evidence& seen, Collectives& collectives) {
  const std::string lower = lowercase(name);
  const bool convolution = analyze::work_class_of_kernel(name) == graph::WorkClass::convolution;
  // cuDNN converts for its convolutions; a transpose may be the model's own.
  const std::string_view conversion = trace::layout_conversion_of(name);
  seen.convolves |= convolution || (!conversion.empty() && conversion != "transpose");
  if (is_in_tf32(lower)) (convolution ? seen.tf32_convolutions : seen.tf32_products) = true;
  seen.compiled |= lower.starts_with("triton_");
  seen.fused_optimizer |= has(lower, "fusedadam") || has(lower, "fusedsgd");
  seen.foreach_optimizer |= has(lower, "multi_tensor_apply");
  if (!has(lower, "nccl")) return;
  collectives.all_reduces |= has(lower, "allreduce");
  collectives.shards |= has(lower, "allgather") || has(lower, "reducescatter");
}

void see_range(const std::string& name, Evidence& seen) {
  constexpr std::string_view step = "Optimizer.step#";
  seen.loads_data |= name.starts_with("enumerate(DataLoader)");
  seen.replays_graphs |= name.starts_with("cudaGraphLaunch") || name.starts_with("cuGraphLaunch");
  seen.trains |= name.starts_with("autograd::engine::");
  seen.convolves |= has(name, "convolution");
  if (!name.starts_with(step)) return;
  seen.trains = true;
  const std::string rest = name.substr(step.size());
  const std::string class_name = rest.substr(0, rest.find('.'));
  if (std::ranges::find(seen.optimizers, class_name) == seen.optimizers.end()) {
    seen.optimizers.push_back(class_name);
  }
}

}  // namespace

Evidence evidence_of(const record::Record& record) {
  Evidence seen;
  Collectives collectives;
  if (record.kernels) {
    const record::NameTable& names = record.kernels->names;
    for (record::NameTable::Id id = 0; id < names.size(); ++id) {
      see_kernel(names[id], seen, collectives);
    }
  }
  if (record.trace) {
    const record::NameTable& names = record.trace->ranges.names;
    for (record::NameTable::Id id = 0; id < names.size(); ++id) see_range(names[id], seen);
  }
  seen.averages_gradients = collectives.all_reduces && !collectives.shards;
  seen.cudnn_benchmark = record.environment.cudnn_benchmark.value_or(false);
  seen.tf32_products |= record.environment.tf32_matmul.value_or(false);
  // Who imports it says so.
  if (record.identity.precision == Precision::tf32) {
    seen.tf32_products = seen.tf32_convolutions = true;
  }
  return seen;
}

std::string optimizer_line(std::string_view class_name, bool foreach) {
  constexpr std::array<std::string_view, 3> know_fused = {"SGD", "Adam", "AdamW"};
  constexpr std::array<std::string_view, 8> know_foreach = {
      "ASGD", "Adadelta", "Adagrad", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop"};
  if (std::ranges::find(know_fused, class_name) != know_fused.end()) {
    return text_of(TryLine::fused_optimizer);
  }
  const bool may = std::ranges::find(know_foreach, class_name) != know_foreach.end();
  return may && !foreach ? text_of(TryLine::foreach_optimizer) : std::string();
}

}  // namespace rooflab::findings
