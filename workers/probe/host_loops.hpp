#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rooflab::probe_worker {

// The loops of McCalpin's STREAM and two more, on all processors of OpenMP. Arrays of one call have
// equal lengths. The file is optimised in every build type.

/// Sum of an array, which is read once.
[[nodiscard]] double read_on_host(std::span<const double> array);
void write_on_host(std::span<double> array, double value);
void copy_on_host(std::span<const double> from, std::span<double> to);
/// Computes a = b + factor * c.
void triad_on_host(std::span<double> a, std::span<const double> b, std::span<const double> c,
                   double factor);

/// Computes c = a + b on one thread.
void add_on_host(std::span<const float> a, std::span<const float> b, std::span<float> c);

/// Sum of the floats' bits modulo 2^32, by one thread, which reads all of them.
[[nodiscard]] std::uint32_t checksum_on_host(std::span<const float> array);

/// Number of threads of the loops.
[[nodiscard]] int host_threads();

}  // namespace rooflab::probe_worker
