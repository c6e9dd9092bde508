#pragma once

#include <string>

#include "rooflab/device/catalog.hpp"
#include "rooflab/report/document.hpp"
#include "study_results.hpp"

namespace rooflab::study {

/// Page of a study: the question; the answer in two sentences; explanations, worst first; verdicts
/// with their numbers; the requested tables and charts, with the published figures over ours on one
/// axis; the author's texts at their places; then the sections of `rooflab report` (rooflines,
/// layers, memory, environments), and as an appendix every case with its figures and its command.
/// Tables that the study does not request are details.
///
/// No table appears twice. Markdown and JSON have the question, the answer, the explanations, all
/// tables, the texts, and notes with the headings of their sections before them.
[[nodiscard]] report::Document study_page(const StudyResults& results,
                                          const device::Catalog& catalog, std::string command);

/// Short summary for a terminal: answer, verdicts and explanations.
[[nodiscard]] report::Document study_summary(const StudyResults& results);

}  // namespace rooflab::study
