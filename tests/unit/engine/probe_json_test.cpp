#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/input_error.hpp"
#include "describe/schema.hpp"
#include "engine/worker_probe.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

OpProbeRequest op_request() {
  OpProbeRequest request;
  request.device = "cuda:1";
  request.budget_s = 12.5;
  request.items = {{ProbeKind::op, "graph a", Precision::tf32, true, true, "adam"},
                   {ProbeKind::chain, "graph b", Precision::fp32, false, false, "sgd-momentum"},
                   {ProbeKind::optimizer, "graph c"}};
  return request;
}

TEST(ProbeJson, ARequestForOpsIsReadBack) {
  const OpProbeRequest read = from_file_json<OpProbeRequest>(
      parse_json(file_json(op_request()).dump(), "request.json"), "request.json");
  EXPECT_EQ(read.device, "cuda:1");
  EXPECT_EQ(read.budget_s, 12.5);
  ASSERT_EQ(read.items.size(), 3U);
  EXPECT_EQ(read.items[0].kind, ProbeKind::op);
  EXPECT_EQ(read.items[0].graph, "graph a");
  EXPECT_EQ(read.items[0].precision, Precision::tf32);
  EXPECT_TRUE(read.items[0].channels_last);
  EXPECT_TRUE(read.items[0].gradients);
  EXPECT_EQ(read.items[0].optimizer, "adam");
  EXPECT_EQ(read.items[1].kind, ProbeKind::chain);
  EXPECT_EQ(read.items[1].precision, Precision::fp32);
  EXPECT_FALSE(read.items[1].channels_last);
  EXPECT_FALSE(read.items[1].gradients);
  EXPECT_EQ(read.items[2].kind, ProbeKind::optimizer);
  EXPECT_EQ(read.items[2].optimizer, "sgd-momentum");
}

TEST(ProbeJson, WrongRequestsNameTheKey) {
  const auto read = [](const Json& json) {
    return error_of([&] { return from_file_json<OpProbeRequest>(json, "request.json"); });
  };
  EXPECT_EQ(read(Json::object()),
            "request.json: this is not a request of the kind op_probe of Rooflab");
  EXPECT_EQ(read(file_json(DeviceProbeRequest())),
            "request.json: this is not a request of the kind op_probe of Rooflab");
  Json json = file_json(op_request());
  json["items"][1]["kind"] = "ops";
  EXPECT_EQ(read(json), "request.json: 'items[1].kind' must be one of op, chain, optimizer, call");
  json = file_json(op_request());
  json["items"][2]["precision"] = "bf16";
  EXPECT_EQ(read(json), "request.json: 'items[2].precision' must be fp32 or tf32");
  json["items"][2]["precision"] = "fp23";
  EXPECT_EQ(read(json), "request.json: 'items[2].precision' must be fp32 or tf32");
  json["schema_version"] = 1;
  EXPECT_THAT(read(json), HasSubstr("has schema version 1, this Rooflab reads 3"));
}

TEST(ProbeJson, ARequestForADeviceIsReadBack) {
  const DeviceProbeRequest read = from_file_json<DeviceProbeRequest>(
      file_json(DeviceProbeRequest{"cpu", true, {"bandwidth", "l2"}}), "request.json");
  EXPECT_EQ(read.device, "cpu");
  EXPECT_TRUE(read.quick);
  EXPECT_THAT(read.parts, ElementsAre("bandwidth", "l2"));
  EXPECT_EQ(error_of([] {
              return from_file_json<DeviceProbeRequest>(file_json(op_request()), "request.json");
            }),
            "request.json: this is not a request of the kind device_probe of Rooflab");
}

