#pragma once

#include <string>
#include <vector>

#include "rooflab/chart/chart.hpp"
#include "rooflab/report/document.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/training/training_summary.hpp"

/// Runs of training to accuracy, for people. docs/methods/training.md says what the figures mean.
namespace rooflab::report {

/// The runs, their statistics, where the time went, the devices beside each other, and as notes
/// what would make them faster. Its JSON is described in docs/formats/training.md.
[[nodiscard]] Document training_report(const training::TrainingSummary& summary);

/// Accuracy over epochs and over time, a line for each run, with the targets; nothing for runs
/// without a validation.
[[nodiscard]] std::vector<chart::Chart> training_charts(const training::TrainingSummary& summary);

/// The same as a page: cards, charts, tables, utilisation over time.
[[nodiscard]] Page training_page(const training::TrainingSummary& summary, std::string command);

}  // namespace rooflab::report
