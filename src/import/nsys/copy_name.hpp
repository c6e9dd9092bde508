#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rooflab::import::nsys {

/// `HtoD`, from any word that Nsight Systems has for a direction: its number in the database's enum
/// (`1`), its symbol (`CUDA_MEMCPY_KIND_HTOD`), its label (`Host-to-Device`) or the short form. The
/// word itself where it is not known.
[[nodiscard]] std::string copy_direction(std::string_view word);

/// `Pageable`, from a number (`0`), a symbol (`CUDA_MEMOPR_MEMORY_KIND_PAGEABLE`) or a label; the
/// word itself where it is not known.
[[nodiscard]] std::string memory_kind(std::string_view word);

/// A copy as PyTorch's profiler calls it: `Memcpy HtoD (Pageable -> Device)`. Without both memories
/// `Memcpy HtoD`, without a direction `Memcpy`.
[[nodiscard]] std::string copy_name(std::string_view direction, std::string_view from,
                                    std::string_view to);

/// `Memset (Device)`; without a memory `Memset`.
[[nodiscard]] std::string fill_name(std::string_view memory);

}  // namespace rooflab::import::nsys
