#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "compared_rows.hpp"
#include "explanation.hpp"

namespace rooflab::study {

/// Largest relative rounding error of a printed figure.
inline constexpr double most_rounding = 0.01;

/// Adds a sentence to the evidence.
template <class... Values>
void add_evidence(Explanation& explanation, fmt::format_string<Values...> text,
                  Values&&... values) {
  explanation.evidence.push_back(format(text, std::forward<Values>(values)...));
}

/// Adds the figures of a row that the explanation explains; figures that are not printed are left
/// out.
inline void add_figures(Explanation& explanation, const PublishedCase& published,
                        std::span<const std::string_view> quantities) {
  for (const std::string_view quantity : quantities) {
    if (!published.value(quantity)) continue;
    const Explanation::Printed printed{published.index, std::string(quantity)};
    if (std::ranges::find(explanation.figures, printed) == explanation.figures.end()) {
      explanation.figures.push_back(printed);
    }
  }
}

inline void add_figures(Explanation& explanation, const PublishedCase& published,
                        std::initializer_list<std::string_view> quantities) {
  add_figures(explanation, published, std::span(quantities.begin(), quantities.size()));
}

/// Adds the explanation of a rule, if any.
inline void add(std::vector<Explanation>& found, std::optional<Explanation> explanation) {
  if (explanation) found.push_back(std::move(*explanation));
}

/// Rules that add explanations: a function per kind, in a separate file with the method at its
/// head.
void add_tensor_work(const ComparedRows& context, std::vector<Explanation>& found);
void add_counting_rules(const ComparedRows& context, std::vector<Explanation>& found);
void add_set_ups(const ComparedRows& context, std::vector<Explanation>& found);
void add_wrong_roofs(const ComparedRows& context, std::vector<Explanation>& found);
void add_allocated_memory(const ComparedRows& context, std::vector<Explanation>& found);
void add_cannot_fit(const ComparedRows& context, std::vector<Explanation>& found);
void add_slips(const ComparedRows& context, std::vector<Explanation>& found);

/// Type in which matrix work multiplies in a precision.
[[nodiscard]] DType matrix_type(Precision precision);

/// A published count of CUDA-core FLOPs without the work of tensor cores.
struct TensorGap {
  double counted = 0.0;                 ///< FLOP, as published
  double whole = 0.0;                   ///< FLOP of all work: by the peer's count, else by ours
  const PublishedCase* peer = nullptr;  ///< equal work on a device without tensor cores
  const OwnCase* own = nullptr;         ///< never null
  double own_flops = 0.0;
  double own_outside = 0.0;  ///< FLOP that our case has outside tensor cores
  bool same_window = false;  ///< the row states phase and batch, equal to our case's
  ArithmeticPath path = ArithmeticPath::tf32_tensor;  ///< path of matrix work on the device
};
/// Finds the gap of a published count; nullopt: no such gap, or not decidable.
[[nodiscard]] std::optional<TensorGap> tensor_gap_of(const ComparedRows& context,
                                                     const PublishedCase& published);

/// Whether hardly anything of the published time can be a step of the network.
[[nodiscard]] bool is_mostly_set_up(const ComparedRows& context, const PublishedCase& published);

}  // namespace rooflab::study
