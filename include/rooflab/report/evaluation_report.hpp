#pragma once

#include <span>
#include <string>

#include "rooflab/record/training_run.hpp"
#include "rooflab/report/document.hpp"
#include "rooflab/report/html_page.hpp"

/// Trained models on labelled images that they were not trained on.
namespace rooflab::report {

/// A row for each model, accuracy by class, and what was taken for what, summed over the models
/// with the same classes. Its JSON is described in docs/formats/training.md.
[[nodiscard]] Document evaluation_report(std::span<const record::Evaluation> evaluations);

/// The same as a page, accuracy by class as bars.
[[nodiscard]] Page evaluation_page(std::span<const record::Evaluation> evaluations,
                                   std::string command);

}  // namespace rooflab::report
