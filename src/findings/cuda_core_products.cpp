// Matrix work in FP32 on the CUDA cores of a device with tensor cores.
//
//   trace   matrix kernels whose names show neither tensor cores nor another type
//           (trace/kernel_purpose.cpp), over the time of all kernels. Worth: the time t in
//           which nothing else runs, less t * P(FP32) / P(tensor), the peaks of the device file: an
//           upper estimate, since a kernel bound by memory gains less. Unknown without a device
//           file.
//   predicted, measured   rows with matrix work of a case whose matrix work is mostly in FP32, not
//           TF32, by the path that it takes on the device. A row's time p becomes p t' / t with its
//           limit t, and t' its limit at the tensor peak:
//           t' = max(t P(FP32) / P(tensor), bytes / bandwidth). Worth: the sum of p - p t' / t,
//           an upper estimate, since tensor cores reach less of their peak.
//   counters   kernels with FP32 work whose tensor FLOPs were counted and are 0, by name matrix
//           kernels, over the time of all kernels; worth as for a trace.
//
// Source: PyTorch, "CUDA semantics", TensorFloat-32; peaks: datasheets. When it is wrong: names of
// kernels that a compiler made tell nothing; work that must stay in FP32 cannot follow the advice.

#include <algorithm>

#include "rooflab/base/precision.hpp"
#include "rules.hpp"
#include "tensor_paths.hpp"
#include "trace/kernel_purpose.hpp"

namespace rooflab::findings {

std::optional<FasterPath> faster_than_fp32(const std::optional<device::Device>& device,
                                           std::optional<double> compute_capability) {
  struct Choice {
    ArithmeticPath path;
    double capability;
    const char* name;
  };
  constexpr Choice choices[] = {{ArithmeticPath::tf32_tensor, 8.0, "TF32"},
                                {ArithmeticPath::fp16_tensor_fp32, 7.0, "FP16"}};
  for (const Choice& choice : choices) {
    if (device && !device->peaks.empty()) {
      const auto peak = device->peaks.find(choice.path);
      if (peak == device->peaks.end()) continue;
      const auto vector = device->peaks.find(ArithmeticPath::fp32_vector);
      return FasterPath{choice.name,
                        vector == device->peaks.end()
                            ? std::nullopt
                            : std::optional(peak->second.value / vector->second.value)};
    }
    if (compute_capability && *compute_capability >= choice.capability) {
      return FasterPath{choice.name, std::nullopt};
    }
  }
  return std::nullopt;
}

void add_cuda_core_products(const TraceFacts& trace, FindingList& found) {
  const double product_ns = total_ns(trace.work.cuda_core_products);
  if (trace.kernel_share(product_ns) < row_of(FindingKind::cuda_core_products).least) return;
  const std::optional<FasterPath> faster = faster_than_fp32(
      trace.imported.device, record::capability_of(trace.imported.record.environment.device));
  if (!faster) return;
  const auto worth_s = faster->ratio
                           ? std::optional(trace.work.alone(trace::LoneKind::cuda_core_product) *
                                           (1.0 - 1.0 / *faster->ratio) * seconds_per_ns)
                           : std::nullopt;
  found.add(FindingKind::cuda_core_products,
            {trace.kernel_share(product_ns), short_name(trace.work.cuda_core_products.front().name),
             faster->name},
            worth_s);
}

void add_cuda_core_products(const NetworkFacts& network, FindingList& found) {
  const analyze::CaseResult& result = network.result;
  // TF32 on a device without it is FP32 on CUDA cores, too.
  const bool on_cuda_cores = result.limit.main_path
                                 ? *result.limit.main_path == ArithmeticPath::fp32_vector
                                 : result.precision == Precision::fp32;
  if (!on_cuda_cores) return;
  const std::optional<FasterPath> faster = faster_than_fp32(result.device, std::nullopt);
  const std::optional<double> bandwidth = network.bandwidth();
  if (!faster || !faster->ratio || !bandwidth) return;
  double product_s = 0.0;
  double saved_s = 0.0;
  for (const analyze::LayerRow& row : result.layers) {
    if (row.matrix_flops.value() == 0 || !row.time || row.time->value <= 0.0) continue;
    const double time_s = network.row_s(row);
    const double faster_s =
        std::max(row.time->value / *faster->ratio, row.compulsory_bytes.as_double() / *bandwidth);
    product_s += time_s;
    saved_s += time_s * (1.0 - std::min(1.0, faster_s / row.time->value));
  }
  if (product_s / network.step_s < row_of(FindingKind::cuda_core_products).least) return;
  const bool tf32 = std::string_view(faster->name) == "TF32";
  std::string attempt = network.with("--precision", tf32 ? "tf32" : "amp");
  // The kind's own line of PyTorch switches to TF32, which this device does not have.
  if (attempt.empty() && !tf32) attempt = "with torch.autocast(\"cuda\", dtype=torch.float16): ...";
  found.add(FindingKind::cuda_core_products, {product_s / network.step_s, {}, faster->name},
            saved_s, std::move(attempt));
}

void add_cuda_core_products(const CounterFacts& counters, FindingList& found) {
  using record::KernelFigure;
  double product_s = 0.0;
  std::string longest;
  for (const analyze::KernelGroup& group : counters.imported.kernels) {
    if (!group.time_s || !trace::is_fp32_product_on_cuda_cores(group.name) ||
        group.sums.at(KernelFigure::tensor_flops) != 0.0 ||
        group.sums.at(KernelFigure::fp32_flops).value_or(0.0) <= 0.0) {
      continue;
    }
    if (longest.empty()) longest = short_name(group.name);
    product_s += *group.time_s;
  }
  if (product_s / counters.kernels_s < row_of(FindingKind::cuda_core_products).least) return;
  const std::optional<FasterPath> faster = faster_than_fp32(
      counters.imported.device, record::capability_of(counters.imported.record.environment.device));
  if (!faster) return;
  const auto worth_s =
      faster->ratio ? std::optional(product_s * (1.0 - 1.0 / *faster->ratio)) : std::nullopt;
  found.add(FindingKind::cuda_core_products,
            {product_s / counters.kernels_s, longest, faster->name}, worth_s);
}

}  // namespace rooflab::findings
