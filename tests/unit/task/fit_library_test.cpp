// The library's Predictor::fit() and the command `fit` find the same batches.

#include <gtest/gtest.h>

#include "rooflab/analyze/predictor.hpp"
#include "rooflab/task/fit.hpp"
#include "rooflab/task/session.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::task {
namespace {

std::optional<std::int64_t> only(const std::vector<std::int64_t>& counts) {
  return counts.empty() ? std::nullopt : std::optional(counts.front());
}

void expect_same(const std::string& model, const std::string& device, Phase phase,
                 Precision precision) {
  SCOPED_TRACE(model + " on " + device);
  FitRequest request;
  request.network.model = model;
  request.network.settings.phase = {phase};
  request.network.settings.precision = {precision};
  request.target.device = {device};
  Session session;
  const analyze::FitPoint point = run(request, session).result.points.front();
  const analyze::BatchFit fit = analyze::Predictor::built_in().fit(
      zoo::build(model), device, {.phase = phase, .precision = precision});
  EXPECT_TRUE(fit.uncounted.empty());
  EXPECT_EQ(fit.fits, only(point.comfortable));
  EXPECT_EQ(fit.likely, only(point.likely));
  EXPECT_EQ(fit.largest, only(point.counts));
}

TEST(FitOfTheLibrary, IsThatOfTheCommand) {
  expect_same("alexnet", "t4", Phase::training, Precision::fp32);
  expect_same("resnet50", "h200", Phase::training, Precision::amp);
  expect_same("vgg16", "rtx3090", Phase::inference, Precision::fp16);
  expect_same("mobilenet_v2", "v100-sxm2-16gb", Phase::forward, Precision::fp32);
}

}  // namespace
}  // namespace rooflab::task
