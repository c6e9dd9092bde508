#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rooflab::probe_worker {

// The loops of McCalpin's STREAM and two more, on all processors that OpenMP gives. Arrays of one
// call are equally long. The file is always optimised, whatever the build.

/// The sum of the array: it is read once.
[[nodiscard]] double read_on_host(std::span<const double> array);
void write_on_host(std::span<double> array, double value);
void copy_on_host(std::span<const double> from, std::span<double> to);
/// a = b + factor * c
void triad_on_host(std::span<double> a, std::span<const double> b, std::span<const double> c,
                   double factor);

/// c = a + b on one thread.
void add_on_host(std::span<const float> a, std::span<const float> b, std::span<float> c);

/// The sum of the floats' bits modulo 2^32, by one thread: they are all read.
[[nodiscard]] std::uint32_t checksum_on_host(std::span<const float> array);

/// Threads that the loops run on.
[[nodiscard]] int host_threads();

}  // namespace rooflab::probe_worker
