// Names of kernels of cuDNN 8 and 9, cuBLAS 11 to 13, CUTLASS and PyTorch 2, in lower case; the
// first part that a name has decides, behind conversions of layout, which cuDNN names by the
// convolution that they are for. When it is wrong: a convolution that cuDNN runs as a plain
// product (`cutlass_..._gemm` of a 1x1 convolution) counts as a matrix product; what a compiler
// named (`triton_poi_fused_...`) is element-wise unless the name says more.

#include "kernel_class.hpp"

#include <array>

#include "rooflab/base/text.hpp"
#include "trace/kernel_purpose.hpp"

namespace rooflab::analyze {

using graph::WorkClass;

WorkClass work_class_of_kernel(std::string_view name) {
  struct Part {
    std::string_view part;
    WorkClass work_class;
  };
  constexpr std::array parts = std::to_array<Part>({
      {"multi_tensor", WorkClass::other},  // optimizers
      {"adam", WorkClass::other},
      {"nll_loss", WorkClass::other},
      {"cross_entropy", WorkClass::other},
      {"nccl", WorkClass::other},
      {"convert", WorkClass::copy},
      {"fprop", WorkClass::convolution},
      {"dgrad", WorkClass::convolution},
      {"wgrad", WorkClass::convolution},
      {"winograd", WorkClass::convolution},
      {"implicit", WorkClass::convolution},
      {"scudnn", WorkClass::convolution},
      {"conv", WorkClass::convolution},
      {"attention", WorkClass::product},
      {"flash", WorkClass::product},
      {"fmha", WorkClass::product},
      {"gemm", WorkClass::product},
      {"gemv", WorkClass::product},
      {"splitk", WorkClass::product},
      {"matmul", WorkClass::product},
      {"linear", WorkClass::product},
      {"rnn", WorkClass::product},
      {"lstm", WorkClass::product},
      {"gru_", WorkClass::product},
      {"bn_", WorkClass::normalisation},
      {"norm", WorkClass::normalisation},
      {"catarray", WorkClass::copy},
      {"copy", WorkClass::copy},
      {"memcpy", WorkClass::copy},
      {"memset", WorkClass::copy},
      {"fillfunctor", WorkClass::copy},
      {"gather", WorkClass::copy},
      {"scatter", WorkClass::copy},
      {"index", WorkClass::copy},
      {"embedding", WorkClass::copy},
      {"elementwise", WorkClass::elementwise},
      {"softmax", WorkClass::elementwise},
      {"pool", WorkClass::elementwise},
      {"reduce", WorkClass::elementwise},
      {"dropout", WorkClass::elementwise},
      {"relu", WorkClass::elementwise},
      {"gelu", WorkClass::elementwise},
      {"pointwise", WorkClass::elementwise},
      {"triton_", WorkClass::elementwise},
  });
  if (!trace::layout_conversion_of(name).empty()) return WorkClass::copy;
  const std::string lower = lowercase(name);
  for (const Part& each : parts) {
    if (lower.find(each.part) != std::string::npos) return each.work_class;
  }
  return WorkClass::other;
}

}  // namespace rooflab::analyze
