#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/report/html_page.hpp"

/// Hardware counters of measured cases, in every form.
namespace rooflab::report {

/// The layers with the largest gaps between counters and model, with the reasons; no rows where
/// nothing differs.
[[nodiscard]] Table counted_gap_table(const analyze::MeasuredCase& measured, std::size_t top);

/// Points above a roof, measured and modelled ones, with the reasons.
[[nodiscard]] Table counted_breach_table(const analyze::MeasuredCase& measured);

/// FLOPs by path and bytes beside the model's, how they were counted, conventions: a sentence each.
[[nodiscard]] std::vector<std::string> counted_notes(const analyze::MeasuredCase& measured);

/// How counters were collected: `counted on GH100: ...`.
[[nodiscard]] std::string counting_note(const record::Counting& counting);

/// `a whole step, its kernels concurrent: tensor cores 4.5 GFLOP, DRAM 1 MB, ...`; empty where nothing
/// was counted of it.
[[nodiscard]] std::string step_note(const record::KernelSums& step);

/// What counts as a FLOP.
[[nodiscard]] std::string counting_conventions();

/// docs/formats/measure.md; null without counters.
[[nodiscard]] Json counted_json(const analyze::MeasuredCase& measured);

/// Rooflines of counted layers, gaps and notes, of all cases with counters; without content where
/// there is none.
[[nodiscard]] PageSection counted_section(std::span<const analyze::MeasuredCase> cases);

}  // namespace rooflab::report
