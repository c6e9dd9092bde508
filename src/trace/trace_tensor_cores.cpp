// Tensor cores by the kernel's name: any of these parts, case as written.
//
//   plugin   18 names of kernels up to Ampere (first of PyProf). It misses what Hopper's and
//            Blackwell's libraries are called, cuDNN's
//            `sm80_xmma_fprop_implicit_gemm_...tensor16x8x8`, and every attention kernel; it takes
//            `xmma_gemm_..._ffma_` for a tensor-core kernel.
//   ours     the plugin's, and: nvjet (cuBLAS 12.8 and later), tensorop, MmaTensorOp, gmma and
//            wgmma (CUTLASS), warpgroupsize (cuDNN and cuBLAS on Hopper: warp groups exist for
//            wgmma), tensor16x8 (cuDNN on Ampere and later), tcgen05 and utc*mma (Blackwell's
//            instructions), imma, dmma, qmma, flash, fmha. A name that says ffma, simt or
//            sgemm_largek does its arithmetic on the CUDA cores, whatever else it says.
//
// Of the 44 kernel names of a ResNet-18 step in TF32 on an H200, ours tells the 7 that the counters
// saw on tensor cores from the others without a fault, the plugin's finds none of the 7 and takes
// one other (tests/unit/analyze/trace_tensor_cores_test.cpp).
//
// Sources: torch_tb_profiler, profiler/tensor_core.py; PTX ISA, "Tensor core instructions".
//
// When it is wrong: kernels that a compiler named (`triton_poi_fused_...`, Mojo, JIT) say nothing
// and count as not using them; the small kernels around attention (`flash_bwd_dot_do_o`) count as
// using them. Only counters know (Nsight Compute's sm__ops_path_tensor_*).

#include "trace_tensor_cores.hpp"

#include <algorithm>
#include <span>

namespace rooflab::trace {
namespace {

constexpr std::string_view plugin_parts[] = {"h884",
                                             "s884",
                                             "h1688",
                                             "s1688",
                                             "hmma",
                                             "i8816",
                                             "16816",
                                             "dgrad_1x1_stride_2x2",
                                             "first_layer_wgrad_kernel",
                                             "conv1x1",
                                             "conv2d_c1_k1",
                                             "direct_group",
                                             "xmma_implicit_gemm",
                                             "xmma_sparse_conv",
                                             "xmma_warp_specialized_implicit_gemm",
                                             "xmma_gemm",
                                             "xmma_sparse_gemm",
                                             "c1688"};
constexpr std::string_view further_parts[] = {
    "nvjet",   "tensorop", "MmaTensorOp", "gmma",    "warpgroupsize", "tensor16x8",
    "tcgen05", "utcmma",   "utchmma",     "utcqmma", "utcimma",       "imma",
    "dmma",    "qmma",     "flash",       "fmha"};
constexpr std::string_view cuda_core_parts[] = {"ffma", "simt", "sgemm_largek"};

bool has_any(std::string_view name, std::span<const std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

}  // namespace

bool uses_tensor_cores(std::string_view kernel, TraceRule rule) {
  const bool listed = has_any(kernel, plugin_parts);
  if (rule == TraceRule::plugin) return listed;
  return (listed || has_any(kernel, further_parts)) && !has_any(kernel, cuda_core_parts);
}

}  // namespace rooflab::trace
