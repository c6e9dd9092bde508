#include "device/compiled_calibrations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "../base/note_matchers.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::device {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// With every field set to something that no field has by itself.
Calibration full_calibration() {
  OpTable table;
  table.columns = {"batch", "pixels"};
  table.rows = {{{64, 3136}, 0.000123456, 1234567}, {{1, 49.5}, 1e-05, {}}};
  table.curve = {0.1, -1.0, 1.0 / 3.0};
  table.lengths = {1.5, 2.0};
  table.noise = 0.01;
  table.amplitude = 0.2;
  table.error = 0.08;
  table.published = PublishedRows{"study", 100, 3, 2, 1e-05, 0.04, 0.05, 1.5, 0.2};
  HostCosts host;
  host.issuer = "pytorch";
  host.version = "2.11.0";
  host.cpu = "Some CPU";
  host.ops = {{"conv2d", {2e-05, 3e-05, 4e-05}}, {"view", {1e-06, {}, {}}}};
  host.autocast = {{"conv2d", {2.5e-05, {}, {}}}};
  host.optimizer_fixed_s = {{"adam", 3e-05}, {"sgd-momentum", 2e-05}};
  host.optimizer_per_tensor_s = {{"adam", 4e-07}};
  host.loss_s = 5e-05;
  host.step_s = 0.0001;
  host.module_call_s = 1.5e-06;
  host.jitter = 1.25;
  Calibration c;
  c.id = "toy-1";
  c.origins = {{"study", {"A study", "https://example.org", "MIT", "PyTorch 2.1"}}};
  c.device = "toy";
  c.device_name = "Toy \"1\"";
  c.command = "rooflab probe --device cuda";
  c.environment = {{"date", "2026-11-21"}, {"driver", "580.1"}};
  c.figures = {{"dram.read", "B/s", 4.51234e12, 4.4e12, 4.6e12, 20, "8 GiB"}};
  c.vector_additions = {{"cpu", "host", 1'000'000, 0.00123456, {}, {}, 0.0013, true},
                        {"1x1", "managed", 5, 1e-5, 0.0, 0.25, 2.5, false}};
  c.ops = {{"conv2d.forward.tf32.nchw", table}, {"relu.forward.f32", {{"elements"}, {}}}};
  c.hosts = {host, {.issuer = "rooflab"}};
  c.links = {{"all_reduce", 8, 4096, 9.5e-06}};
  c.notes = {sentence("No cuBLASLt."), sentence("")};
  return c;
}

/// A calibration with nothing but what a file must have.
Calibration bare_calibration() {
  Calibration c;
  c.id = "bare";
  c.device_name = "Bare";
  return c;
}

std::vector<std::filesystem::path> shipped_files() {
  std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::path(ROOFLAB_SOURCE_DIR) / "data/calibrations";
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string message_of(const std::function<void()>& fails) {
  try {
    fails();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::capability);
    return error.what();
  }
  return "no error";
}

TEST(CompiledCalibrations, WhatIsReadIsWhatWasCompiled) {
  const std::vector<Calibration> all = {full_calibration(), bare_calibration()};
  const std::string bytes = compile(all);
  const CompiledCalibrations compiled(bytes);
  ASSERT_EQ(compiled.entries().size(), 2U);
  EXPECT_EQ(compiled.read(1), all[1]);
  EXPECT_EQ(compiled.read(0), all[0]);
  EXPECT_TRUE(CompiledCalibrations(compile({})).entries().empty());
}

TEST(CompiledCalibrations, AnEntrySaysWhatIsInACalibration) {
  const std::string bytes = compile({full_calibration()});
  const CalibrationEntry entry = CompiledCalibrations(bytes).entries().front();
  EXPECT_EQ(entry.id, "toy-1");
  EXPECT_EQ(entry.device, "toy");
  EXPECT_EQ(entry.device_name, "Toy \"1\"");
  EXPECT_EQ(entry.date, "2026-11-21");
  EXPECT_THAT(entry.kinds, ElementsAre(CalibratedKind{"conv2d.forward.tf32.nchw", true, true},
                                       CalibratedKind{"relu.forward.f32", false}));
  EXPECT_THAT(entry.issuers, ElementsAre("pytorch", "rooflab"));
}

// The folder may be empty. Whatever it holds is in the program, and named after its id.
TEST(CompiledCalibrations, BuiltInOnesAreThoseOfTheFolder) {
  const std::vector<std::filesystem::path> files = shipped_files();
  const std::vector<LazyCalibration>& built_in = built_in_calibrations();
  ASSERT_EQ(built_in.size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Calibration written = read_calibration(read_file(files[i]), files[i].string());
    EXPECT_EQ(written.id, files[i].stem().string());
    EXPECT_EQ(built_in[i].entry(), entry_of(written));
    EXPECT_TRUE(*built_in[i].read() == written) << files[i];  // too long to print
  }
}

// Every byte of the head and of the index counts, and every end that is too early is found.
TEST(CompiledCalibrations, DamagedBytesAreAnErrorAndNeverAnotherCalibration) {
  const std::string good = compile({bare_calibration(), full_calibration()});
  const auto read_both = [](const std::string& bytes) {
    const CompiledCalibrations compiled(bytes);
    (void)compiled.read(0);
    (void)compiled.read(1);
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string wrong = good;
    wrong[i] = static_cast<char>(wrong[i] ^ 0x10);
    EXPECT_THROW(read_both(wrong), Error) << "byte " << i;
    EXPECT_THROW(read_both(good.substr(0, i)), Error) << i << " bytes";
  }
  EXPECT_THROW(read_both(good + "x"), Error);
}

TEST(CompiledCalibrations, AnErrorSaysWhatIsDamaged) {
  const std::string good = compile({bare_calibration()});
  const auto opened = [](std::string bytes) {
    return message_of([&] { (void)CompiledCalibrations(bytes).read(0); });
  };
  EXPECT_EQ(opened(""),
            "internal error: the calibrations in this program are damaged: they end too early");
  EXPECT_THAT(opened("elsewise" + good.substr(8)), HasSubstr("do not begin with their mark"));
  std::string newer = good;
  newer[8] = 9;
  EXPECT_THAT(opened(newer), HasSubstr("their layout has version 9, the program reads 1"));
  std::string index = good;
  index[33] ^= 1;
  EXPECT_THAT(opened(index), HasSubstr("the checksum of the index is wrong"));
  std::string section = good;
  section.back() ^= 1;
  EXPECT_THAT(opened(section), HasSubstr("the checksum of bare is wrong"));
}

}  // namespace
}  // namespace rooflab::device
