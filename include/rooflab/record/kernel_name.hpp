#pragma once

#include <string>
#include <string_view>

namespace rooflab::record {

/// A kernel's name as a label: without its return type, namespaces, arguments, and all template
/// arguments except the first type; products of cuDNN and cuBLAS are named by direction, type and
/// tile.
///
///     void at::native::(anonymous namespace)::softmax<float, 4>(float*)    softmax<float>
///     sm80_xmma_fprop_implicit_gemm_tf32f32_..._tilesize128x128x16_...     xmma_fprop tf32 128x128
///
/// Different kernels may get the same label. Names of another form are not changed.
[[nodiscard]] std::string short_kernel_name(std::string_view name);

}  // namespace rooflab::record
