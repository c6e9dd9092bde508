#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "../base/note_matchers.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::device {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Calibration toy_calibration() {
  Calibration c;
  c.id = "toy-1";
  c.device = "toy";
  c.device_name = "Toy \"1\"";
  c.command = "rooflab probe --device cuda";
  c.environment = {{"driver", "580.1"}, {"sm clock", "1980 MHz"}};
  c.figures = {{"dram.read", "B/s", 4.51234e12, 4.4e12, 4.6e12, 20, "8 GiB"},
               {"context", "B", 567'148'544, 567'148'544, 567'148'544, 1, ""}};
  c.vector_additions = {{"cpu", "host", 1'000'000, 0.00123456, {}, {}, 0.0013, true},
                        {"1x1", "managed", 5, 1e-5, 0.0, 0.25, 2.5, false}};
  HostCosts host;
  host.issuer = "pytorch";
  host.version = "2.11.0";
  host.cpu = "Some CPU";
  host.loss_s = 5e-05;
  host.step_s = 0.0001;
  host.module_call_s = 1.5e-06;
  host.optimizer_fixed_s = {{"adam", 3e-05}, {"sgd-momentum", 2e-05}};
  host.optimizer_per_tensor_s = {{"adam", 4e-07}};
  host.ops = {{"conv2d", {2e-05, 3e-05, 4e-05}}, {"view", {1e-06, {}, {}}}};
  host.autocast = {{"conv2d", {2.5e-05, {}, {}}}};
  c.hosts = {host};
  c.links = {{"all_reduce", 2, 4096, 9.5e-06}, {"copy", 2, 268435456, 0.000712345678}};
  OpTable table;
  table.columns = {"batch", "pixels"};
  table.rows = {{{64, 3136}, 0.000123456, 1234567}, {{1, 49.5}, 1e-05, {}}};
  table.curve = {0.1, -1.0, 1.0 / 3.0};
  table.lengths = {1.5, 2.0};
  table.noise = 0.01;
  table.amplitude = 0.2;
  table.error = 0.08;
  c.ops["conv2d.forward.tf32.nchw"] = table;
  c.notes = {sentence("No cuBLASLt."), sentence("A back\\slash,\ttab.")};
  return c;
}

// Written by hand; 1/3 is the shortest text that reads as the same double.
constexpr std::string_view toy_text =
    R"(# A calibration: what `rooflab probe` measured on one device.

id = "toy-1"
device = "toy"
device_name = "Toy \"1\""
command = "rooflab probe --device cuda"

notes = [
  "No cuBLASLt.",
  "A back\\slash,\u0009tab.",
]

figures = [
  { name = "dram.read", unit = "B/s", value = 4.51234e+12, least = 4.4e+12, most = 4.6e+12, repetitions = 20, at = "8 GiB" },
  { name = "context", unit = "B", value = 567148544, least = 567148544, most = 567148544, repetitions = 1 },
]

vector_additions = [
  { launch = "cpu", memory = "host", elements = 1000000, kernel_s = 0.00123456, total_s = 0.0013, correct = true },
  { launch = "1x1", memory = "managed", elements = 5, kernel_s = 1e-05, to_device_s = 0, to_host_s = 0.25, total_s = 2.5, correct = false },
]

[environment]
driver = "580.1"
"sm clock" = "1980 MHz"

[host.pytorch]
issuer = "pytorch"
version = "2.11.0"
cpu = "Some CPU"
loss_s = 5e-05
step_s = 0.0001
module_call_s = 1.5e-06
optimizer_fixed_s = { adam = 3e-05, sgd-momentum = 2e-05 }
optimizer_per_tensor_s = { adam = 4e-07 }

[host.pytorch.ops]
conv2d = { inference_s = 2e-05, forward_s = 3e-05, backward_s = 4e-05 }
view = { inference_s = 1e-06 }

[host.pytorch.autocast]
conv2d = { inference_s = 2.5e-05 }

[[links]]
collective = "all_reduce"
ranks = 2
bytes = 4096
time_s = 9.5e-06

[[links]]
collective = "copy"
ranks = 2
bytes = 268435456
time_s = 0.000712346

[ops."conv2d.forward.tf32.nchw"]
columns = ["batch", "pixels"]
curve = [0.1, -1, 0.3333333333333333]
lengths = [1.5, 2]
noise = 0.01
amplitude = 0.2
error = 0.08
rows = '''
64 3136 0.000123456 1234567
1 49.5 1e-05 -
'''
)";

TEST(CalibrationWriter, WritesWhatTheDocumentDescribes) {
  EXPECT_EQ(to_toml(toy_calibration()), toy_text);
}

TEST(CalibrationWriter, WhatIsWrittenIsReadBack) {
  const Calibration read = read_calibration(toy_text, "toy.toml");
  EXPECT_EQ(to_toml(read), toy_text);
  const Calibration made = toy_calibration();
  EXPECT_EQ(read.device_name, made.device_name);
  EXPECT_EQ(read.notes, made.notes);
  EXPECT_EQ(read.environment, made.environment);
  ASSERT_EQ(read.figures.size(), 2U);
  EXPECT_EQ(read.figures[0].value, 4.51234e12);
  EXPECT_EQ(read.figures[1].value, 567'148'544.0);
  ASSERT_EQ(read.links.size(), 2U);
  EXPECT_EQ(read.links[0].collective, "all_reduce");
  EXPECT_EQ(read.links[1].bytes, 268'435'456.0);
  const OpTable& ops = read.ops.at("conv2d.forward.tf32.nchw");
  EXPECT_EQ(ops.curve, made.ops.begin()->second.curve);
  ASSERT_EQ(ops.rows.size(), 2U);
  EXPECT_EQ(ops.rows[0].time_s, 0.000123456);
  EXPECT_EQ(ops.rows[1].workspace_bytes, std::nullopt);
}

