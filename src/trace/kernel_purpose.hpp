#pragma once

#include <string_view>

/// Purpose of a kernel by its name: an estimate.
namespace rooflab::trace {

/// Name for people of a kernel that only rearranges a tensor (`nchwToNhwcKernel`, a transpose):
/// `nchwToNhwc`. Empty for any other kernel.
[[nodiscard]] std::string_view layout_conversion_of(std::string_view kernel);

/// Whether a kernel multiplies fp32 matrices or convolves on the CUDA cores, without tensor cores
/// and other types.
[[nodiscard]] bool is_fp32_product_on_cuda_cores(std::string_view kernel);

}  // namespace rooflab::trace
