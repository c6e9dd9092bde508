#include "host_loops.hpp"

#include <bit>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace rooflab::probe_worker {

double read_on_host(std::span<const double> array) {
  const double* from = array.data();
  const std::size_t count = array.size();
  double sum = 0.0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (std::size_t i = 0; i < count; ++i) sum += from[i];
  return sum;
}

void write_on_host(std::span<double> array, double value) {
  double* to = array.data();
  const std::size_t count = array.size();
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) to[i] = value;
}

void copy_on_host(std::span<const double> from, std::span<double> to) {
  const double* source = from.data();
  double* target = to.data();
  const std::size_t count = from.size();
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) target[i] = source[i];
}

void triad_on_host(std::span<double> a, std::span<const double> b, std::span<const double> c,
                   double factor) {
  double* target = a.data();
  const double* first = b.data();
  const double* second = c.data();
  const std::size_t count = a.size();
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) target[i] = first[i] + factor * second[i];
}

void add_on_host(std::span<const float> a, std::span<const float> b, std::span<float> c) {
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = a[i] + b[i];
}

std::uint32_t checksum_on_host(std::span<const float> array) {
  std::uint32_t sum = 0;
  for (const float value : array) sum += std::bit_cast<std::uint32_t>(value);
  return sum;
}

int host_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

}  // namespace rooflab::probe_worker
