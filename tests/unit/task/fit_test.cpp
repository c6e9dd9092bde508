// The boundaries of `fit` compared with the verdicts of `predict`, for drawn networks, devices and
// settings.

#include "rooflab/task/fit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "rooflab/task/predict.hpp"

namespace rooflab::task {
namespace {

using predict::Verdict;

/// A question, as both commands take it.
struct Draw {
  std::string network;
  std::string device;
  Phase phase = Phase::training;
  Precision precision = Precision::fp32;
  schedule::Optimizer optimizer = schedule::Optimizer::sgd_momentum;

  [[nodiscard]] std::string text() const {
    return format("{} --device {} --phase {} --precision {} --optimizer {}", network, device,
                  name_of(phase), name_of(precision), name_of(optimizer));
  }
  void choose(NetworkSettings& settings) const {
    settings.phase = {phase};
    settings.precision = {precision};
    if (phase == Phase::training) settings.optimizer = optimizer;
  }
};

analyze::FitResult fitted(const Draw& draw) {
  FitRequest request;
  request.network.model = draw.network;
  draw.choose(request.network.settings);
  request.target.device = {draw.device};
  Session session;
  return run(std::move(request), session).result;
}

Verdict verdict_of(const Draw& draw, std::int64_t batch) {
  PredictRequest request;
  request.grid.models = {draw.network};
  request.grid.device = {draw.device};
  draw.choose(request.grid.network);
  request.grid.network.batch = {batch};
  Session session;
  return run(request, session).cases.front().fit.value().verdict;
}

/// Up to the count all have the verdict, and one more has not.
void expect_boundary(const Draw& draw, const std::vector<std::int64_t>& counts, Verdict verdict) {
  const std::string what = format("{}, {}", draw.text(), name_of(verdict));
  if (counts.empty()) {
    EXPECT_GT(verdict_of(draw, 1), verdict) << what;
    return;
  }
  EXPECT_LE(verdict_of(draw, counts[0]), verdict) << what << ' ' << counts[0];
  EXPECT_LE(verdict_of(draw, (counts[0] + 1) / 2), verdict) << what << ' ' << (counts[0] + 1) / 2;
  EXPECT_GT(verdict_of(draw, counts[0] + 1), verdict) << what << ' ' << counts[0] + 1;
}

TEST(Fit, ItsBoundariesAreThoseOfPredict) {
  const std::vector<std::string> networks = {"resnet18",     "alexnet",       "vgg11",
                                             "mobilenet_v2", "squeezenet1_1", "vit_b_16"};
  const std::vector<std::string> devices = {"t4", "rtx-3090", "a100-sxm4-80gb", "h200-sxm",
                                            "v100-sxm2-16gb"};
  const std::array phases = {Phase::inference, Phase::forward, Phase::training};
  const std::array precisions = {Precision::fp32, Precision::amp, Precision::fp16};
  const std::array optimizers = {schedule::Optimizer::sgd_momentum, schedule::Optimizer::adam};
  std::mt19937 random(5);
  const auto one_of = [&random](const auto& all) { return all[random() % all.size()]; };
  for (int i = 0; i < 8; ++i) {
    const Draw draw{one_of(networks), one_of(devices), one_of(phases), one_of(precisions),
                    one_of(optimizers)};
    const analyze::FitResult result = fitted(draw);
    ASSERT_EQ(result.points.size(), 1U) << draw.text();
    expect_boundary(draw, result.points[0].comfortable, Verdict::fits);
    expect_boundary(draw, result.points[0].likely, Verdict::likely);
    expect_boundary(draw, result.points[0].counts, Verdict::risky);
    for (const analyze::FitCircumstance& each : result.circumstances) {
      if (each.circumstance == "results kept") continue;  // predict has no such loop
      Draw other = draw;
      if (draw.phase != Phase::training) other.optimizer = Draw{}.optimizer;  // nobody chose one
      if (const auto phase = from_name<Phase>(each.circumstance)) other.phase = *phase;
      if (const auto type = from_name<Precision>(each.circumstance)) other.precision = *type;
      expect_boundary(other, each.counts, Verdict::risky);
    }
  }
}

// A network of 9 MB a sample on a card of 24 GB: what the main line says and what is next to it
// as asked for are one figure.
TEST(Fit, WhatWasAskedForHasOneBoundary) {
  const analyze::FitResult result = fitted({"vgg16", "rtx-3090"});
  EXPECT_EQ(result.circumstances.front().circumstance, "as asked for");
  EXPECT_EQ(result.circumstances.front().counts, result.points.front().counts);
  EXPECT_EQ(result.circumstances.front().expected, result.points.front().expected);
}

// Fragments of the allocator differ by gigabytes from batch to batch: the verdict ends, and comes
// again.
TEST(Fit, ARaggedBoundaryIsSaidWithBothEnds) {
  const Draw draw{"resnet18", "h200-sxm", Phase::training, Precision::fp16,
                  schedule::Optimizer::adam};
  const analyze::FitPoint point = fitted(draw).points.front();
  expect_boundary(draw, point.likely, Verdict::likely);
  ASSERT_FALSE(point.likely_further.empty());
  EXPECT_GT(point.likely_further[0], point.likely[0]);
  EXPECT_LE(verdict_of(draw, point.likely_further[0]), Verdict::likely);
}

}  // namespace
}  // namespace rooflab::task
