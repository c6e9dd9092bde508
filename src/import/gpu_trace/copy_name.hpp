#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rooflab::import {

/// Converts a tool's words for a direction to `HtoD`, ...: Nsight Systems' number (`1`), symbol
/// (`CUDA_MEMCPY_KIND_HTOD`) or label (`Host-to-Device`), or the short form. An unknown word is
/// returned unchanged.
[[nodiscard]] std::string copy_direction(std::string_view word);

/// Converts a number (`0`), a symbol (`CUDA_MEMOPR_MEMORY_KIND_PAGEABLE`) or a label to a kind of
/// memory: `Pageable`. An unknown word is returned unchanged.
[[nodiscard]] std::string memory_kind(std::string_view word);

/// Name of a copy in PyTorch's profiler: `Memcpy HtoD (Pageable -> Device)`. Without both memories
/// `Memcpy HtoD`, without a direction `Memcpy`.
[[nodiscard]] std::string copy_name(std::string_view direction, std::string_view from,
                                    std::string_view to);

/// Name of a fill: `Memset (Device)`; without a memory `Memset`.
[[nodiscard]] std::string fill_name(std::string_view memory);

}  // namespace rooflab::import
