// Names of kernels tell the types of their operands, each library in its own way:
//
//   cuBLAS, cuDNN (xmma)   sm90_xmma_gemm_f32f32_tf32f32_f32_..., ..._bf16bf16_bf16f32_f32_...
//   cuBLAS (nvjet)         nvjet_sm90_tst_..., first of three letters: h fp16, t bf16, s tf32,
//                          d fp64, q and o fp8
//   CUTLASS                cutlass_tensorop_bf16_s16816..., s1688 is tf32 where no type is named;
//                          cutlass::half_t, cutlass::bfloat16_t, cutlass::tfloat32_t
//   others                 __half, __nv_bfloat16, e4m3
//
// A type too many costs a pass over the kernels, one too few a set of its own.

#include "counting_plan.hpp"

#include <algorithm>
#include <array>

#include "record/counter_metric.hpp"

namespace rooflab::profile {
namespace {

using record::KernelFigure;

bool holds(std::string_view name, std::string_view text) {
  return name.find(text) != std::string_view::npos;
}

/// `text` with no letter `b` before it: f16, but not bf16.
bool holds_not_after_b(std::string_view name, std::string_view text) {
  for (std::size_t at = name.find(text); at != std::string_view::npos;
       at = name.find(text, at + 1)) {
    if (at == 0 || name[at - 1] != 'b') return true;
  }
  return false;
}

/// `t` of nvjet_sm90_tst_...; 0 for other kernels.
char nvjet_type(std::string_view name) {
  constexpr std::string_view prefix = "nvjet_";
  const std::size_t at = name.find(prefix);
  if (at == std::string_view::npos) return 0;
  name.remove_prefix(at + prefix.size());
  if (name.starts_with("sm")) name.remove_prefix(std::min(name.find('_') + 1, name.size()));
  return name.empty() ? '\0' : name.front();
}

struct Guess {
  bool tf32 = false;
  bool bf16 = false;
  bool fp16 = false;
  bool fp64 = false;
  bool fp8 = false;
};

void guess(std::string_view name, Guess& types) {
  const char nvjet = nvjet_type(name);
  const bool bf16 = holds(name, "bf16") || holds(name, "bfloat16") || nvjet == 't';
  const bool fp16 = holds_not_after_b(name, "f16") || holds(name, "half") ||
                    holds(name, "h16816") || holds(name, "h1688") || holds(name, "h884") ||
                    nvjet == 'h';
  types.bf16 |= bf16;
  types.fp16 |= fp16;
  types.tf32 |= holds(name, "tf32") || holds(name, "tfloat32") || nvjet == 's' ||
                (holds(name, "s1688") && !bf16 && !fp16);
  types.fp64 |=
      holds(name, "f64f64") || holds(name, "d884") || holds(name, "d1688") || nvjet == 'd';
  types.fp8 |= holds(name, "e4m3") || holds(name, "e5m2") || holds(name, "fp8") ||
               holds(name, "float8") || nvjet == 'q' || nvjet == 'o';
}

/// All floating-point types that the chip's tensor cores have metrics for.
std::vector<KernelFigure> types_of(std::string_view chip) {
  std::vector<KernelFigure> types;
  for (const std::string_view metric : record::tensor_metrics_of(chip)) {
    if (const auto figure = record::tensor_figure_of(metric)) types.push_back(*figure);
  }
  return types;
}

bool contains(std::span<const KernelFigure> types, KernelFigure type) {
  return std::ranges::find(types, type) != types.end();
}

}  // namespace

std::vector<KernelFigure> likely_tensor_types(std::span<const std::string> kernel_names) {
  Guess found;
  for (const std::string& name : kernel_names) guess(name, found);
  std::vector<KernelFigure> types;
  using enum KernelFigure;
  if (found.fp64) types.push_back(tensor_fp64);
  if (found.tf32) types.push_back(tensor_tf32);
  if (found.bf16) types.push_back(tensor_bf16);
  if (found.fp16) types.insert(types.end(), {tensor_fp16, tensor_fp16_fp16});
  if (found.fp16 || found.bf16 || found.tf32) types.push_back(tensor_fp16_bf16_tf32);
  if (found.fp8) types.insert(types.end(), {tensor_fp8, tensor_fp4});
  return types;
}

CountingPlan::CountingPlan(std::string chip, const MetricsExist& exist, bool kernels,
                           std::span<const std::string> kernel_names)
    : chip_(std::move(chip)),
      exist_(exist),
      kernels_(kernels),
      stage_(kernels ? Stage::kernels : Stage::totals),
      types_(likely_tensor_types(kernel_names)) {}

CountingPlan::Set CountingPlan::kernels_with(std::span<const KernelFigure> types) const {
  std::vector<KernelFigure> absent;
  for (const KernelFigure type : types_of(chip_)) {
    if (!contains(types, type)) absent.push_back(type);
  }
  return {kernel_metrics(chip_, exist_, absent), true};
}

std::optional<CountingPlan::Set> CountingPlan::next() {
  switch (stage_) {
    case Stage::kernels:
      stage_ = Stage::totals;
      return kernels_with(types_);
    case Stage::totals:
      stage_ = Stage::rest;
      return Set{totals_metrics(chip_, exist_, true), false};
    case Stage::rest:
      stage_ = Stage::apart;
      if (kernels_ && !missed_.empty()) return kernels_with(missed_);
      [[fallthrough]];
    case Stage::apart:
      stage_ = Stage::done;
      if (MetricList apart = apart_metrics(chip_, exist_); !apart.metrics.empty()) {
        return Set{std::move(apart), false};
      }
      break;
    case Stage::done:
      break;
  }
  return std::nullopt;
}

void CountingPlan::totals_are(std::span<const std::string> metrics,
                              std::span<const double> values) {
  for (std::size_t i = 0; i < metrics.size() && i < values.size(); ++i) {
    const auto type = record::tensor_figure_of(metrics[i]);
    if (type && values[i] > 0.0 && !contains(types_, *type) && !contains(missed_, *type)) {
      missed_.push_back(*type);
    }
  }
}

}  // namespace rooflab::profile
