// Two ReLUs of 10 us each on an H200. The calibration's host issues an op in 1 us, the one that ran
// the steps in 50 us: a step every 100 us.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "notes/analyze_notes.hpp"
#include "records.hpp"
#include "rooflab/analyze/comparison.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "toy_calibration.hpp"

namespace rooflab::analyze {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double us = 1e-6;

record::Record on_h200(bool with_host) {
  record::Record record = toy_record(std::vector<double>(6, 100 * us));
  record.environment.device.name = "NVIDIA H200";
  if (!with_host) return record;
  record::HostCosts& costs = record.issue_costs.emplace();
  costs.issuer = "rooflab";
  costs.cpu = "This CPU";
  costs.ops["unary"] = {50 * us, {}, {}};
  return record;
}

CalibrationLookup toy_lookup() {
  auto model = std::make_shared<const CalibratedModel>(toy_model("h200-sxm", true));
  return [model](const device::Device&) { return model; };
}

MeasuredCase measured_on_h200(bool with_host) {
  return measured_case_of(on_h200(with_host), device::Catalog::built_in(), std::nullopt,
                          toy_lookup());
}

/// `rooflab predict`, with the calibration's host.
CaseResult predicted_on_h200() { return *measured_on_h200(false).model; }

Comparison for_the_host(const Comparison& pair) {
  return for_the_host_at_hand(pair, device::Catalog::built_in(), toy_lookup());
}

TEST(ComparisonHost, APredictionIsMadeAnewForTheMeasuringHost) {
  const Comparand a = comparand_of(on_h200(true), "a.json");
  const Comparand b = comparand_of(predicted_on_h200(), "b.json");
  EXPECT_EQ(compare(a, b).difference, Difference::slower_than_predicted);
  const Comparison anew = for_the_host(compare(a, b));
  EXPECT_EQ(anew.difference, Difference::as_predicted);
  EXPECT_NEAR(*anew.b.time_s, 100 * us, 0.1 * us);
  EXPECT_EQ(anew.b.source, "b.json");
  EXPECT_EQ(anew.b.facts.at("issued by"), "rooflab");
  EXPECT_THAT(anew.notes, ElementsAre(Note{says.host_at_hand, {"This CPU"}, "B"}));
  // Whichever side it is on.
  const Comparison turned = for_the_host(compare(b, a));
  EXPECT_NEAR(*turned.a.time_s, 100 * us, 0.1 * us);
  EXPECT_THAT(turned.notes, ElementsAre(Note{says.host_at_hand, {"This CPU"}, "A"}));
}

void expect_unchanged(const Comparand& a, const Comparand& b) {
  const Comparison before = compare(a, b);
  const Comparison after = for_the_host(before);
  EXPECT_EQ(after.b.time_s, before.b.time_s);
  EXPECT_EQ(after.difference, before.difference);
  EXPECT_THAT(after.notes, IsEmpty());
}

TEST(ComparisonHost, AnythingElseStaysAsItIs) {
  const Comparand run = comparand_of(on_h200(true), "a.json");
  expect_unchanged(comparand_of(on_h200(false), "a.json"),
                   comparand_of(predicted_on_h200(), "b.json"));
  expect_unchanged(run, run);
  CaseResult without_host = predicted_on_h200();
  without_host.issued_by.clear();
  expect_unchanged(run, comparand_of(without_host, "b.json"));
  CaseResult limit = predicted_on_h200();
  limit.prediction_model = PredictionModel::limit;
  expect_unchanged(run, comparand_of(limit, "b.json"));
  CaseResult other_batch = predicted_on_h200();
  other_batch.batch = 3;
  expect_unchanged(run, comparand_of(other_batch, "b.json"));
  CaseResult other_device = predicted_on_h200();
  other_device.device.id = "t4";
  expect_unchanged(run, comparand_of(other_device, "b.json"));
  CaseResult other_calibration = predicted_on_h200();
  other_calibration.calibration->id = "mine";
  expect_unchanged(run, comparand_of(other_calibration, "b.json"));
}

// Of several results: the prediction for the very host is compared with what it measured, but a
// percentage of the peaks is another question.
TEST(ResultSet, APredictionForTheHostAtHandComesFirst) {
  ResultSet results;
  results.predictions = {predicted_on_h200()};
  const MeasuredCase with = measured_on_h200(true);
  const MeasuredCase without = measured_on_h200(false);
  EXPECT_EQ(results.prediction_of(with), &*with.model);
  EXPECT_EQ(results.prediction_of(without), &results.predictions.front());
  results.predictions.front().prediction_model = PredictionModel::ppp;
  results.predictions.front().percent_time = Seconds{1.0};
  EXPECT_EQ(results.prediction_of(with), &results.predictions.front());
}

TEST(ResultSet, APredictionInAnotherOrderOfImagesIsOfAnotherMeasurement) {
  ResultSet results;
  results.predictions = {predicted_on_h200()};
  results.predictions.front().in_channels_last = true;
  const MeasuredCase without = measured_on_h200(false);
  EXPECT_NE(results.prediction_of(without), &results.predictions.front());
}

// A step outside its interval that waits for its host is excused by a host that nobody probed.
TEST(Agreement, AHostAtHandIsNoExcuse) {
  MeasuredCase with = measured_on_h200(true);
  MeasuredCase without = measured_on_h200(false);
  with.steps->median = without.steps->median = 1.0;
  with.host_bound = without.host_bound = true;
  Agreement probed;
  probed.add(with, &*with.model);
  EXPECT_EQ(probed.sentence(), "0 of 1 measured time is within its predicted interval.");
  Agreement other;
  other.add(without, &*without.model);
  EXPECT_THAT(other.sentence(), testing::HasSubstr("of the others 1 waits for the host"));
}

}  // namespace
}  // namespace rooflab::analyze
