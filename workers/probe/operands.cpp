// The vector addition on the CPU: c = a + b of floats by one thread in a plain loop. All three
// arrays have been touched before, so that no page is made while it is timed. Its sums are what the
// devices' are compared with, bit by bit: an addition of two floats has one right result.

#include "operands.hpp"

#include "host_loops.hpp"
#include "repetitions.hpp"
#include "stopwatch.hpp"

namespace rooflab::probe_worker {

Operands::Operands(std::int64_t elements)
    : a(static_cast<std::size_t>(elements)), b(a.size()), sums(a.size()) {
  // Numerical Recipes' linear congruential generator; its upper 24 bits fill a float's significand.
  std::uint32_t state = 1;
  const auto next = [&state] {
    state = state * 1664525U + 1013904223U;
    return static_cast<float>(state >> 8U) * 0x1p-24F;
  };
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = next();
    b[i] = next();
  }
  add_on_host(a, b, sums);
}

const Operands& OperandStore::of(std::int64_t elements) {
  if (kept_.empty() || kept_.front().a.size() != static_cast<std::size_t>(elements)) {
    kept_.clear();
    kept_.emplace_back(elements);
  }
  return kept_.front();
}

std::vector<std::int64_t> vector_addition_sizes(bool quick) {
  constexpr std::int64_t million = 1'000'000;
  if (quick) return {1 * million, 5 * million};
  return {1 * million, 5 * million, 10 * million, 50 * million, 100 * million};
}

Step cpu_addition(std::int64_t elements, OperandStore& operands, Results& results) {
  constexpr double ns_per_element = 12.0;  // operands and repetitions together
  const auto measure = [elements, &operands, &results] {
    const Operands& given = operands.of(elements);
    std::vector<float> sums(given.sums.size());
    const auto once = [&] {
      const Stopwatch watch;
      add_on_host(given.a, given.b, sums);
      return watch.seconds();
    };
    const RepetitionPlan plan{.warm_up_s = 0.05, .least = 3, .measured_s = 0.05};
    const double median_s = repeat(once, plan).median;
    results.vector_addition({.launch = "cpu",
                             .memory = "host",
                             .elements = elements,
                             .kernel_s = median_s,
                             .total_s = median_s,
                             .correct = sums == given.sums});
  };
  return {.expected_s = 0.1 + static_cast<double>(elements) * ns_per_element * 1e-9,
          .run = measure};
}

}  // namespace rooflab::probe_worker
