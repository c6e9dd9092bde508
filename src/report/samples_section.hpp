#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/report/document.hpp"

/// Hardware samples over time, in every form.
namespace rooflab::report {

/// A row of totals for each window that was sampled; no rows where none was.
[[nodiscard]] Table samples_table(std::span<const analyze::ImportedCase> cases);

/// `DRAM moved 412 GB in 1.2 s, 71.5 % of its bandwidth; ...`; empty where nothing was sampled.
[[nodiscard]] std::string samples_sentence(const analyze::ImportedCase& imported);

/// DRAM bytes per second, and the activity of the multiprocessors, as timelines.
[[nodiscard]] std::vector<chart::Chart> samples_charts(const analyze::ImportedCase& imported);

/// A section of the charts of all that was sampled.
[[nodiscard]] PageSection samples_section(std::span<const analyze::ImportedCase> cases);

}  // namespace rooflab::report
