#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/input_error.hpp"
#include "../base/json_place.hpp"
#include "../base/note_matchers.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "equal_fields.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/record/training_run.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::record {
namespace {

using testing::HasSubstr;

/// Every field differs from its default and from its neighbours.
TrainingRun full_training_run() {
  TrainingRun run;
  run.identity.model = "resnet50";
  run.identity.device = "cuda:1";
  run.identity.batch = 128;
  run.identity.phase = Phase::training;
  run.identity.precision = Precision::amp;
  run.identity.optimizer = "sgd-momentum";
  run.identity.data = "cifar10:/data";
  run.recipe = {.epochs = 20,
                .learning_rate = 0.4,
                .momentum = 0.8,
                .weight_decay = 1e-4,
                .nesterov = true,
                .label_smoothing = 0.1,
                .schedule = LearningRateSchedule::step,
                .rise = 0.25,
                .warmup_epochs = 2.5,
                .milestones = {10, 15},
                .step_factor = 0.2,
                .augment = false,
                .deterministic = true};
  run.seed = 18'000'000'000'000'000'000U;
  run.target_accuracy = 0.92;
  run.status = Status::interrupted;
  run.message = "stopped \"here\"";
  run.environment.date = "2026-11-21T14:00:00Z";
  run.environment.device.kind = "cuda";
  run.classes = {"cat", "dog"};
  run.train_images = 50'000;
  run.validation_images = 10'000;
  run.epochs = {{.epoch = 0,
                 .train_loss = 1.5,
                 .train_accuracy = 0.4,
                 .validation_loss = 1.25,
                 .accuracy = 0.5,
                 .learning_rate = 0.3,
                 .images = 49'920,
                 .train_s = 10.5,
                 .validation_s = 1.125,
                 .wait_s = 0.75,
                 .issue_s = 2.5,
                 .elapsed_s = 11.75},
                {.epoch = 1, .train_loss = 1.0, .images = 128}};
  run.reached_s = 11.75;
  run.setup_s = 3.5;
  run.resumed = 2;
  run.data_workers = 8;
  run.samples = {{"cuda:1", "NVIDIA H200", {{.time_s = 0.5, .core_utilization = 0.75}}}};
  run.weights_fingerprint = "0123456789abcdef";
  run.checkpoint = "runs/run-1/weights.pt";
  run.broken_data = {"a.jpg: empty"};
  run.warnings = {sentence("a warning")};
  return run;
}

TEST(TrainingRunJson, ReadsBackWhatItWrote) {
  const TrainingRun run = full_training_run();
  EXPECT_EQ(from_file_json<TrainingRun>(file_json(run), "run.json"), run);
  const TemporaryFolder folder("run");
  save_file(folder.file("run.json"), run);
  EXPECT_EQ(load_file<TrainingRun>(folder.file("run.json")), run);
}

TEST(TrainingRunJson, WhatIsNotKnownIsNull) {
  TrainingRun run = full_training_run();
  run.target_accuracy.reset();
  run.reached_s.reset();
  const Json json = file_json(run);
  EXPECT_TRUE(json["target_accuracy_share"].is_null());
  EXPECT_TRUE(json["time_to_target_s"].is_null());
  EXPECT_TRUE(json["epochs"][1]["accuracy_share"].is_null());
  EXPECT_TRUE(json["epochs"][1]["validation_loss"].is_null());
  EXPECT_EQ(from_file_json<TrainingRun>(json, "run.json"), run);
}

TEST(TrainingRunJson, EveryFaultNamesItsKey) {
  const Json good = file_json(full_training_run());
  const auto fault = [&](const char* place, const Json& value) {
    Json json = good;
    json_place(json, place) = value;
    try {
      (void)from_file_json<TrainingRun>(json, "run.json");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_EQ(error.location().file, "run.json");
      return error.full_message();
    }
    return std::string("no error");
  };
  EXPECT_THAT(fault("/seed", -1), HasSubstr("'seed' must be a whole number"));
  EXPECT_THAT(fault("/status", "fine"), HasSubstr("'status'"));
  EXPECT_THAT(fault("/classes", 3), HasSubstr("'classes'"));
  EXPECT_THAT(fault("/setup_s", "x"), HasSubstr("'setup_s'"));
  EXPECT_THAT(fault("/sample_series", 1), HasSubstr("'sample_series'"));
  EXPECT_THAT(fault("/recipe/schedule", "linear"), HasSubstr("'recipe.schedule'"));
  EXPECT_THAT(fault("/recipe/epochs", 0), HasSubstr("'recipe.epochs'"));
  EXPECT_THAT(fault("/recipe/milestones", {1, "b"}), HasSubstr("'recipe.milestones[1]'"));
  EXPECT_THAT(fault("/identity/phase", "train"), HasSubstr("'identity.phase'"));
  EXPECT_THAT(fault("/epochs/0/train_s", nullptr), HasSubstr("train_s' is missing"));
  EXPECT_THAT(fault("/kind", "record"), HasSubstr("this is not a training run"));
  EXPECT_THAT(fault("/schema_version", 99), HasSubstr("schema version 99"));
}

Evaluation full_evaluation() {
  return {"weights.pt",     "resnet18", "folder:wild",   {"cat", "dog"},
          {{3, 1}, {0, 2}}, 0.75,       {"b.jpg: empty"}};
}

// 3 + 2 of 3 + 1 + 0 + 2 = 6 images.
TEST(EvaluationJson, CountsAndReadsBack) {
  const Evaluation evaluation = full_evaluation();
  EXPECT_EQ(evaluation.images(), 6);
  EXPECT_DOUBLE_EQ(evaluation.accuracy().value(), 5.0 / 6.0);
  EXPECT_FALSE(Evaluation().accuracy());
  EXPECT_EQ(from_file_json<Evaluation>(file_json(evaluation), "e.json"), evaluation);
  EXPECT_EQ(
      from_file_json<Evaluation>(parse_json(file_json(evaluation).dump(), "e.json"), "e.json"),
      evaluation);
}

TEST(EvaluationJson, RefusesATableThatIsNoSquareOfCounts) {
  const auto fault = [](const Json& table) {
    Json json = file_json(full_evaluation());
    json["confusion"] = table;
    return error_of([&] { (void)from_file_json<Evaluation>(json, "e.json"); });
  };
  for (const Json& table : {Json{{3, 1}}, Json{{3, 1}, {0}}, Json{{3, 1}, {0, -2}}}) {
    EXPECT_THAT(fault(table), HasSubstr("'confusion' must be a square of counts"));
  }
  EXPECT_EQ(fault(Json{{3, 1}, {0, 0.5}}), "e.json: 'confusion[1][1]' must be a whole number");
  EXPECT_EQ(fault(Json(1)), "e.json: 'confusion' must be a list");
}

}  // namespace
}  // namespace rooflab::record
