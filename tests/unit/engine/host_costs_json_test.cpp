#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/input_error.hpp"
#include "describe/json_fields.hpp"
#include "engine/worker_probe.hpp"

namespace rooflab::engine {
namespace {

using testing::ElementsAre;
using testing::Key;
using testing::Pair;

device::HostCosts read(std::string_view text) {
  return from_json<device::HostCosts>(parse_json(text, "host.json"), "host.json");
}

// As docs/formats/probe.md describes it.
constexpr std::string_view whole = R"({
  "issuer": "pytorch", "version": "2.11.0", "cpu": "Some CPU",
  "ops": {
    "conv2d": {"inference_s": 2e-5, "forward_s": 3e-5, "backward_s": 4e-5},
    "view": {"inference_s": 1e-6, "forward_s": null, "backward_s": null}
  },
  "autocast": {"conv2d": {"inference_s": 2.5e-5, "forward_s": 3.5e-5, "backward_s": 4.5e-5}},
  "optimizer_fixed_s": {"sgd-momentum": 2e-5},
  "optimizer_per_tensor_s": {"sgd-momentum": 3e-7, "adam": 4e-7},
  "loss_s": 5e-5, "step_s": 1e-4, "module_call_s": 1.5e-6, "jitter": 1.25
})";

TEST(HostCostsJson, IsReadWhole) {
  const device::HostCosts costs = read(whole);
  EXPECT_EQ(costs.issuer, "pytorch");
  EXPECT_EQ(costs.version, "2.11.0");
  EXPECT_EQ(costs.cpu, "Some CPU");
  EXPECT_THAT(costs.ops, ElementsAre(Key("conv2d"), Key("view")));
  EXPECT_EQ(costs.ops.at("conv2d").inference_s, 2e-5);
  EXPECT_EQ(costs.ops.at("conv2d").forward_s, 3e-5);
  EXPECT_EQ(costs.ops.at("conv2d").backward_s, 4e-5);
  EXPECT_EQ(costs.ops.at("view").forward_s, std::nullopt);
  EXPECT_EQ(costs.ops.at("view").backward_s, std::nullopt);
  EXPECT_THAT(costs.autocast,
              ElementsAre(Pair("conv2d", record::HostCost{2.5e-5, 3.5e-5, 4.5e-5})));
  EXPECT_THAT(costs.optimizer_fixed_s, ElementsAre(Pair("sgd-momentum", 2e-5)));
  EXPECT_THAT(costs.optimizer_per_tensor_s,
              ElementsAre(Pair("adam", 4e-7), Pair("sgd-momentum", 3e-7)));
  EXPECT_EQ(costs.loss_s, 5e-5);
  EXPECT_EQ(costs.step_s, 1e-4);
  EXPECT_EQ(costs.module_call_s, 1.5e-6);
  EXPECT_EQ(costs.jitter, 1.25);
}

// Files of before calls of modules were measured.
TEST(HostCostsJson, WithoutModuleCallsTheyAreNotKnown) {
  Json json = parse_json(whole, "host.json");
  json.erase("module_call_s");
  EXPECT_EQ(from_json<device::HostCosts>(json, "host.json").module_call_s, std::nullopt);
}

// Files of before ops were measured in autocast: they cost what they cost elsewhere.
TEST(HostCostsJson, WithoutAutocastNoOpChanges) {
  Json json = parse_json(whole, "host.json");
  json.erase("autocast");
  EXPECT_THAT(from_json<device::HostCosts>(json, "host.json").autocast, testing::IsEmpty());
}

// Files of before there was a jitter: an undisturbed host.
TEST(HostCostsJson, WithoutJitterTheHostIsUndisturbed) {
  Json json = parse_json(whole, "host.json");
  json.erase("jitter");
  EXPECT_EQ(from_json<device::HostCosts>(json, "host.json").jitter, 1.0);
}

TEST(HostCostsJson, WhatIsMissingOrWrongIsNamed) {
  const auto fails = [](const char* key, const Json& value, const std::string& message) {
    Json json = parse_json(whole, "host.json");
    if (value.is_null()) {
      json.erase(key);
    } else {
      json[key] = value;
    }
    try {
      (void)from_json<device::HostCosts>(json, "host.json");
      ADD_FAILURE() << key << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.full_message(), testing::HasSubstr(message));
      EXPECT_THAT(error.full_message(), testing::StartsWith("host.json"));
    }
  };
  fails("issuer", nullptr, "'issuer' is missing");
  fails("loss_s", nullptr, "'loss_s' is missing");
  fails("ops", nullptr, "'ops' is missing");
  fails("step_s", "soon", "'step_s'");
  fails("ops", 3, "'ops'");
  fails("optimizer_fixed_s", {{"adam", "x"}}, "adam");
}

}  // namespace
}  // namespace rooflab::engine
