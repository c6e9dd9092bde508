// The built-in device files against the table of facts that they were written from.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::device {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

/// Rows under the devices' names.
std::map<std::string, Row> facts() {
  const std::filesystem::path path =
      std::filesystem::path(ROOFLAB_SOURCE_DIR) / "tests/data/device/devices.csv";
  const std::vector<std::string> lines = split(trim(read_file(path)), '\n');
  const std::vector<std::string> header = cells_of(lines.front());
  std::map<std::string, Row> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = cells_of(lines[i]);
    EXPECT_EQ(cells.size(), header.size()) << lines[i];
    Row row;
    for (std::size_t k = 0; k < header.size() && k < cells.size(); ++k) row[header[k]] = cells[k];
    rows[row["device"]] = row;
  }
  return rows;
}

/// How a column of the table appears in a device file; `recalled_as` are the words that the
/// column `recalled_fields` has for it.
struct Column {
  std::string_view name;
  std::string_view key;
  double factor;
  std::vector<std::string> recalled_as;
  bool all_includes_it = true;  ///< `all` in `recalled_fields` says it of this column too
};

const std::vector<Column>& columns() {
  static const std::vector<Column> all = {
      {"sm_or_cu_count", "sm_count", 1.0, {"sm count"}},
      {"fp32_lanes_per_sm", "fp32_lanes_per_sm", 1.0, {}},
      {"boost_clock_mhz", "boost_clock", 1e6, {"boost clock"}},
      {"base_clock_mhz", "base_clock", 1e6, {"base clock"}, false},
      {"sustained_clock_mhz", "sustained_clock", 1e6, {}, false},
      {"memory_gb", "memory", 1e9, {}},
      {"mem_bw_gbs", "bandwidth", 1e9, {"bandwidth"}},
      {"l2_mb", "l2", 1e6, {"l2"}},
      {"tdp_w", "tdp", 1.0, {"tdp"}},
      {"gpu_link_gbs_bidir", "gpu_link", 1e9, {"nvlink", "nvlink bridge"}},
      {"fp64_tflops", "fp64_vector", 1e12, {"fp64", "all peak figures"}},
      {"fp64_tensor_tflops", "fp64_tensor", 1e12, {"fp64", "all peak figures"}},
      {"fp32_tflops", "fp32_vector", 1e12, {"fp32", "all peak figures"}},
      {"tf32_tensor_tflops", "tf32_tensor", 1e12, {"tf32", "all peak figures"}},
      {"fp16_nontensor_tflops", "fp16_vector", 1e12, {"fp16_nontensor", "all peak figures"}},
      {"fp16_tensor_dense_tflops", "fp16_tensor_fp32", 1e12, {"all peak figures"}},
      {"bf16_tensor_dense_tflops", "bf16_tensor_fp32", 1e12, {"all peak figures"}},
      {"fp8_tensor_dense_tflops", "fp8_tensor_fp32", 1e12, {"all peak figures"}},
      {"int8_dense_tops", "int8_tensor_int32", 1e12, {"int8", "all peak figures"}},
  };
  return all;
}

const Figure* figure_of(const Device& device, std::string_view key) {
  for (const FigureField& field : figure_fields) {
    if (field.key == key && device.*field.member) return &*(device.*field.member);
  }
  const std::optional<ArithmeticPath> path = from_name<ArithmeticPath>(key);
  if (!path || !device.peaks.contains(*path)) return nullptr;
  return &device.peaks.at(*path);
}

/// `tdp (half of board);l2` as {tdp, l2}.
std::set<std::string> recalled_words(const Row& row) {
  std::set<std::string> words;
  for (const std::string& part : split(row.at("recalled_fields"), ';')) {
    words.emplace(trim(part.substr(0, part.find('('))));
  }
  return words;
}

bool is_recalled(const std::set<std::string>& words, const std::vector<std::string>& names,
                 bool all_includes_it = true) {
  return (all_includes_it && words.contains("all")) ||
         std::any_of(names.begin(), names.end(),
                     [&](const auto& name) { return words.contains(name); });
}