// Every figure has a different value, so that no two can be exchanged.
TEST(ProbeJson, AResultIsReadBack) {
  ProbeResult result;
  result.item = 7;
  result.forward_s = 1.0;
  result.data_gradient_s = 2.0;
  result.weight_gradient_s = 3.0;
  result.gradients_s = 4.0;
  result.optimizer_s = 5.0;
  result.issue_s = 6.0;
  result.forward_peak_bytes = 7.0;
  result.data_gradient_peak_bytes = 8.0;
  result.weight_gradient_peak_bytes = 9.0;
  result.gradients_peak_bytes = 10.0;
  result.spread = 0.125;
  result.message = "unsteady";
  const Json json = to_json(result);
  EXPECT_EQ(json.dump(),
            R"({"item":7,"forward_s":1.0,"data_gradient_s":2.0,"weight_gradient_s":3.0,)"
            R"("gradients_s":4.0,"optimizer_s":5.0,"issue_s":6.0,"forward_peak_bytes":7,)"
            R"("data_gradient_peak_bytes":8,"weight_gradient_peak_bytes":9,)"
            R"("gradients_peak_bytes":10,"spread_share":0.125,"message":"unsteady"})");
  const ProbeResult read = from_json<ProbeResult>(json, "r");
  EXPECT_EQ(read.item, 7U);
  EXPECT_EQ(read.forward_s, 1.0);
  EXPECT_EQ(read.data_gradient_s, 2.0);
  EXPECT_EQ(read.weight_gradient_s, 3.0);
  EXPECT_EQ(read.gradients_s, 4.0);
  EXPECT_EQ(read.optimizer_s, 5.0);
  EXPECT_EQ(read.issue_s, 6.0);
  EXPECT_EQ(read.forward_peak_bytes, 7.0);
  EXPECT_EQ(read.data_gradient_peak_bytes, 8.0);
  EXPECT_EQ(read.weight_gradient_peak_bytes, 9.0);
  EXPECT_EQ(read.gradients_peak_bytes, 10.0);
  EXPECT_EQ(read.spread, 0.125);
  EXPECT_EQ(read.message, "unsteady");
}

TEST(ProbeJson, WhatWasNotMeasuredIsNull) {
  ProbeResult result;
  result.message = "out of memory";
  const Json json = to_json(result);
  EXPECT_TRUE(json.at("forward_s").is_null());
  EXPECT_TRUE(json.at("gradients_peak_bytes").is_null());
  const ProbeResult read = from_json<ProbeResult>(json, "r");
  EXPECT_EQ(read.forward_s, std::nullopt);
  EXPECT_EQ(read.gradients_peak_bytes, std::nullopt);
  EXPECT_EQ(
      error_of([] { return from_json<ProbeResult>(parse_json(R"({"item": -1})", "r"), "r"); }),
      "r: 'item' must be a whole number of 0 or more");
}

TEST(ProbeJson, AFigureIsReadBack) {
  const device::MeasuredFigure read = from_json<device::MeasuredFigure>(
      to_json(device::MeasuredFigure{"dram.read", "B/s", 3e12, 2e12, 4e12, 5, "8 GiB"}), "r");
  EXPECT_EQ(read.name, "dram.read");
  EXPECT_EQ(read.unit, "B/s");
  EXPECT_EQ(read.value, 3e12);
  EXPECT_EQ(read.least, 2e12);
  EXPECT_EQ(read.most, 4e12);
  EXPECT_EQ(read.repetitions, 5);
  EXPECT_EQ(read.at, "8 GiB");
  EXPECT_EQ(error_of([] { return from_json<device::MeasuredFigure>(Json::object(), "r:4"); }),
            "r:4: 'name' is missing");
}

TEST(ProbeJson, AVectorAdditionIsReadBack) {
  const device::VectorAddition read = from_json<device::VectorAddition>(
      to_json(device::VectorAddition{"1x256", "device", 50'000'000, 1.0, 2.0, 3.0, 6.0, true}),
      "r");
  EXPECT_EQ(read.launch, "1x256");
  EXPECT_EQ(read.memory, "device");
  EXPECT_EQ(read.elements, 50'000'000);
  EXPECT_EQ(read.kernel_s, 1.0);
  EXPECT_EQ(read.to_device_s, 2.0);
  EXPECT_EQ(read.to_host_s, 3.0);
  EXPECT_EQ(read.total_s, 6.0);
  EXPECT_TRUE(read.correct);
  const device::VectorAddition bare = from_json<device::VectorAddition>(
      to_json(device::VectorAddition{"cpu", "host", 1, 1, {}, {}, 1, false}), "r");
  EXPECT_EQ(bare.to_device_s, std::nullopt);
  EXPECT_EQ(bare.to_host_s, std::nullopt);
  EXPECT_FALSE(bare.correct);
}

}  // namespace
}  // namespace rooflab::engine
