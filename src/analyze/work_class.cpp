// A kernel's class by parts of its name, in any case. Conversions of layout come first, because
// cuDNN names them by the convolution that they are for; then convolutions, because many are
// implicit matrix products by their names; copies before element-wise kernels, of which PyTorch
// makes them.
//
// When it is wrong: a kernel that a compiler fused (`triton_poi_fused_...`) is element-wise or
// `other`, whatever it computes.

#include "work_class.hpp"

#include <array>
#include <string>

#include "rooflab/base/text.hpp"
#include "trace/kernel_purpose.hpp"

namespace rooflab::analyze {
namespace {

struct KernelPart {
  std::string_view part;  ///< in lower case
  WorkClass work_class;
};
/// The first part that a name has decides.
constexpr std::array kernel_parts = std::to_array<KernelPart>({
    {"fprop", WorkClass::convolution},
    {"dgrad", WorkClass::convolution},
    {"wgrad", WorkClass::convolution},
    {"winograd", WorkClass::convolution},
    {"conv", WorkClass::convolution},
    {"scudnn", WorkClass::convolution},
    {"gemm", WorkClass::product},
    {"gemv", WorkClass::product},
    {"splitk", WorkClass::product},
    {"matmul", WorkClass::product},
    {"linear", WorkClass::product},
    {"flash", WorkClass::product},
    {"fmha", WorkClass::product},
    {"attention", WorkClass::product},
    {"lstm", WorkClass::product},
    {"gru_", WorkClass::product},
    {"norm", WorkClass::normalisation},
    {"bn_", WorkClass::normalisation},
    {"batchnorm", WorkClass::normalisation},
    {"copy", WorkClass::copy},
    {"memcpy", WorkClass::copy},
    {"memset", WorkClass::copy},
    {"fillfunctor", WorkClass::copy},
    {"elementwise", WorkClass::elementwise},
    {"multi_tensor", WorkClass::elementwise},
    {"pointwise", WorkClass::elementwise},
    {"triton_poi", WorkClass::elementwise},
    {"dropout", WorkClass::elementwise},
    {"relu", WorkClass::elementwise},
    {"gelu", WorkClass::elementwise},
    {"optimizer", WorkClass::elementwise},
});

}  // namespace

WorkClass work_class_of(graph::OpClass op_class) {
  using graph::OpClass;
  switch (op_class) {
    case OpClass::convolution:
      return WorkClass::convolution;
    case OpClass::matmul:
    case OpClass::attention:
    case OpClass::recurrent:
      return WorkClass::product;
    case OpClass::normalisation:
      return WorkClass::normalisation;
    case OpClass::activation:
    case OpClass::elementwise:
    case OpClass::optimizer:
      return WorkClass::elementwise;
    case OpClass::copy:
      return WorkClass::copy;
    case OpClass::pooling:
    case OpClass::loss:
    case OpClass::other:
      return WorkClass::other;
  }
  return WorkClass::other;
}

WorkClass work_class_of_kernel(std::string_view name) {
  if (!trace::layout_conversion_of(name).empty()) return WorkClass::copy;
  const std::string lower = lowercase(name);
  for (const KernelPart& each : kernel_parts) {
    if (lower.find(each.part) != std::string::npos) return each.work_class;
  }
  return WorkClass::other;
}

}  // namespace rooflab::analyze
