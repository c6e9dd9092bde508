#pragma once

#include <cstddef>
#include <cstdint>

/// Bounds on the content of a file. They keep every product of extents and attributes within 64
/// bits and the work within a multiple of the file's size; real networks are orders of magnitude
/// smaller.
namespace rooflab::onnx {

/// Integer constants up to this many elements are read where an op needs their values (indices).
inline constexpr std::size_t max_read_integers = 65536;

/// Constants up to this many elements are read and computed with (target shapes, axes, scales,
/// index ranges); of larger ones only the type is known.
inline constexpr std::size_t max_folded_elements = 4096;

/// Largest number of elements to compute, for all constants together, where the caller requests the
/// values of folded constants.
inline constexpr std::size_t max_computed_elements = std::size_t{1} << 26;

/// Largest number of elements that a plain import reads and computes: biases, scales, and masks (a
/// stored one of 4,096 queries and keys, or one of 2,048 made by four ops).
inline constexpr std::size_t max_inspected_elements = std::size_t{1} << 24;

inline constexpr std::size_t max_rank = 32;
inline constexpr std::int64_t max_extent = std::int64_t{1} << 40;
inline constexpr std::int64_t max_elements = std::int64_t{1} << 50;

/// Largest kernel, stride, padding, dilation and number of groups.
inline constexpr std::int64_t max_window_attribute = std::int64_t{1} << 20;

/// Deepest nesting of function calls and branches.
inline constexpr int max_nesting = 64;

/// Largest number of nodes with every function call expanded.
inline constexpr std::int64_t max_expanded_nodes = 1 << 18;

}  // namespace rooflab::onnx
