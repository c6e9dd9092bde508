#pragma once

#include <span>
#include <vector>

#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/report/document.hpp"

/// Hardware counters of measured cases, in every form.
namespace rooflab::report {

/// The layers with the largest gaps between counters and model, with the reasons: in FLOPs and in
/// bytes, where there are any.
[[nodiscard]] std::vector<Table> counted_gap_tables(const analyze::MeasuredCase& measured,
                                                    std::size_t top);

/// Points above a roof, measured and modelled ones, with the reasons; may have no rows.
[[nodiscard]] Table counted_breach_table(const analyze::MeasuredCase& measured);

/// Rooflines of counted layers, gaps and notes, of all cases with counters; without content when
/// no case has counters.
[[nodiscard]] PageSection counted_section(std::span<const analyze::MeasuredCase> cases);

}  // namespace rooflab::report
