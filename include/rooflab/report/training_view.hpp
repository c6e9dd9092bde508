#pragma once

#include <string>
#include <vector>

#include "rooflab/report/document.hpp"
#include "rooflab/training/evaluation_statistics.hpp"
#include "rooflab/training/training_summary.hpp"
#include "rooflab/training/training_trial.hpp"

/// Training to accuracy and what trained models recognise, for people: docs/methods/training.md
/// says what the figures mean, docs/formats/training.md describes the JSON. `command` is the
/// command line.
namespace rooflab::report {

/// The runs, their statistics, where the time went, the devices beside each other, and as notes
/// what would make them faster; on a page also accuracy over epochs and time, the devices over
/// time, every epoch.
[[nodiscard]] Document training_view(const training::TrainingSummary& summary,
                                     std::string command = {});

/// What each piece of advice did to a training, one added after another: rate, utilisation and
/// waiting before and after, and which helped.
[[nodiscard]] Document trial_view(const training::TrialSummary& summary, std::string command = {});

/// Trained models on labelled images that they were not trained on: a row for each model, accuracy
/// by class, and the confused pairs of classes, summed over the models with the same classes.
[[nodiscard]] Document evaluation_view(const training::EvaluationSummary& summary,
                                       std::string command = {});

}  // namespace rooflab::report
