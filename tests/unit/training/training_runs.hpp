#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rooflab/record/training_run.hpp"

namespace rooflab::training {

/// A run with an epoch of 10 s and 1 s for each of the accuracies; 1000 images, batch 100.
inline record::TrainingRun training_run(std::uint64_t seed, const std::vector<double>& accuracies,
                                        double target, double epoch_s = 10.0) {
  record::TrainingRun run;
  run.identity.model = "resnet18";
  run.identity.device = "cuda:0";
  run.identity.batch = 100;
  run.identity.phase = Phase::training;
  run.identity.data = "cifar10:data";
  run.environment.device.kind = "cuda";
  run.environment.device.name = "GPU A";
  run.recipe.epochs = 5;
  run.seed = seed;
  run.target_accuracy = target;
  run.train_images = 1000;
  run.classes = {"cat", "dog"};
  run.data_workers = 4;
  double elapsed_s = 0.0;
  for (std::size_t i = 0; i < accuracies.size(); ++i) {
    record::EpochResult epoch;
    epoch.epoch = static_cast<std::int64_t>(i);
    epoch.accuracy = accuracies[i];
    epoch.images = 1000;
    epoch.train_s = epoch_s;
    epoch.validation_s = 1.0;
    epoch.wait_s = 0.1 * epoch_s;
    epoch.issue_s = 0.2 * epoch_s;
    elapsed_s += epoch_s + 1.0;
    epoch.elapsed_s = elapsed_s;
    run.epochs.push_back(epoch);
    if (!run.reached_s && accuracies[i] >= target) run.reached_s = elapsed_s;
  }
  return run;
}

}  // namespace rooflab::training
