#pragma once

#include "rooflab/page/document.hpp"
#include "rooflab/record/training_run.hpp"
#include "rooflab/training/training_summary.hpp"

/// Tables of trainings; without rows where the runs have nothing to show.
namespace rooflab::report {

[[nodiscard]] page::Table run_table(const training::TrainingSummary& summary);
[[nodiscard]] page::Table statistics_table(const training::TrainingSummary& summary);
[[nodiscard]] page::Table milestone_table(const training::TrainingSummary& summary);
[[nodiscard]] page::Table group_table(const training::TrainingSummary& summary);
[[nodiscard]] page::Table comparison_table(const training::TrainingSummary& summary);
[[nodiscard]] page::Table epoch_table(const record::TrainingRun& run);

}  // namespace rooflab::report
