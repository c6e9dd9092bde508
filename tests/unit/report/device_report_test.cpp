#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/device/catalog.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using testing::HasSubstr;

TEST(DeviceReport, EveryFigureWithUnitSourceAndRidgePoint) {
  const Json t4 = device_report(device::Catalog::built_in().find("t4")).json["devices"][0];
  EXPECT_EQ(t4["id"], "t4");
  EXPECT_EQ(t4["peaks_flop_per_s"]["fp32_vector"]["value"], 8.1e12);
  EXPECT_EQ(t4["peaks_flop_per_s"]["fp32_vector"]["printed_value"], 8.1);
  EXPECT_EQ(t4["peaks_flop_per_s"]["fp32_vector"]["unit"], "TFLOP/s");
  EXPECT_FALSE(t4["peaks_flop_per_s"]["fp32_vector"]["source"].get<std::string>().empty());
  EXPECT_EQ(t4["bandwidth_bytes_per_s"]["value"], 320e9);
  EXPECT_DOUBLE_EQ(t4["ridge_points_flop_per_byte"]["fp32_vector"].get<double>(), 8.1e12 / 320e9);
  EXPECT_FALSE(t4["peaks_flop_per_s"].contains("tf32_tensor"));
  EXPECT_EQ(t4["base_clock_hz"]["value"], 585e6);
  EXPECT_EQ(t4["sustained_clock_hz"]["value"], 800e6);
  EXPECT_TRUE(t4["sustained_flop_per_s"].empty());
}

TEST(DeviceReport, ShowsSustainedRatesAfterThePeaks) {
  const page::Document h200 = device_report(device::Catalog::built_in().find("h200"));
  EXPECT_EQ(h200.json["devices"][0]["sustained_flop_per_s"]["bf16_tensor_fp32"]["value"], 690e12);
  const std::string text = page::render(h200, page::Format::csv);
  const std::size_t rate = text.find("sustained BF16 tensor,690000000000000,,");
  ASSERT_NE(rate, std::string::npos) << text;
  EXPECT_LT(text.find("peak INT8 tensor"), rate);
  EXPECT_LT(rate, text.find("multiprocessors"));
}

TEST(DeviceReport, AbsentIsNullAndADash) {
  const device::Device bare{.id = "bare", .name = "Bare", .vendor = "ACME"};
  const std::vector<device::Device> devices = {bare};
  const page::Document document = device_list_report(devices);
  EXPECT_TRUE(document.json["devices"][0]["memory_bytes"].is_null());
  EXPECT_TRUE(document.json["devices"][0]["pcie"].is_null());
  EXPECT_EQ(page::render(document, page::Format::csv),
            "id,name,architecture,fp32_flop_per_s,tf32_flop_per_s,fp16_tensor_flop_per_s,"
            "memory_bytes,bandwidth_bytes_per_s,tdp_w\nbare,Bare,,,,,,,\n");
}

TEST(DeviceReport, SourcesAreNumberedBelowTheTable) {
  device::Device device{.id = "toy", .name = "Toy", .vendor = "ACME"};
  device.memory = device::Figure{16e9, "GB", 16.0, "datasheet", false, ""};
  device.bandwidth = device::Figure{100e9, "GB/s", 100.0, "datasheet", false, ""};
  device.tdp = device::Figure{70.0, "W", 70.0, "a forum", true, ""};
  device.peaks[ArithmeticPath::int8_tensor_int32] =
      device::Figure{1e12, "TOP/s", 1.0, "datasheet", false, ""};
  const std::string text = page::render(device_report(device), page::Format::table);
  EXPECT_THAT(text, HasSubstr("(1)"));
  EXPECT_THAT(text, HasSubstr("(2) recalled"));
  EXPECT_THAT(text, HasSubstr("\n(1) datasheet\n(2) a forum\n"));
  EXPECT_THAT(text, HasSubstr(" 10.00 OP/B "));
  // CSV has the texts.
  EXPECT_THAT(page::render(device_report(device), page::Format::csv),
              HasSubstr("memory,16000000000,,datasheet,"));
}

}  // namespace
}  // namespace rooflab::report
