#pragma once

#include <string_view>

/// What a kernel is for, as far as its name tells: an estimate.
namespace rooflab::trace {

/// Only rearranges a tensor: `nchwToNhwcKernel`, a transpose. Empty for any other kernel, else what
/// it does, for people: `nchwToNhwc`.
[[nodiscard]] std::string_view layout_conversion_of(std::string_view kernel);

/// Multiplies fp32 matrices, or convolves, on the CUDA cores: no tensor core, no other type.
[[nodiscard]] bool is_fp32_product_on_cuda_cores(std::string_view kernel);

}  // namespace rooflab::trace
