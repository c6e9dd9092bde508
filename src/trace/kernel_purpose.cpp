// Purposes by parts of names.
//
//   conversion   the part, in any case, says so: cuDNN's nchwToNhwcKernel, nhwcToNchwKernel,
//                convertTensor_kernel, nhwcAddPadding; CUTLASS's and cuTENSOR's transposes
//   fp32 product a matrix kernel (gemm, fprop, dgrad, wgrad, winograd, convolve, scudnn) without a
//                sign of tensor cores (trace_tensor_cores.hpp) or of another type, without
//                depthwise kernels and those that prepare or reduce a workspace
//
// Source: names of the kernels of cuDNN 8 and 9, cuBLAS 11 to 13 and PyTorch 2 in traces of
// ResNet-18, VGG-16 and transformers. When it is wrong: kernels that a compiler named
// (`triton_poi_fused_...`) say nothing; a transpose that a model asks for counts as a conversion.

#include "kernel_purpose.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "rooflab/base/text.hpp"
#include "trace_tensor_cores.hpp"

namespace rooflab::trace {
namespace {

struct ConversionMark {
  std::string_view part;  ///< in lower case
  std::string_view name;
};
constexpr std::array conversion_marks = std::to_array<ConversionMark>({
    {"nchwtonhwc", "nchwToNhwc"},
    {"nhwctonchw", "nhwcToNchw"},
    {"nchw2nhwc", "nchwToNhwc"},
    {"nhwc2nchw", "nhwcToNchw"},
    {"converttensor", "convertTensor"},
    {"nhwcaddpadding", "nhwcAddPadding"},
    {"tensortransform", "tensorTransform"},
    {"transpose", "transpose"},
});
constexpr std::array<std::string_view, 7> product_marks = {"gemm",     "fprop",    "dgrad", "wgrad",
                                                           "winograd", "convolve", "scudnn"};
constexpr std::array<std::string_view, 12> other_marks = {
    "workspace", "reduce", "depthwise", "dgemm",  "hgemm", "igemm",
    "f64",       "double", "half",      "bfloat", "f16",   "int8"};

bool has_mark(std::string_view name, std::span<const std::string_view> marks) {
  return std::ranges::any_of(
      marks, [&](std::string_view mark) { return name.find(mark) != std::string_view::npos; });
}

}  // namespace

std::string_view layout_conversion_of(std::string_view kernel) {
  const std::string name = lowercase(kernel);
  for (const ConversionMark& mark : conversion_marks) {
    if (name.find(mark.part) == std::string::npos) continue;
    // Products say which of their operands they take transposed.
    return mark.part == "transpose" && has_mark(name, product_marks) ? "" : mark.name;
  }
  return {};
}

bool is_fp32_product_on_cuda_cores(std::string_view kernel) {
  const std::string name = lowercase(kernel);
  return has_mark(name, product_marks) && !has_mark(name, other_marks) &&
         layout_conversion_of(kernel).empty() && !uses_tensor_cores(kernel, TraceRule::ours);
}

}  // namespace rooflab::trace
