#include <gtest/gtest.h>

#include <utility>

#include "../recording/recording_text.hpp"
#include "toy_model.hpp"

// What the host pays for recorded steps, worked out by hand.

namespace rooflab::predict {
namespace {

using recording::RecordingText;

/// A device without times of ops, on whose host programs take 1.5 times as long to issue.
TimeModel model() {
  device::Calibration calibration =
      calibration_of("source", {{"relu.forward.f32", plain_table("relu", 1e-12, 1e-12)}});
  calibration.figures = {{"launch.issue", "s", 1 * ms, 1 * ms, 1 * ms, 1, ""},
                         {"issue.program", "1", 1.5, 1.5, 1.5, 1, ""}};
  return TimeModel({{device::LazyCalibration(std::move(calibration)), calibrated_device("source")}},
                   calibrated_device("source"));
}

device::HostCosts host_of(std::string issuer) {
  device::HostCosts host;
  host.issuer = std::move(issuer);
  host.ops["unary"] = {2 * ms, 2 * ms, {}};
  host.ops["cat"] = {1 * ms, {}, {}};
  host.ops["attention"] = {4 * ms, {}, {}};
  host.ops["attention_plan"] = {100 * ms, {}, {}};
  return host;
}

double host_ms(const RecordingText& text, const device::HostCosts& host) {
  return predict_step(text.lowered(), model(), {.host = &host}).host.value / ms;
}

// Two ReLUs of 2 ms. Ops that rooflab issues follow each other without a program between them.
TEST(RecordedIssue, OpsOfAProgramTakeLongerThanEqualOpsInARow) {
  RecordingText text;
  const int x = text.input("f32", {4});
  const int y = text.tensor("f32", {4});
  text.op("aten.relu", {x}, {y});
  text.op("aten.relu", {y}, {text.tensor("f32", {4})});
  EXPECT_NEAR(host_ms(text, host_of("pytorch")), 1.5 * 4, 1e-9);
  EXPECT_NEAR(host_ms(text, host_of("rooflab")), 4, 1e-9);
}

/// Two layers that read a cache of 7 tokens: with one more token appended, or as it is.
RecordingText decoded(std::string_view kernel, bool grows) {
  RecordingText text;
  const int q = text.input("bf16", {1, 2, 1, 8});
  for (int layer = 0; layer < 2; ++layer) {
    int keys = text.input("bf16", {1, 2, 7, 8});
    if (grows) {
      const int token = text.tensor("bf16", {1, 2, 1, 8});
      text.op("aten.relu", {q}, {token});
      const int longer = text.tensor("bf16", {1, 2, 8, 8});
      text.op("aten.cat", {{keys, token}}, {longer}, R"("dim":2)");
      keys = longer;
    }
    text.op(kernel, {q, keys, keys, nullptr},
            {text.tensor("bf16", {1, 2, 1, 8}), text.tensor("f32", {1, 2, 1})});
  }
  return text;
}

// One plan of 100 ms for both layers, whose keys have one shape; it does not wait for a program. A
// cache that stays as long as it is needs none in later steps, nor do other kernels.
TEST(RecordedIssue, CudnnPlansAttentionAnewForACacheThatGrows) {
  constexpr std::string_view cudnn = "aten._scaled_dot_product_cudnn_attention";
  constexpr std::string_view other = "aten._scaled_dot_product_efficient_attention";
  const device::HostCosts host = host_of("pytorch");
  EXPECT_NEAR(host_ms(decoded(cudnn, true), host), 1.5 * 2 * (2 + 1 + 4) + 100, 1e-9);
  EXPECT_NEAR(host_ms(decoded(cudnn, false), host), 1.5 * 2 * 4, 1e-9);
  EXPECT_NEAR(host_ms(decoded(other, true), host), 1.5 * 2 * (2 + 1 + 4), 1e-9);
}

}  // namespace
}  // namespace rooflab::predict