TEST(BuiltInDevices, AreThoseOfTheTable) {
  const std::map<std::string, Row> rows = facts();
  EXPECT_EQ(rows.size(), 47U);
  std::set<std::string> names;
  for (const Device& device : Catalog::built_in().devices()) names.insert(device.name);
  EXPECT_EQ(names.size(), rows.size());
  for (const auto& [name, row] : rows) EXPECT_TRUE(names.contains(name)) << name;
}

TEST(BuiltInDevices, HaveEveryFigureOfTheTableAndNoOther) {
  const std::map<std::string, Row> rows = facts();
  int compared = 0;
  for (const Device& device : Catalog::built_in().devices()) {
    const Row& row = rows.at(device.name);
    for (const Column& column : columns()) {
      SCOPED_TRACE(format("{} {}", device.name, column.key));
      const Figure* figure = figure_of(device, column.key);
      const std::string& cell = row.at(std::string(column.name));
      ASSERT_EQ(figure != nullptr, !cell.empty());
      if (!figure) continue;
      ++compared;
      EXPECT_DOUBLE_EQ(figure->printed_value, parse_number(cell).value());
      EXPECT_DOUBLE_EQ(figure->value, parse_number(cell).value() * column.factor);
      EXPECT_EQ(figure->recalled,
                is_recalled(recalled_words(row), column.recalled_as, column.all_includes_it));
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(BuiltInDevices, HaveEveryPropertyOfTheTable) {
  const std::map<std::string, Row> rows = facts();
  for (const Device& device : Catalog::built_in().devices()) {
    SCOPED_TRACE(device.name);
    const Row& row = rows.at(device.name);
    EXPECT_EQ(device.vendor, row.at("vendor"));
    EXPECT_EQ(device.architecture, row.at("architecture"));
    EXPECT_EQ(device.chip, row.at("gpu_chip"));
    EXPECT_EQ(device.note, row.at("notes"));
    EXPECT_EQ(device.compute_capability.value().value, row.at("compute_capability"));
    EXPECT_EQ(device.memory_type.value().value, row.at("memory_type"));
    EXPECT_EQ(device.pcie.value().value, row.at("pcie_gen"));
    const std::set<std::string> recalled = recalled_words(row);
    EXPECT_EQ(device.compute_capability.value().recalled,
              is_recalled(recalled, {"compute_capability"}));
    EXPECT_EQ(device.pcie.value().recalled, is_recalled(recalled, {"pcie"}));
  }
}

TEST(BuiltInDevices, TellTheAccumulateTypesApart) {
  const Catalog catalog = Catalog::built_in();
  const auto tflops = [&](std::string_view name, ArithmeticPath path) {
    return peak(catalog.find(name), path).value_or(0.0) / 1e12;
  };
  // GeForce: half rate with FP32 accumulate. Source: the Turing, GA102, Ada and RTX Blackwell
  // whitepapers.
  EXPECT_DOUBLE_EQ(tflops("2080ti", ArithmeticPath::fp16_tensor_fp32), 53.8);
  EXPECT_DOUBLE_EQ(tflops("2080ti", ArithmeticPath::fp16_tensor_fp16), 107.6);
  EXPECT_DOUBLE_EQ(tflops("3090", ArithmeticPath::fp16_tensor_fp16), 142.0);
  EXPECT_DOUBLE_EQ(tflops("4090", ArithmeticPath::fp16_tensor_fp16), 330.3);
  EXPECT_DOUBLE_EQ(tflops("5090", ArithmeticPath::fp16_tensor_fp16), 419.0);
  // Data-centre parts: one rate.
  EXPECT_DOUBLE_EQ(tflops("v100-sxm2-16gb", ArithmeticPath::fp16_tensor_fp16), 125.0);
  EXPECT_DOUBLE_EQ(tflops("t4", ArithmeticPath::fp16_tensor_fp16), 65.0);
  EXPECT_DOUBLE_EQ(tflops("a100-sxm4-40gb", ArithmeticPath::fp16_tensor_fp16), 312.0);
  EXPECT_DOUBLE_EQ(tflops("h100-sxm", ArithmeticPath::fp16_tensor_fp16), 989.4);
  // AMD: FP32 matrix units.
  EXPECT_DOUBLE_EQ(tflops("mi100", ArithmeticPath::fp32_matrix), 46.1);
  EXPECT_DOUBLE_EQ(tflops("mi250x-board", ArithmeticPath::fp32_matrix), 95.7);
  EXPECT_DOUBLE_EQ(tflops("mi250x-gcd", ArithmeticPath::fp32_matrix), 47.85);
  EXPECT_DOUBLE_EQ(tflops("mi300x", ArithmeticPath::fp32_matrix), 163.4);
}

TEST(BuiltInDevices, HaveABaseClockBelowTheBoostClock) {
  for (const Device& device : Catalog::built_in().devices()) {
    // That of a GB200 is not known; other makers publish none.
    EXPECT_EQ(device.base_clock.has_value(), device.vendor == "NVIDIA" && device.id != "gb200")
        << device.id;
    if (!device.base_clock || !device.boost_clock) continue;
    EXPECT_LT(device.base_clock->value, device.boost_clock->value) << device.id;
    if (!device.sustained_clock) continue;
    EXPECT_LE(device.base_clock->value, device.sustained_clock->value) << device.id;
    EXPECT_LE(device.sustained_clock->value, device.boost_clock->value) << device.id;
  }
}

TEST(BuiltInDevices, SustainNoMoreThanTheirPeaks) {
  int rates = 0;
  for (const Device& device : Catalog::built_in().devices()) {
    for (const auto& [path, rate] : device.sustained) {
      ++rates;
      EXPECT_LT(rate.value, peak(device, path).value()) << device.id;
    }
  }
  EXPECT_EQ(rates, 7);
}

TEST(BuiltInDevices, AreInFilesNamedAfterThemAndListNamesFirst) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(ROOFLAB_SOURCE_DIR) / "data/devices")) {
    ++files;
    const std::string text = read_file(entry.path());
    const DeviceNames names = read_device_names(text, entry.path().string());
    const Device device = read_device(text, entry.path().string());
    EXPECT_EQ(entry.path().filename().string(), device.id + ".toml");
    EXPECT_EQ(names.id, device.id);
    EXPECT_EQ(names.name, device.name);
    EXPECT_EQ(names.aliases, device.aliases);
  }
  EXPECT_EQ(files, 47);
}

