#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../base/thrown_error.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::device {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view device_head = R"(id = "toy-1"
name = "Toy 1"
aliases = ["toy", "t-one"]
vendor = "ACME"
)";

/// Reads the device_head with `lines` from line 5 on.
Device read_lines(std::string_view lines) {
  return read_device(std::string(device_head).append(lines), "toy.toml");
}

Error device_error(std::string_view lines) {
  return thrown_error(ErrorKind::input, [&] { return read_lines(lines); });
}

TEST(DeviceReader, ConvertsEveryUnitToBaseUnits) {
  const Device device = read_lines(R"(
compute_capability = { value = "8.0", source = "S", recalled = true }
sm_count = { value = 108, unit = "SM", source = "S" }
boost_clock = { value = 1.41, unit = "GHz", source = "S" }
base_clock = { value = 765, unit = "MHz", source = "S" }
sustained_clock = { value = 1280, unit = "MHz", source = "S" }
memory = { value = 40, unit = "GiB", source = "S" }
bandwidth = { value = 1.555, unit = "TB/s", source = "S" }
l2 = { value = 512, unit = "KiB", source = "S" }
tdp = { value = 400, unit = "W", source = "S" }
[peaks]
fp32_vector = { value = 19500, unit = "GFLOP/s", source = "A table", note = "boost" }
int8_tensor_int32 = { value = 624, unit = "TOP/s", source = "S", recalled = true }
[sustained]
bf16_tensor_fp32 = { value = 297, unit = "TFLOP/s", source = "Long products" }
)");
  EXPECT_EQ(device.id, "toy-1");
  EXPECT_EQ(device.name, "Toy 1");
  EXPECT_EQ(device.vendor, "ACME");
  EXPECT_THAT(device.aliases, ElementsAre("toy", "t-one"));
  EXPECT_EQ(device.compute_capability.value().value, "8.0");
  EXPECT_TRUE(device.compute_capability.value().recalled);
  EXPECT_DOUBLE_EQ(device.sm_count.value().value, 108.0);
  EXPECT_DOUBLE_EQ(device.boost_clock.value().value, 1.41e9);
  EXPECT_DOUBLE_EQ(device.base_clock.value().value, 765e6);
  EXPECT_DOUBLE_EQ(device.sustained_clock.value().value, 1.28e9);
  EXPECT_DOUBLE_EQ(device.sustained.at(ArithmeticPath::bf16_tensor_fp32).value, 297e12);
  EXPECT_DOUBLE_EQ(device.memory.value().value, 42949672960.0);
  EXPECT_DOUBLE_EQ(device.bandwidth.value().value, 1.555e12);
  EXPECT_DOUBLE_EQ(device.l2.value().value, 524288.0);
  EXPECT_DOUBLE_EQ(device.tdp.value().value, 400.0);
  const Figure& fp32 = device.peaks.at(ArithmeticPath::fp32_vector);
  EXPECT_DOUBLE_EQ(fp32.value, 19.5e12);
  EXPECT_DOUBLE_EQ(fp32.printed_value, 19500.0);
  EXPECT_EQ(fp32.unit, "GFLOP/s");
  EXPECT_EQ(fp32.source, "A table");
  EXPECT_EQ(fp32.note, "boost");
  EXPECT_FALSE(fp32.recalled);
  EXPECT_DOUBLE_EQ(device.peaks.at(ArithmeticPath::int8_tensor_int32).value, 624e12);
  EXPECT_TRUE(device.peaks.at(ArithmeticPath::int8_tensor_int32).recalled);
}

TEST(DeviceReader, LeavesAbsentFiguresAbsent) {
  const Device device = read_lines("");
  EXPECT_EQ(device.memory, std::nullopt);
  EXPECT_EQ(device.pcie, std::nullopt);
  EXPECT_EQ(device.sustained_clock, std::nullopt);
  EXPECT_TRUE(device.peaks.empty());
  EXPECT_TRUE(device.sustained.empty());
}

TEST(DeviceReader, ListsTheUnitsAKeyTakes) {
  const Error error =
      device_error("[peaks]\nfp32_vector = { value = 1, unit = \"GB\", source = \"S\" }\n");
  EXPECT_EQ(error.kind(), ErrorKind::input);
  EXPECT_EQ(error.full_message(),
            "toy.toml:6:35: 'peaks.fp32_vector.unit' has the wrong unit 'GB'");
  EXPECT_EQ(error.hint(), "units allowed here: GFLOP/s, TFLOP/s, PFLOP/s");
  EXPECT_EQ(
      device_error("[peaks]\nint8_tensor_int32 = { value = 1, unit = \"TFLOP/s\", source = \"S\" }")
          .hint(),
      "units allowed here: GOP/s, TOP/s, POP/s");
  EXPECT_EQ(device_error("memory = { value = 1, unit = \"Gb\", source = \"S\" }\n")
                .location()
                .to_string(),
            "toy.toml:5:30");
}

