#include "rooflab/analyze/measured_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "../base/note_matchers.hpp"
#include "notes/analyze_notes.hpp"
#include "notes/record_notes.hpp"
#include "records.hpp"
#include "rooflab/base/error.hpp"
#include "toy_calibration.hpp"

namespace rooflab::analyze {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// Median 5.12 s against 2.56 s; 32 FLOPs in 5.12 s of 1000 FLOP/s.
TEST(MeasuredCase, BesideItsLimit) {
  const MeasuredCase result =
      measured_case_of(toy_record({5.12, 5.12, 5.11, 5.13, 5.12, 5.12}), toy_catalog());
  ASSERT_TRUE(result.limit_s());
  EXPECT_NEAR(*result.limit_s(), 2.56, 1e-12);
  EXPECT_NEAR(*result.limit_ratio(), 2.0, 1e-12);
  EXPECT_NEAR(*result.headroom_share(), 0.5, 1e-12);
  EXPECT_NEAR(*result.samples_per_s(), 2.0 / 5.12, 1e-12);
  EXPECT_NEAR(*result.flop_per_s(), 6.25, 1e-12);
  EXPECT_NEAR(*result.peak_share(), 0.00625, 1e-12);
  EXPECT_FALSE(result.peak_ratio());
  EXPECT_FALSE(result.with_data_s);
  EXPECT_THAT(result.warnings, ElementsAre());
  EXPECT_THAT(result.notes, ElementsAre());
  EXPECT_TRUE(result.layers.layers.empty());
}

/// Six steps of that time, which neither spread nor are too few.
record::Record steady(double step_s) { return toy_record(std::vector<double>(6, step_s)); }

// The limit is 2.56 s. 2.44 s are 0.953 of it, 2 s are 0.781; 32 FLOPs in 2 s are 1.6 % of the
// peak.
TEST(MeasuredCase, FasterThanPossibleIsSuspect) {
  EXPECT_THAT(measured_case_of(steady(2.44), toy_catalog()).warnings, ElementsAre());
  EXPECT_EQ(measured_case_of(steady(2.44), toy_catalog()).status_word(), "ok");
  record::Record record = steady(2.0);
  record.warnings = {{plain_sentence, {"something else"}}};
  const MeasuredCase fast = measured_case_of(record, toy_catalog());
  ASSERT_EQ(fast.warnings.size(), 2U);
  EXPECT_EQ(fast.status_word(), "suspect");
  EXPECT_THAT(fast.warnings[0].text(),
              HasSubstr("faster than the roofs allow: it takes 0.78 times the limit, at 2 % of "
                        "peak; the cause may be an algorithm with less arithmetic"));
  // Measured roofs are at fault themselves; roofs of another device say nothing.
  device::Device probed = predict::toy_device();
  probed.bandwidth->measured = true;
  const MeasuredCase beside = measured_case_of(record, device::Catalog({probed}));
  EXPECT_THAT(beside.warnings[0].text(), HasSubstr("on a busy machine: probe again"));
  EXPECT_EQ(measured_case_of(record, toy_catalog(), probed).warnings.size(), 1U);
  // What was written is worked out anew.
  record.warnings = fast.warnings;
  EXPECT_EQ(measured_case_of(record, device::Catalog({probed})).warnings, beside.warnings);
}

TEST(MeasuredCase, PhaseAndPrecisionAreTheRecords) {
  record::Record record = toy_record({1.0});
  record.identity.precision = Precision::fp64;
  // Twice the bytes: 5.12 s.
  EXPECT_NEAR(*measured_case_of(record, toy_catalog()).limit_s(), 5.12, 1e-12);
}

TEST(MeasuredCase, AnUnknownDeviceHasNoLimit) {
  record::Record record = toy_record({1.0});
  record.environment.device.name = "Some CPU";
  const MeasuredCase result = measured_case_of(record, toy_catalog());
  ASSERT_TRUE(result.model);
  EXPECT_FALSE(result.limit_s());
  EXPECT_FALSE(result.limit_ratio());
  EXPECT_FALSE(result.peak_share());
  EXPECT_NEAR(*result.flop_per_s(), 32.0, 1e-12);
  EXPECT_THAT(result.notes, ElementsAre(Note{says.device_unknown, {"Some CPU"}}));
  // A worker that died did not say where it was.
  record.environment.device.name.clear();
  EXPECT_THAT(measured_case_of(record, toy_catalog()).notes, ElementsAre());
}

TEST(MeasuredCase, ALimitOfAnotherDeviceIsSaid) {
  device::Device twice = predict::toy_device();
  twice.name = "Twice";
  twice.bandwidth = device::Figure{.value = 200.0};
  const MeasuredCase result = measured_case_of(toy_record({1.0}), toy_catalog(), twice);
  EXPECT_NEAR(*result.limit_s(), 1.28, 1e-12);
  EXPECT_THAT(result.notes, Contains(Note{says.limit_of_other_device, {"Twice", "Toy"}}));
}

// Two ReLUs of 10 us each, and 0.5 GB of context that without a calibration nobody knows.
TEST(MeasuredCase, BesideItsPrediction) {
  record::Record record = toy_record({1.0});
  record.environment.device.name = "NVIDIA H200";
  std::vector<std::string> asked;
  const CalibrationLookup lookup = [&asked](const device::Device& device) {
    asked.push_back(device.id);
    return std::make_shared<const CalibratedModel>(toy_model("h200-sxm", false));
  };
  const device::Catalog catalog = device::Catalog::built_in();
  const MeasuredCase result = measured_case_of(record, catalog, std::nullopt, lookup);
  EXPECT_THAT(asked, ElementsAre("h200-sxm"));
  ASSERT_TRUE(result.model->prediction);
  EXPECT_NEAR(result.model->prediction->device.value, 2e-5, 1e-7);
  EXPECT_EQ(result.model->calibration->id, "toy");
  EXPECT_EQ(result.model->memory.context, Bytes(500000000));
  // The limit and what is measured do not depend on it.
  const MeasuredCase without = measured_case_of(record, catalog);
  EXPECT_FALSE(without.model->prediction);
  EXPECT_EQ(result.limit_s(), without.limit_s());
  EXPECT_EQ(result.limit_ratio(), without.limit_ratio());
}

/// Costs of rooflab-torch as a worker measures them behind the steps: 50 us for a ReLU.
record::HostCosts costs_at_hand() {
  record::HostCosts costs;
  costs.issuer = "rooflab";
  costs.cpu = "This CPU";
  costs.ops["unary"] = {5e-5, {}, {}};
  return costs;
}

/// The case with its prediction by that model.
MeasuredCase beside(record::Record record, CalibratedModel model) {
  record.environment.device.name = "NVIDIA H200";
  auto shared = std::make_shared<const CalibratedModel>(std::move(model));
  return measured_case_of(std::move(record), device::Catalog::built_in(), std::nullopt,
                          [shared](const device::Device&) { return shared; });
}

// Two ReLUs: 2 us by the calibration's host, 100 us by the one that ran the steps. No deviation of
// another machine's costs is left, and the note is of this host alone.
TEST(MeasuredCase, IsPredictedForItsOwnHost) {
  record::Record record = toy_record({1.0});
  CalibratedModel model = toy_model("h200-sxm", true);
  model.host_deviation = 0.42;
  model.note = Note{says.host_of_other_machine, {"Toy", NoteValue()}};
  const MeasuredCase without = beside(record, toy_model("h200-sxm", true));
  EXPECT_NEAR(without.model->prediction->host.value, 2e-6, 1e-9);
  EXPECT_EQ(without.model->issued_by, "pytorch");
  EXPECT_FALSE(without.model->has_host_at_hand());

  record.issue_costs = costs_at_hand();
  const MeasuredCase with = beside(record, std::move(model));
  const predict::StepTime& step = *with.model->prediction;
  EXPECT_NEAR(step.host.value, 1e-4, 1e-9);
  EXPECT_EQ(with.model->issued_by, "rooflab");
  EXPECT_TRUE(with.model->has_host_at_hand());
  EXPECT_THAT(step.notes, ElementsAre(Note{says.host_at_hand, {"This CPU"}}));
  // Bound by the host, whose model errs by 0.15. With a jitter of 1.5 the steps met costs that
  // are 1.5 times as high, and the error is 0.43, upwards only.
  const double host_s = 1e-4;
  EXPECT_LT(step.high.value, host_s * 1.2 * std::exp(1.645 * 0.15));
  record.issue_costs->jitter = 1.5;
  const MeasuredCase disturbed = beside(record, toy_model("h200-sxm", true));
  EXPECT_NEAR(disturbed.model->prediction->host.value, 1.5 * host_s, 1e-9);
  EXPECT_GT(disturbed.model->prediction->high.value, 1.5 * host_s * std::exp(1.645 * 0.43));
  EXPECT_NEAR(disturbed.model->prediction->low.value, 1.5 * step.low.value, 1e-9);
}

// A CPU runs what it issues, and a reader may leave the host out.
TEST(MeasuredCase, LeavesTheHostOutWhereTheModelDoes) {
  record::Record record = toy_record({1.0});
  record.issue_costs = costs_at_hand();
  CalibratedModel model = toy_model("h200-sxm", true);
  model.host = nullptr;
  model.without_host = true;
  const MeasuredCase result = beside(record, std::move(model));
  EXPECT_EQ(result.model->prediction->host.value, 0.0);
  EXPECT_EQ(result.model->issued_by, "");
  EXPECT_FALSE(result.model->has_host_at_hand());
}

// The calibration has no costs: those at hand stand alone, without the note that misses them.
TEST(MeasuredCase, HasAHostWhereTheCalibrationHasNone) {
  record::Record record = toy_record({1.0});
  record.issue_costs = costs_at_hand();
  const MeasuredCase result = beside(record, toy_model("h200-sxm", false));
  EXPECT_NEAR(result.model->prediction->host.value, 1e-4, 1e-9);
  EXPECT_THAT(result.model->prediction->notes, ElementsAre(Note{says.host_at_hand, {"This CPU"}}));
}

// Convolutions take three times as long to issue as in the calibration of the same issuer; the
// ReLUs were not measured here: 3 us each.
TEST(MeasuredCase, CarriesCostsThatItsHostLacks) {
  record::Record record = toy_record({1.0});
  record.issue_costs = costs_at_hand();
  record.issue_costs->ops = {{"conv2d", {3e-6, {}, {}}}};
  record.issue_costs->issuer = "pytorch";
  const MeasuredCase result = beside(record, toy_model("h200-sxm", true));
  EXPECT_NEAR(result.model->prediction->host.value, 6e-6, 1e-9);
}

TEST(MeasuredCase, NothingIsExpectedOfADeviceWithoutCalibrationOrOfAnotherDevice) {
  record::Record record = toy_record({1.0});
  const CalibrationLookup none = [](const device::Device&) { return nullptr; };
  EXPECT_FALSE(
      measured_case_of(record, toy_catalog(), std::nullopt, none).model->prediction.has_value());
  const CalibrationLookup never = [](const device::Device&) {
    ADD_FAILURE() << "without a device, nothing may be asked";
    return std::shared_ptr<const CalibratedModel>();
  };
  const MeasuredCase other = measured_case_of(record, toy_catalog(), predict::toy_device(), never);
  EXPECT_FALSE(other.model->prediction);
  record.environment.device.name = "Some CPU";
  EXPECT_FALSE(measured_case_of(record, toy_catalog(), std::nullopt, never).model->prediction);
}

TEST(MeasuredCase, MemoryBesideItsPrediction) {
  record::Record record = toy_record({1.0});
  const Bytes predicted = measured_case_of(record, toy_catalog()).model->memory.allocated_peak;
  ASSERT_GE(predicted, Bytes(128));  // an input and a result of 64 bytes each
  record.memory = record::MemoryUse{};
  record.memory->allocated_peak = predicted * 3;
  EXPECT_DOUBLE_EQ(*measured_case_of(record, toy_catalog()).peak_ratio(), 3.0);
}

TEST(MeasuredCase, DataCountsApart) {
  record::Record record = toy_record({1.0, 2.0, 3.0});
  record.timing->data_s = {10.0, 0.0, 0.0};
  record.timing->copy_s = {0.5, 0.5, 0.5};
  const MeasuredCase result = measured_case_of(record, toy_catalog());
  EXPECT_DOUBLE_EQ(result.steps->median, 2.0);
  EXPECT_DOUBLE_EQ(*result.with_data_s, 3.5);  // of 11.5, 2.5, 3.5
}

TEST(MeasuredCase, OutOfMemoryKeepsItsModel) {
  record::Record record = toy_record();
  record.status = record::Status::oom;
  const MeasuredCase result = measured_case_of(record, toy_catalog());
  EXPECT_FALSE(result.steps);
  EXPECT_FALSE(result.limit_ratio());
  EXPECT_FALSE(result.samples_per_s());
  EXPECT_TRUE(result.limit_s());
}

TEST(MeasuredCase, AWatchedCommandHasNoModel) {
  record::Record record = toy_record();
  record.identity.graph.clear();
  EXPECT_FALSE(measured_case_of(record, toy_catalog()).model);
  record.identity.graph = "graph x\nnonsense\n";
  EXPECT_THROW((void)measured_case_of(record, toy_catalog()), Error);
}

TEST(MeasuredCase, WarningsOfTheWorkerComeFirst) {
  record::Record record = toy_record({3.0, 3.0});  // slower than the limit of 2.56 s
  const Note said = sentence("the allocator had to free its cache twice");
  record.warnings = {said};
  EXPECT_THAT(measured_case_of(record, toy_catalog()).warnings,
              ElementsAre(said, Note{record::says.few_steps, {2}}));
  // JSON has the suspicion too, whatever its words were.
  record.warnings = {
      said, {.code = NoteCode("few_steps"), .values = {2}, .as_read = "2 steps are too few"}};
  EXPECT_EQ(measured_case_of(record, toy_catalog()).warnings, record.warnings);
}

TEST(MeasuredCase, FindsTheDeviceByTheNameThatTheDriverGives) {
  const device::Catalog catalog = device::Catalog::built_in();
  std::optional<Note> note;
  record::DeviceIdentity identity;
  identity.name = "Tesla T4";
  EXPECT_EQ(find_device(catalog, identity, note)->id, "t4");
  identity.name = "NVIDIA A100-SXM4-40GB";
  EXPECT_EQ(find_device(catalog, identity, note)->id, "a100-sxm4-40gb");
  EXPECT_FALSE(note);
  identity.name = "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz";
  EXPECT_FALSE(find_device(catalog, identity, note));
  EXPECT_EQ(note, (Note{says.device_unknown, {identity.name}}));
}

}  // namespace
}  // namespace rooflab::analyze
