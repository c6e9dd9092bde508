#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "../recording/recording_text.hpp"
#include "notes/task_notes.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"
#include "task/reported_ops.hpp"

namespace rooflab::task {
namespace {

using record::KernelFigure;

/// A product of 8 x 16 and 16 x 32 in fp16, a relu of its result, an op without a rule, and a view,
/// with the numbers 5, 6, 7 and 8.
std::string recorded() {
  recording::RecordingText text(R"(,"name":"Net")");
  text.module("", "Net");
  text.module("fc", "Linear");
  const int x = text.input("f16", {8, 16});
  const int weight = text.tensor("f16", {16, 32}, R"(,"before":true)");
  text.at("forward", 1);
  const int y = text.tensor("f16", {8, 32});
  text.op("aten.mm", {x, weight}, {y}, "", R"(,"call":5)");
  const int z = text.tensor("f16", {8, 32});
  text.op("aten.relu", {y}, {z}, "", R"(,"call":6)");
  const int other = text.tensor("f16", {8, 32});
  text.op("mine.mystery", {z}, {other}, "", R"(,"call":7)");
  const int view = text.view(other, "f16", {256});
  text.op("aten.view", {other}, {view}, "", R"(,"call":8)");
  return text.text();
}

/// Kernels of a microsecond each, launched by these ops.
record::Record step_of(const std::vector<std::int64_t>& calls, const std::string& recording) {
  record::Record record;
  record::KernelTable& kernels = record.kernels.emplace();
  for (std::size_t row = 0; row < calls.size(); ++row) {
    kernels.add({.name = kernels.names.intern("kernel")});
    kernels.set(KernelFigure::time_s, row, 1e-6);
  }
  record::ToldOps& told = record.told_ops.emplace();
  told.recordings = {recording};
  for (const std::int64_t call : calls) told.launches.push_back({.recording = 0, .call = call});
  record.environment.device.name = "NVIDIA H200";
  record.environment.device.kind = "cuda";
  return record;
}

class ModelledStepOfAProfile : public testing::Test {
 protected:
  record::Record joined(const std::vector<std::int64_t>& calls) {
    const std::string path = (folder_.path() / "a.rec.jsonl").string();
    write_file_atomically(path, recorded());
    record::Record record = step_of(calls, path);
    add_modelled_step(record, device::Catalog::built_in());
    return record;
  }
  TemporaryFolder folder_{"modelled"};
};

TEST_F(ModelledStepOfAProfile, OpsHaveTheWorkOfTheirShapesAndTheTimeOfTheirKernels) {
  const record::Record record = joined({5, 5, 6, 7, -1, 99});
  ASSERT_TRUE(record.modelled);
  const record::ModelledStep& step = *record.modelled;
  EXPECT_EQ(step.launches, 6);
  EXPECT_DOUBLE_EQ(step.time_s.value(), 6e-6);
  ASSERT_EQ(step.ops.size(), 3U);
  const record::ModelledOp& product = step.ops[0];
  EXPECT_EQ(product.op, "aten.mm");
  EXPECT_EQ(product.pass, "forward");
  EXPECT_EQ(product.module, "fc");
  EXPECT_EQ(product.module_class, "Linear");
  EXPECT_EQ(product.calls, 1);
  EXPECT_EQ(product.launches, 2);
  EXPECT_DOUBLE_EQ(product.time_s.value(), 2e-6);
  EXPECT_DOUBLE_EQ(product.flops.value(), 2.0 * 8 * 16 * 32);
  EXPECT_DOUBLE_EQ(product.bytes.value(), 2.0 * (8 * 16 + 16 * 32 + 8 * 32));
  EXPECT_EQ(product.path, ArithmeticPath::fp16_tensor_fp32);
  EXPECT_DOUBLE_EQ(step.ops[1].flops.value(), 256.0);
  EXPECT_DOUBLE_EQ(step.ops[1].bytes.value(), 2.0 * 2 * 256);
  // Without a rule: not known, and not zero.
  EXPECT_EQ(step.ops[2].op, "mine.mystery");
  EXPECT_FALSE(step.ops[2].flops.has_value());
  EXPECT_FALSE(step.ops[2].bytes.has_value());
  EXPECT_FALSE(record.told_ops);
}

TEST_F(ModelledStepOfAProfile, ANodeWorksEachTimeThatItsGraphIsLaunched) {
  const std::string path = (folder_.path() / "a.rec.jsonl").string();
  write_file_atomically(path, recorded());
  record::Record record = step_of({5, 5, 5, 6}, path);
  for (const std::size_t kernel : {0U, 1U, 2U}) {  // of one replay, and of the next two
    record.told_ops->launches[kernel].replay = 70 + static_cast<std::int64_t>(kernel);
  }
  add_modelled_step(record, device::Catalog::built_in());
  const record::ModelledStep& step = record.modelled.value();
  EXPECT_EQ(step.ops[0].calls, 3);
  EXPECT_DOUBLE_EQ(step.ops[0].flops.value(), 3 * 2.0 * 8 * 16 * 32);
  EXPECT_EQ(step.ops[1].calls, 1);
}

TEST_F(ModelledStepOfAProfile, KernelsWithoutAnOpHaveTheInnermostRange) {
  record::Record record = step_of({-1, -1, -1}, "");
  record::ToldOps& told = *record.told_ops;
  told.recordings.clear();
  told.ranges = {"decode > layer 0", "decode"};
  told.launches = {{.range = 0}, {.range = 1}, {}};
  add_modelled_step(record, device::Catalog::built_in());
  const record::ModelledStep& step = record.modelled.value();
  EXPECT_EQ(step.launches, 3);
  ASSERT_EQ(step.ops.size(), 2U);
  EXPECT_EQ(step.ops[0].op, "layer 0");
  EXPECT_EQ(step.ops[0].module, "decode");
  EXPECT_EQ(step.ops[0].flops, std::nullopt);
  EXPECT_EQ(step.ops[1].op, "decode");
  EXPECT_EQ(step.ops[1].module, "");
}

TEST_F(ModelledStepOfAProfile, OfAPartOfTheRunOnlyItsKernelsCount) {
  const std::string path = (folder_.path() / "a.rec.jsonl").string();
  write_file_atomically(path, recorded());
  record::Record record = step_of({5, -1, 6}, path);
  record.told_ops->part_of_run = true;
  record.told_ops->launches[2] = {};  // launched when nothing was told
  add_modelled_step(record, device::Catalog::built_in());
  const record::ModelledStep& step = record.modelled.value();
  EXPECT_TRUE(step.part_of_run);
  EXPECT_EQ(step.launches, 2);
  EXPECT_DOUBLE_EQ(step.time_s.value(), 2e-6);
  EXPECT_EQ(step.ops.size(), 1U);
}

TEST_F(ModelledStepOfAProfile, AnOpThatShouldNotLaunchAKernelIsNotKnown) {
  const record::Record record = joined({8});
  EXPECT_FALSE(record.modelled->ops[0].flops.has_value());
}

TEST_F(ModelledStepOfAProfile, WithoutTheRecordingAWarningSaysWhy) {
  record::Record record = step_of({5}, (folder_.path() / "none.rec.jsonl").string());
  add_modelled_step(record, device::Catalog::built_in());
  EXPECT_FALSE(record.modelled);
  EXPECT_THAT(record.warnings, testing::ElementsAre(HasCode(says.ops_not_read)));
}

}  // namespace
}  // namespace rooflab::task