TEST(BuiltInDevices, AreFoundByIdNameAndEveryUnsharedAlias) {
  const Catalog catalog = Catalog::built_in();
  const std::vector<Device> devices = catalog.devices();
  std::map<std::string, int> uses;
  for (const Device& device : devices) {
    for (const std::string& alias : device.aliases) ++uses[alias];
  }
  for (const Device& device : devices) {
    EXPECT_EQ(catalog.find(device.id).id, device.id);
    EXPECT_EQ(catalog.find(device.name).id, device.id);
    for (const std::string& alias : device.aliases) {
      if (uses[alias] > 1) continue;
      EXPECT_EQ(catalog.find(alias).id, device.id) << alias;
    }
  }
}

// NVIDIA before Ampere multiplies fp16 and no bf16; AMD's matrix units do both.
TEST(BuiltInDevices, AmpIsFp16WhereBf16IsNotComputed) {
  const Catalog catalog = Catalog::built_in();
  for (const char* name :
       {"v100-sxm2-32gb", "v100-pcie-16gb", "titan-v", "t4", "rtx-2080-ti", "quadro-rtx-6000",
        "p100-pcie-16gb", "gtx-1080", "titan-x-pascal", "m60", "titan-x-maxwell", "k80", "k40"}) {
    EXPECT_EQ(precision_on(catalog.find(name), Precision::amp), Precision::amp_fp16) << name;
  }
  for (const char* name : {"a100-sxm4-40gb", "a10", "a30", "rtx-3090", "l4", "rtx-4090", "h100-sxm",
                           "h200-sxm", "b200", "rtx-5090", "mi100", "mi300x"}) {
    EXPECT_EQ(precision_on(catalog.find(name), Precision::amp), Precision::amp) << name;
  }
  EXPECT_EQ(precision_on(catalog.find("t4"), Precision::amp_bf16), Precision::amp_bf16);
  EXPECT_EQ(precision_on(catalog.find("t4"), Precision::fp32), Precision::fp32);
}

}  // namespace
}  // namespace rooflab::device
