#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/page/document.hpp"

/// Hardware samples over time as tables, sentences and charts.
namespace rooflab::report {

/// Table with a row of totals for each sampled window; may have no rows.
[[nodiscard]] page::Table samples_table(std::span<const analyze::ImportedCase> cases);

/// Sentence such as `DRAM moved 412 GB in 1.2 s, 71.5 % of its bandwidth; ...`; empty where nothing
/// was sampled.
[[nodiscard]] std::string samples_sentence(const analyze::ImportedCase& imported);

/// Charts over time of DRAM bytes per second, and of the activity of the multiprocessors.
[[nodiscard]] std::vector<chart::Chart> samples_charts(const analyze::ImportedCase& imported);

/// Section with the charts of all samples.
[[nodiscard]] page::PageSection samples_section(std::span<const analyze::ImportedCase> cases);

}  // namespace rooflab::report
