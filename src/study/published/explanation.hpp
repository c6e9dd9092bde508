#pragma once

#include <span>
#include <string>
#include <vector>

#include "describe/fields.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/device/catalog.hpp"
#include "study/figures.hpp"

namespace rooflab::study {

/// Explanation why a published figure is not what it claims to be, derived from numbers alone: the
/// printed ones, ours for the same case, and the device's peaks. docs/methods/published_findings.md
/// has the tests with their thresholds, and when each is wrong.
struct Explanation {
  /// A figure of a published row.
  struct Printed {
    std::size_t row = 0;  ///< index in the study's order
    std::string quantity;

    friend bool operator==(const Printed&, const Printed&) = default;
  };
  enum class Kind {
    counting_rule,     ///< another rule of counting, phase, batch or window, or no known one
    tensor_work,       ///< the count lacks the work of tensor cores
    wrong_roof,        ///< the peak is for another kind of arithmetic
    set_up,            ///< most of the time is not spent in the network
    allocated_memory,  ///< allocated memory was mistaken for traffic
    cannot_fit,        ///< the case is larger than the device
    slip,              ///< printed figures contradict each other, or have another unit
  };
  Kind kind = Kind::counting_rule;
  std::string subject;     ///< the case or cases: `resnet18 on a100, training, batch 1`
  std::string sentence{};  ///< the explanation with its main numbers
  std::vector<std::string> evidence{};  ///< the numbers, one sentence each
  /// Figures that it explains; empty: it states that nothing explains them.
  std::vector<Printed> figures{};
};
constexpr auto names_in_order(For<Explanation::Kind>) {
  return names_through<Explanation::Kind::slip>("counting_rule", "tensor_work", "wrong_roof",
                                                "set_up", "allocated_memory", "cannot_fit", "slip");
}

[[nodiscard]] std::span<const Field> fields_of(For<Explanation>);

/// Meaning of an explanation for its figures: `start-up time or more steps are included`.
[[nodiscard]] std::string_view meaning_of(Explanation::Kind kind);

/// All explanations about the published rows in comparison with the study's own cases: by kind
/// (slips first), then in the order of the rows. Rows with one `source` are also compared with each
/// other. A test without the needed figures of ours explains nothing.
[[nodiscard]] std::vector<Explanation> explanations_of(const Study& study,
                                                       std::span<const StudyCase> cases,
                                                       const device::Catalog& catalog);

}  // namespace rooflab::study
