#pragma once

#include <cstddef>
#include <cstdint>

/// Bounds within which a file is believed. They keep every product of extents and attributes inside
/// 64 bits and the work bounded by the file's size; real networks are orders of magnitude below.
namespace rooflab::onnx {

/// Integer constants up to this many elements are read where an op needs their values (indices).
inline constexpr std::size_t max_read_integers = 65536;

/// Constants up to this many elements are read and computed with (target shapes, axes, scales,
/// index ranges); larger ones are known by their type only.
inline constexpr std::size_t max_folded_elements = 4096;

/// Elements that are computed at most, all constants together, where the caller asks for the values
/// of what the importer folded away.
inline constexpr std::size_t max_computed_elements = std::size_t{1} << 26;

/// The same for what a plain import looks at: biases, scales, and masks (one of 4,096 queries and
/// keys that is stored, or one of 2,048 that takes four ops to make).
inline constexpr std::size_t max_inspected_elements = std::size_t{1} << 24;

inline constexpr std::size_t max_rank = 32;
inline constexpr std::int64_t max_extent = std::int64_t{1} << 40;
inline constexpr std::int64_t max_elements = std::int64_t{1} << 50;

/// Kernel, stride, padding, dilation, groups.
inline constexpr std::int64_t max_window_attribute = std::int64_t{1} << 20;

/// Function calls and branches inside one another.
inline constexpr int max_nesting = 64;

/// Nodes of the file with every function call expanded.
inline constexpr std::int64_t max_expanded_nodes = 1 << 18;

}  // namespace rooflab::onnx
