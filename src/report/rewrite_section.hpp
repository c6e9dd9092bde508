#pragma once

#include <span>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/page/document.hpp"

namespace rooflab::report {

/// Adds each rewritten network next to the same one as it is, and a sentence on what the rewrite
/// saves. Adds nothing without a rewrite.
void add_rewrites(page::PageSection& section, std::span<const analyze::CaseResult> cases);

}  // namespace rooflab::report
