#pragma once

#include <span>
#include <vector>

#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/page/document.hpp"

/// Tables and sections of measured cases with hardware counters.
namespace rooflab::report {

/// Tables of the layers with the largest gaps between counters and model, with the reasons: in
/// FLOPs and in bytes, if there are any.
[[nodiscard]] std::vector<page::Table> counted_gap_tables(const analyze::MeasuredCase& measured,
                                                          std::size_t top);

/// Table of measured and modelled points above a roof, with the reasons; may have no rows.
[[nodiscard]] page::Table counted_breach_table(const analyze::MeasuredCase& measured);

/// Section with rooflines of counted layers, gaps and notes of all cases with counters; empty when
/// no case has counters.
[[nodiscard]] page::PageSection counted_section(std::span<const analyze::MeasuredCase> cases);

}  // namespace rooflab::report
