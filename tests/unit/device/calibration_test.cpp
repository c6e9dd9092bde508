#include "rooflab/device/calibration.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rooflab::device {
namespace {

MeasuredFigure figure(std::string name, double value, std::string at = {}) {
  return {std::move(name), "B/s", value, value, value, 1, std::move(at)};
}

Device toy_device() {
  Device device;
  device.id = "toy";
  device.bandwidth = {.value = 320e9, .unit = "GB/s", .printed_value = 320.0, .source = "S"};
  device.l2 = {.value = 4e6, .unit = "MB", .printed_value = 4.0, .source = "S"};
  device.peaks[ArithmeticPath::fp32_vector] = {
      .value = 8e12, .unit = "TFLOP/s", .printed_value = 8.0, .source = "S"};
  device.peaks[ArithmeticPath::fp64_vector] = {
      .value = 4e12, .unit = "TFLOP/s", .printed_value = 4.0, .source = "S"};
  return device;
}

TEST(Calibration, FindsFiguresByTheirWholeName) {
  Calibration c;
  c.figures = {figure("gemm.tf32_tensor.8192", 1.0), figure("gemm.tf32_tensor", 2.0)};
  ASSERT_NE(c.find("gemm.tf32_tensor"), nullptr);
  EXPECT_EQ(c.find("gemm.tf32_tensor")->value, 2.0);
  EXPECT_EQ(c.find("gemm"), nullptr);
}

TEST(Calibration, TheRoofOfTheMemoryIsTheBestOfItsStreams) {
  Calibration c;
  c.environment["date"] = "2026-11-21T14:00:00Z";
  c.figures = {figure("dram.read", 280e9), figure("dram.write", 300e9, "4 GiB"),
               figure("dram.copy", 270e9), figure("dram.triad", 275e9), figure("l2.read", 900e9)};
  const Device device = with_measured_roofs(toy_device(), c);
  ASSERT_TRUE(device.bandwidth.has_value());
  EXPECT_EQ(device.bandwidth->value, 300e9);
  EXPECT_EQ(device.bandwidth->printed_value, 300.0);
  EXPECT_EQ(device.bandwidth->unit, "GB/s");
  EXPECT_EQ(device.bandwidth->source, "rooflab probe, 2026-11-21T14:00:00Z, dram.write at 4 GiB");
  EXPECT_EQ(device.l2->value, 4e6);
}

TEST(Calibration, APeakIsTheBetterOfLoopAndProduct) {
  Calibration c;
  c.figures = {figure("peak.fp32_vector", 7.5e12), figure("gemm.fp32_vector", 7e12),
               figure("peak.fp16_tensor_fp32", 60e12),
               figure("gemm.fp16_tensor_fp32", 61e12, "8192"),
               figure("gemm.int8_tensor_int32", 100e12)};
  const Device device = with_measured_roofs(toy_device(), c);
  EXPECT_EQ(peak(device, ArithmeticPath::fp32_vector), 7.5e12);
  EXPECT_EQ(device.peaks.at(ArithmeticPath::fp32_vector).source, "rooflab probe, peak.fp32_vector");
  EXPECT_EQ(device.peaks.at(ArithmeticPath::fp32_vector).unit, "TFLOP/s");
  EXPECT_EQ(device.peaks.at(ArithmeticPath::fp32_vector).printed_value, 7.5);
  EXPECT_EQ(peak(device, ArithmeticPath::fp16_tensor_fp32), 61e12);
  EXPECT_EQ(device.peaks.at(ArithmeticPath::fp16_tensor_fp32).source,
            "rooflab probe, gemm.fp16_tensor_fp32 at 8192");
  EXPECT_EQ(device.peaks.at(ArithmeticPath::int8_tensor_int32).unit, "TOP/s");
  // Not measured: the datasheet's.
  EXPECT_EQ(device.peaks.at(ArithmeticPath::fp64_vector).source, "S");
  EXPECT_EQ(peak(device, ArithmeticPath::fp64_tensor), std::nullopt);
}

TEST(Calibration, WithoutFiguresTheDeviceStaysAsItIs) {
  const Device device = with_measured_roofs(toy_device(), {});
  EXPECT_EQ(device.bandwidth->value, 320e9);
  EXPECT_EQ(device.bandwidth->source, "S");
  EXPECT_EQ(device.peaks.size(), 2U);
}

OpTable table_of(std::size_t rows, double error) {
  OpTable table{.columns = {"elements"}, .rows = {}, .curve = {1.0}};
  for (std::size_t i = 0; i < rows; ++i) {
    table.rows.push_back({.sizes = {static_cast<double>(i + 1)}, .time_s = 1e-6});
  }
  table.error = error;
  return table;
}

TEST(Calibration, FewRowsThatScatterAreRough) {
  EXPECT_TRUE(is_rough(table_of(24, 0.948)));
  EXPECT_FALSE(is_rough(table_of(12, 0.07)));
  EXPECT_FALSE(is_rough(table_of(1610, 0.394)));
  OpTable published = table_of(24, 0.948);
  published.published.emplace();
  EXPECT_FALSE(is_rough(published));
}

// (30 x 0.5 + 10 x 0.1) / 40 = 0.4; what is published or has no model does not count.
TEST(Calibration, TheExpectedErrorWeighsByRows) {
  Calibration c;
  EXPECT_FALSE(expected_error(c));
  c.ops["conv2d.forward.fp32.nchw"] = table_of(30, 0.5);
  c.ops["relu.forward.f32"] = table_of(10, 0.1);
  c.ops["add.forward.f32"] = table_of(100, 9.0);
  c.ops["add.forward.f32"].curve.clear();
  c.ops["linear.forward.fp32"] = table_of(100, 9.0);
  c.ops["linear.forward.fp32"].published.emplace();
  EXPECT_DOUBLE_EQ(expected_error(c).value(), 0.4);
}

}  // namespace
}  // namespace rooflab::device
