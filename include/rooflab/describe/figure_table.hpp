#pragma once

#include <array>
#include <cstddef>

#include "rooflab/describe/counter_words.hpp"
#include "rooflab/describe/network_words.hpp"
#include "rooflab/describe/probe_words.hpp"
#include "rooflab/describe/run_words.hpp"
#include "rooflab/describe/scale_words.hpp"
#include "rooflab/describe/step_words.hpp"
#include "rooflab/describe/trace_words.hpp"
#include "rooflab/describe/training_words.hpp"

/// The vocabulary, by subject. A key ends in its unit, and one key has one meaning in all files;
/// what a field adds to it is said by the field (fields.hpp).
namespace rooflab {

/// The words of several subjects, in their order.
template <std::size_t... sizes>
[[nodiscard]] consteval auto joined_words(const std::array<Figure, sizes>&... subjects) {
  std::array<Figure, (sizes + ...)> all{};
  std::size_t place = 0;
  const auto add = [&](const auto& subject) {
    for (const Figure& figure : subject) all[place++] = figure;
  };
  (add(subjects), ...);
  return all;
}

inline constexpr auto figure_table =
    joined_words(run_words, step_words, counter_words, scale_words, training_words, network_words,
                 trace_words, probe_words);

}  // namespace rooflab
