#pragma once

#include <span>

#include "rooflab/findings/finding.hpp"
#include "rooflab/page/document.hpp"

namespace rooflab::report {

/// Puts findings into the document, and into its JSON as `findings`. `with_subjects`: the document
/// has several results.
void show_findings(page::Document& document, std::span<const findings::Finding> found,
                   bool with_subjects);

}  // namespace rooflab::report
