// Matrix work in FP32 on the CUDA cores of a device with tensor cores.
//
//   trace   matrix kernels whose names show neither tensor cores nor another type
//           (trace/kernel_purpose.cpp), over the time of all kernels. Worth: their time t less
//           t * P(FP32) / P(tensor), the peaks of the device file: an upper estimate, since a kernel
//           bound by memory gains less. Unknown without a device file.
//
// Source: PyTorch, "CUDA semantics", TensorFloat-32; peaks: datasheets. When it is wrong: names of
// kernels that a compiler made tell nothing; work that must stay in FP32 cannot follow the advice.

#include "rooflab/base/precision.hpp"
#include "rules.hpp"
#include "tensor_paths.hpp"

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
      return FasterPath{choice.name, vector == device->peaks.end()
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
  const std::optional<FasterPath> faster =
      faster_than_fp32(trace.imported.device,
                       record::capability_of(trace.imported.record.environment.device));
  if (!faster) return;
  const auto worth_s = faster->ratio
                           ? std::optional(product_ns * (1.0 - 1.0 / *faster->ratio) * seconds_per_ns)
                           : std::nullopt;
  found.add(FindingKind::cuda_core_products,
            {trace.kernel_share(product_ns),
             short_name(trace.work.cuda_core_products.front().name), faster->name},
            worth_s);
}

}  // namespace rooflab::findings
