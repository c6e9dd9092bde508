#pragma once

#include <string_view>

/// Words of the Trace Event Format as PyTorch's profiler uses it: used by the writer of traces and
/// by the importer (docs/formats/trace_output.md, docs/formats/kineto.md).
namespace rooflab::record::trace_event {

// Categories.
inline constexpr std::string_view op = "cpu_op";
inline constexpr std::string_view annotation = "user_annotation";
inline constexpr std::string_view device_annotation = "gpu_user_annotation";
inline constexpr std::string_view runtime = "cuda_runtime";
inline constexpr std::string_view overhead = "overhead";
inline constexpr std::string_view kernel = "kernel";
inline constexpr std::string_view memcpy = "gpu_memcpy";
inline constexpr std::string_view memset = "gpu_memset";
inline constexpr std::string_view arrow = "ac2g";  ///< from a call to the work that it launched

// Keys of `args`.
inline constexpr std::string_view external_id = "External id";
inline constexpr std::string_view correlation = "correlation";
inline constexpr std::string_view sequence = "Sequence number";
inline constexpr std::string_view device = "device";
inline constexpr std::string_view stream = "stream";
inline constexpr std::string_view registers = "registers per thread";
inline constexpr std::string_view shared_memory = "shared memory";
inline constexpr std::string_view blocks_per_sm = "blocks per SM";
inline constexpr std::string_view warps_per_sm = "warps per SM";
inline constexpr std::string_view grid = "grid";
inline constexpr std::string_view block = "block";
inline constexpr std::string_view occupancy = "est. achieved occupancy %";
inline constexpr std::string_view bytes = "bytes";

// Members of the outermost object.
inline constexpr std::string_view base_time = "baseTimeNanoseconds";
inline constexpr std::string_view devices = "deviceProperties";
inline constexpr std::string_view ranks = "distributedInfo";

/// Annotation of step number 0.
inline constexpr std::string_view first_step = "ProfilerStep#0";

}  // namespace rooflab::record::trace_event