TEST(DeviceReader, RefusesUnknownKeys) {
  const Error top = device_error("bandwith = { value = 1, unit = \"GB/s\", source = \"S\" }\n");
  EXPECT_EQ(top.full_message(), "toy.toml:5:1: unknown key 'bandwith' in the file");
  EXPECT_EQ(top.hint(), "did you mean 'bandwidth'?");
  const Error path =
      device_error("[peaks]\nfp32_vektor = { value = 1, unit = \"GFLOP/s\", source = \"S\" }");
  EXPECT_EQ(path.full_message(), "toy.toml:6:1: unknown key 'fp32_vektor' in 'peaks'");
  EXPECT_EQ(path.hint(), "did you mean 'fp32_vector'?");
  const Error sustained =
      device_error("[sustained]\nbf16 = { value = 1, unit = \"GFLOP/s\", source = \"S\" }");
  EXPECT_THAT(sustained.full_message(), HasSubstr("unknown key 'bf16' in 'sustained'"));
  const Error part =
      device_error("tdp = { value = 1, unit = \"W\", source = \"S\", remark = \"\" }\n");
  EXPECT_EQ(part.full_message(), "toy.toml:5:46: unknown key 'remark' in 'tdp'");
}

TEST(DeviceReader, RefusesFiguresWithoutUnitOrSource) {
  EXPECT_EQ(device_error("tdp = { value = 1, unit = \"W\" }\n").full_message(),
            "toy.toml:5:7: 'tdp' lacks the key 'source'");
  EXPECT_EQ(device_error("tdp = { value = 1, unit = \"W\", source = \" \" }\n").full_message(),
            "toy.toml:5:41: 'tdp.source' is empty");
  EXPECT_EQ(device_error("tdp = { value = 1, source = \"S\" }\n").full_message(),
            "toy.toml:5:7: 'tdp' lacks the key 'unit'");
  EXPECT_EQ(device_error("tdp = 70\n").full_message(),
            "toy.toml:5:7: 'tdp' must be a table and is an integer");
}

TEST(DeviceReader, RefusesFiguresThatAreNotAboveZero) {
  for (const std::string value : {"-1", "0", "-0.5"}) {
    const Error error =
        device_error("tdp = { value = " + value + ", unit = \"W\", source = \"S\" }\n");
    EXPECT_EQ(error.full_message(), "toy.toml:5:17: 'tdp.value' must be above zero");
    EXPECT_EQ(error.hint(), "a figure that is not known is left out");
  }
  EXPECT_THAT(device_error("tdp = { value = nan, unit = \"W\", source = \"S\" }\n").what(),
              HasSubstr("finite"));
}

// 1e300 GB as a count of 64 bits would be negative, 1e-320 GB would be 0 bytes.
TEST(DeviceReader, RefusesFiguresThatNoCountHolds) {
  for (const std::string size :
       {"1e300, unit = \"GB\"", "1e10, unit = \"GB\"", "1e-320, unit = \"GB\""}) {
    const Error error = device_error("memory = { value = " + size + ", source = \"S\" }\n");
    EXPECT_EQ(error.full_message(), "toy.toml:5:20: 'memory.value' is out of range");
    EXPECT_THAT(error.hint(), HasSubstr("1 to 1e+18 in base units"));
  }
}

TEST(DeviceReader, NeedsIdNameAndVendor) {
  const auto message = [](std::string_view text) -> std::string {
    try {
      (void)read_device(text, "toy.toml");
    } catch (const Error& error) {
      return error.full_message();
    }
    return "no error";
  };
  EXPECT_THAT(message(""), HasSubstr("the file lacks the key 'id'"));
  EXPECT_THAT(message("id = \"a\"\n"), HasSubstr("the file lacks the key 'name'"));
  EXPECT_THAT(message("id = \"a\"\nname = \"A\"\n"), HasSubstr("the file lacks the key 'vendor'"));
  EXPECT_EQ(message("id = \"A 1\"\nname = \"A\"\nvendor = \"V\"\n"),
            "toy.toml:1:6: 'A 1' is not an id");
}

TEST(DeviceReader, RefusesWhatIsNotToml) {
  try {
    (void)read_device("{\"id\": \"json\"}\n", "toy.json");
    FAIL() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(error.location().file, "toy.json");
    EXPECT_EQ(error.location().line, 1);
    EXPECT_EQ(error.location().column, 1);
  }
}

TEST(DeviceReader, ReadsTheExampleOfTheManual) {
  const std::string manual =
      read_file(std::filesystem::path(ROOFLAB_SOURCE_DIR) / "docs/formats/device.md");
  constexpr std::string_view fence = "```toml\n";
  const std::size_t begin = manual.find(fence) + fence.size();
  const std::string example = manual.substr(begin, manual.find("```", begin) - begin);
  const Device device = read_device(example, "device.md");
  EXPECT_EQ(device.id, "toy-1000");
  EXPECT_DOUBLE_EQ(device.memory.value().value, 16e9);
  EXPECT_DOUBLE_EQ(device.peaks.at(ArithmeticPath::fp16_tensor_fp32).value, 65e12);
}

TEST(DeviceReader, ReadsTheNamesAlone) {
  const DeviceNames names =
      read_device_names(std::string(device_head) + "\nthis part = is not looked at\n", "toy.toml");
  EXPECT_EQ(names.id, "toy-1");
  EXPECT_EQ(names.name, "Toy 1");
  EXPECT_THAT(names.aliases, ElementsAre("toy", "t-one"));
}

}  // namespace
}  // namespace rooflab::device
