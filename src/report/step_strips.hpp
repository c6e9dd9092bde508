#pragma once

#include <optional>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/page/document.hpp"

namespace rooflab::report {

/// The predicted step over time; nullopt: its timeline was not kept.
[[nodiscard]] std::optional<chart::Strip> strip_of(const analyze::CaseResult& result);

/// The first few steps of a trace over time, or the whole trace where no step is marked; empty
/// without a trace, or where nothing ran on a device.
[[nodiscard]] std::vector<chart::Strip> strips_of(const analyze::ImportedCase& imported);

/// Section with the strips of all traces.
[[nodiscard]] page::PageSection strip_section(std::span<const analyze::ImportedCase> cases);

}  // namespace rooflab::report