constexpr std::string_view published_text =
    R"(# A calibration: published measurements of one device.

id = "toy-1"
device_name = "Toy 1"

[origins.toy-ops]
title = "Toy ops"
url = "https://example.org"
license = "MIT"
environment = "PyTorch 9.9"

[[links]]
collective = "all_reduce"
ranks = 2
bytes = 4096
time_s = 9.5e-06
origin = "toy-ops"

[ops."add.forward.f32"]
columns = ["elements"]
published = { origin = "toy-ops", rows = 700, too_short = 397, outliers = 2, launch_s = -1.5e-06, error_of_all = 0.0151, error_of_kept = 0.0169, factor = 0.77, spread = 0.15 }
rows = '''
64 1e-05 -
'''

[ops."relu.forward.f32"]
columns = ["elements"]
published = { origin = "toy-ops", rows = 3, too_short = 0, outliers = 0, launch_s = 0, error_of_all = 0, error_of_kept = 0 }
rows = '''
64 1e-05 -
'''
)";

TEST(CalibrationWriter, PublishedRowsKeepTheirOrigin) {
  const Calibration read = read_calibration(published_text, "toy.toml");
  EXPECT_EQ(read.origins.at("toy-ops").license, "MIT");
  EXPECT_EQ(read.links.at(0).origin, "toy-ops");
  const std::optional<PublishedRows>& published = read.ops.at("add.forward.f32").published;
  ASSERT_TRUE(published.has_value());
  EXPECT_EQ(published->too_short, 397);
  EXPECT_EQ(published->launch_s, -1.5e-6);
  EXPECT_EQ(published->error_of_kept, 0.0169);
  EXPECT_EQ(published->factor, 0.77);
  EXPECT_EQ(read.ops.at("relu.forward.f32").published->factor, 1.0);
  EXPECT_EQ(to_toml(read), published_text);
}

// 1/3 s is 0.333333 in the file; reading that and writing again changes nothing more.
TEST(CalibrationWriter, RoundsToSixDigitsOnce) {
  Calibration c = toy_calibration();
  c.figures[0].value = 4.5e12 + 1.0 / 3.0;
  c.ops.begin()->second.rows[0].time_s = 1.0 / 3.0;
  const std::string first = to_toml(c);
  EXPECT_THAT(first, HasSubstr("64 3136 0.333333 1234567\n"));
  EXPECT_THAT(first, HasSubstr("value = 4.5e+12,"));
  const Calibration read = read_calibration(first, "toy.toml");
  EXPECT_EQ(read.ops.begin()->second.rows[0].time_s, 0.333333);
  EXPECT_EQ(to_toml(read), first);
}

TEST(CalibrationWriter, LeavesOutWhatIsNotThere) {
  Calibration c;
  c.id = "toy-1";
  c.device_name = "Toy";
  c.ops["relu"].columns = {"elements"};
  const std::string text = to_toml(c);
  EXPECT_EQ(text,
            "# A calibration: what `rooflab probe` measured on one device.\n\n"
            "id = \"toy-1\"\ndevice_name = \"Toy\"\n\n"
            "[ops.relu]\ncolumns = [\"elements\"]\nrows = '''\n'''\n");
  const Calibration read = read_calibration(text, "toy.toml");
  EXPECT_EQ(read.device, "");
  EXPECT_TRUE(read.ops.at("relu").rows.empty());
  EXPECT_EQ(to_toml(read), text);
}

// One framework on two CPUs: both are kept, in their order.
TEST(CalibrationWriter, KeepsHostsOfOneIssuerApart) {
  Calibration c = toy_calibration();
  c.hosts.push_back(c.hosts[0]);
  c.hosts[1].cpu = "Another CPU";
  c.hosts.insert(c.hosts.begin(), c.hosts[0]);
  c.hosts[0].issuer = "rooflab";
  const std::string text = to_toml(c);
  EXPECT_THAT(text, HasSubstr("\n[host.pytorch-2.ops]\n"));
  const Calibration read = read_calibration(text, "toy.toml");
  ASSERT_EQ(read.hosts.size(), 3U);
  EXPECT_EQ(read.hosts[0].issuer, "rooflab");
  EXPECT_EQ(read.hosts[1].cpu, "Some CPU");
  EXPECT_EQ(read.hosts[2].issuer, "pytorch");
  EXPECT_EQ(read.hosts[2].cpu, "Another CPU");
}

TEST(CalibrationWriter, CarriesAnyText) {
  Calibration c = toy_calibration();
  c.environment = {{"", "empty key"}, {"k\"e\ny", "'''\\u0041 \x7f \xc3\xa9"}};
  const Calibration read = read_calibration(to_toml(c), "toy.toml");
  EXPECT_THAT(read.environment,
              ElementsAre(Pair("", "empty key"), Pair("k\"e\ny", "'''\\u0041 \x7f \xc3\xa9")));
}

}  // namespace
}  // namespace rooflab::device
