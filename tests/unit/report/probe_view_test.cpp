#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../base/note_matchers.hpp"
#include "../page/parts.hpp"
#include "notes/probe_notes.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/page/document.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using device::Calibration;
using device::VectorAddition;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Bandwidth 4 TB/s, TF32 500 TFLOP/s; no FP32.
device::Device datasheet() {
  device::Device device;
  device.id = "g1";
  device.name = "G1";
  device.bandwidth = device::Figure{4e12, "TB/s", 4.0, "a source"};
  device.peaks[ArithmeticPath::tf32_tensor] = {5e14, "TFLOP/s", 500.0, "a source"};
  return device;
}

/// Times of a large GPU on PCIe 5.0 and of one core: rates of 6 GB/s for pageable copies, 1.5 ns an
/// element of the core, 40 ns of a single GPU thread.
std::vector<VectorAddition> additions() {
  std::vector<VectorAddition> rows;
  for (const std::int64_t elements : {1'000'000, 5'000'000, 10'000'000, 50'000'000, 100'000'000}) {
    const double n = static_cast<double>(elements);
    rows.push_back({"cpu", "host", elements, 1.5e-9 * n, {}, {}, 1.5e-9 * n, true});
    const auto add = [&](const char* launch, double kernel_s) {
      const double up_s = 8.0 * n / 6e9;
      const double down_s = 4.0 * n / 6e9;
      rows.push_back(
          {launch, "device", elements, kernel_s, up_s, down_s, kernel_s + up_s + down_s, true});
      const double faults_s = 8.0 * n / 2.5e10 + 2e-4;
      const double read_s = 4.0 * n / 1e10;
      rows.push_back({launch,
                      "managed",
                      elements,
                      kernel_s + faults_s,
                      {},
                      read_s,
                      kernel_s + faults_s + read_s,
                      true});
    };
    add("1x1", 4e-8 * n);
    add("1x256", 6e-10 * n);
    add("Nx256", 12.0 * n / 4e12 + 3e-6);
  }
  return rows;
}

Calibration calibration() {
  Calibration calibration;
  calibration.id = "g1";
  calibration.device = "g1";
  calibration.device_name = "NVIDIA G1";
  calibration.command = "rooflab probe --device cuda:0";
  calibration.environment = {{"driver", "580.65"}, {"sm_clock_mhz", "1980"}};
  calibration.figures = {
      {"dram.read", "B/s", 3.8e12, 3.7e12, 3.9e12, 20, "4 GiB"},
      {"dram.copy", "B/s", 3e12, 3e12, 3e12, 20, "4 GiB"},
      {"gemm.tf32_tensor", "FLOP/s", 4e14, 3.9e14, 4.1e14, 9, "8192 x 8192 x 8192"},
      {"gemm.tf32_tensor.4096", "FLOP/s", 3.5e14, 3.4e14, 3.6e14, 9, "4096 x 4096 x 4096"},
      {"gemm.tf32_tensor.8192", "FLOP/s", 4e14, 3.9e14, 4.1e14, 9, "8192 x 8192 x 8192"},
      {"gemm.fp32_vector", "FLOP/s", 5e13, 5e13, 5e13, 9, "4096 x 4096 x 4096"},
      {"gemm.fp32_vector.4096", "FLOP/s", 5e13, 5e13, 5e13, 9, "4096 x 4096 x 4096"},
      {"launch.issue", "s", 2.1e-6, 2e-6, 2.5e-6, 1000, ""},
      {"new.figure", "s", 1.0, 1.0, 1.0, 1, ""}};
  calibration.vector_additions = additions();
  device::OpTable conv;
  conv.columns = {"batch", "pixels"};
  conv.rows = {{{1, 49}, 2e-5, 4096.0}, {{64, 3136}, 1e-3, {}}, {{8, 49}, 1e-5, {}}};
  conv.curve = {1.0, 2.0};
  conv.lengths = {1.0, 1.0};
  conv.error = std::log(1.25);
  calibration.ops["conv2d.forward.tf32.nchw"] = conv;
  calibration.ops["softmax.forward.fp32.nchw"] = {.columns = {"rows"}, .rows = {{{7}, 3e-6, {}}}};
  device::HostCosts host{.issuer = "pytorch", .version = "2.8.0", .cpu = "EPYC"};
  host.ops["conv2d"] = {2e-5, 2.5e-5, 5e-5};
  host.ops["copy"] = {4e-6, {}, {}};
  host.optimizer_fixed_s = {{"sgd", 3e-5}};
  host.optimizer_per_tensor_s = {{"sgd", 1e-6}};
  host.loss_s = 1e-4;
  host.step_s = 8e-6;
  calibration.hosts = {host};
  calibration.notes = {sentence("FP8 products were not measured: no cuBLASLt.")};
  return calibration;
}

page::Document view_of(const Calibration& calibration, const device::Device* known) {
  return probe_view({calibration, known == nullptr ? std::nullopt : std::optional(*known)},
                    "rooflab probe");
}

page::Table titled(const page::Document& document, std::string_view title) {
  const std::vector<const page::Table*> tables = document.text_tables();
  const auto found = std::ranges::find_if(
      tables, [&](const page::Table* table) { return table->title.starts_with(title); });
  EXPECT_NE(found, tables.end()) << title;
  return found == tables.end() ? page::Table{} : **found;
}

// 3.8 of 4 TB/s is 95 %, 400 of 500 TFLOP/s are 80 %; FP32 has no figure in the datasheet.
TEST(ProbeView, FiguresBesideTheDatasheets) {
  const device::Device known = datasheet();
  const page::Document document = view_of(calibration(), &known);
  EXPECT_EQ(document.title, "Probe: NVIDIA G1");
  const page::Table& table = *document.text_tables().at(0);
  ASSERT_EQ(table.rows.size(), 6U);  // those of one size have a separate table
  EXPECT_THAT(page::texts_of(table.rows[0]),
              ElementsAre("memory, read", "3.8 TB/s", "3.7 TB/s", "3.9 TB/s", "4 TB/s", "95.0 %",
                          "B/s", "20", "4 GiB"));
  EXPECT_THAT(
      page::texts_of(table.rows[2]),
      ElementsAre("TF32 tensor, matrix product", "400 TFLOP/s", "390 TFLOP/s", "410 TFLOP/s",
                  "500 TFLOP/s", "80.0 %", "FLOP/s", "9", "8192 x 8192 x 8192"));
  EXPECT_EQ(table.rows[3][4].text, "-");
  EXPECT_EQ(table.rows[3][5].text, "-");
  EXPECT_EQ(table.rows[4][0].text, "launch, host time");
  EXPECT_EQ(table.rows[5][0].text, "new.figure");
  const std::string csv = page::render(document, page::Format::csv);
  EXPECT_THAT(csv, HasSubstr("name,value,least,most,datasheet,datasheet_share,unit,repetitions,at\n"
                             "dram.read,3800000000000,3700000000000,3900000000000,4000000000000,"
                             "0.95,B/s,20,4 GiB\n"));
  EXPECT_THAT(csv, HasSubstr("\nlaunch.issue,2.1e-06,2e-06,2.5e-06,,,s,1000,\n"));
}

TEST(ProbeView, ProductsBySizeAndTheBestOne) {
  const page::Table table = titled(view_of(calibration(), nullptr), "Matrix products");
  EXPECT_EQ(table.columns.at(3).title, "8192");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(page::texts_of(table.rows[0]), ElementsAre("FP32", "4096", "50 TFLOP/s", "-"));
  EXPECT_THAT(page::texts_of(table.rows[1]),
              ElementsAre("TF32 tensor", "8192", "350 TFLOP/s", "400 TFLOP/s"));
}

// A million elements: 8 MB up at 6 GB/s 1.333 ms, 4 MB down 0.667 ms; one thread takes 40 ms.
TEST(ProbeView, VectorAdditionByMemory) {
  const page::Document document = view_of(calibration(), nullptr);
  const page::Table device = titled(document, "Vector addition, cudaMalloc");
  ASSERT_EQ(device.rows.size(), 5U);
  ASSERT_EQ(device.columns.size(), 11U);
  EXPECT_EQ(device.columns[2].key, "1x1_kernel_s");
  EXPECT_EQ(device.columns[10].key, "Nx256_total_s");
  EXPECT_THAT(page::texts_of(device.rows[0]),
              ElementsAre("1,000,000", "1.5 ms", "40 ms", "2 ms", "42 ms", "600 us", "2 ms",
                          "2.6 ms", "6 us", "2 ms", "2.006 ms"));
  // Pages: 8 MB at 25 GB/s and 0.2 ms; the host reads 4 MB at 10 GB/s.
  const page::Table managed = titled(document, "Vector addition, managed");
  EXPECT_THAT(page::texts_of(managed.rows[0]),
              ElementsAre("1,000,000", "1.5 ms", "40.52 ms", "400 us", "40.92 ms", "1.12 ms",
                          "400 us", "1.52 ms", "526 us", "400 us", "926 us"));
}

TEST(ProbeView, WrongSumsAndMissingRowsAreSeen) {
  Calibration changed = calibration();
  std::erase_if(changed.vector_additions, [](const VectorAddition& row) {
    return row.launch == "1x1" && row.elements > 1'000'000;
  });
  for (VectorAddition& row : changed.vector_additions) row.correct = row.launch != "1x256";
  const page::Document document = view_of(changed, nullptr);
  const page::Table table = titled(document, "Vector addition, cudaMalloc");
  EXPECT_EQ(table.rows[0][7].text, "2.6 ms (wrong sums)");
  EXPECT_EQ(table.rows[4][2].text, "-");
  EXPECT_EQ(table.rows[4][4].text, "-");
}

TEST(ProbeView, ACpuHasItsOwnTimesOnly) {
  Calibration cpu;
  cpu.device_name = "EPYC";
  cpu.vector_additions = {{"cpu", "host", 1000, 1e-6, {}, {}, 1e-6, true}};
  const page::Document document = view_of(cpu, nullptr);
  const std::vector<const page::Table*> tables = document.text_tables();
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0]->title, "Vector addition");
  EXPECT_THAT(page::texts_of(tables[0]->rows.at(0)), ElementsAre("1,000", "1 us"));
  const chart::Chart chart = vector_addition_chart(cpu, "device");
  EXPECT_EQ(chart.title, "Vector addition");
  ASSERT_EQ(chart.series.size(), 1U);
  EXPECT_EQ(chart.series[0].name, "CPU");
  ASSERT_EQ(chart.series[0].points.size(), 1U);
  EXPECT_DOUBLE_EQ(chart.series[0].points[0].y, 1e-6);
  EXPECT_THAT(vector_addition_chart(cpu, "managed").series, IsEmpty());
}

// exp(log 1.25) - 1 = 25 %.
TEST(ProbeView, OpsByKindWithTheModelsError) {
  const page::Table table = titled(view_of(calibration(), nullptr), "Measured ops");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(page::texts_of(table.rows[0]),
              ElementsAre("conv2d.forward.tf32.nchw", "3", "10 us", "1 ms", "25.0 %"));
  EXPECT_THAT(page::texts_of(table.rows[1]),
              ElementsAre("softmax.forward.fp32.nchw", "1", "3 us", "3 us", "-"));
  EXPECT_EQ(table.totals.at(0).at(1).text, "4");
}

TEST(ProbeView, HostCosts) {
  const page::Document document = view_of(calibration(), nullptr);
  const page::Table ops = titled(document, "Host, an op: pytorch 2.8.0 on EPYC");
  EXPECT_THAT(page::texts_of(ops.rows.at(0)), ElementsAre("conv2d", "20 us", "25 us", "50 us"));
  EXPECT_THAT(page::texts_of(ops.rows.at(1)), ElementsAre("copy", "4 us", "-", "-"));
  const page::Table step = titled(document, "Host, a step");
  EXPECT_THAT(page::texts_of(step.rows.at(1)), ElementsAre("loss", "100 us", "-"));
  EXPECT_THAT(page::texts_of(step.rows.at(2)), ElementsAre("optimizer sgd", "30 us", "1 us"));
}

TEST(ProbeView, ACallOfAModuleWhereItWasMeasured) {
  Calibration with_calls = calibration();
  with_calls.hosts.front().module_call_s = 2e-6;
  const page::Table step = titled(view_of(with_calls, nullptr), "Host, a step");
  EXPECT_THAT(page::texts_of(step.rows.at(2)),
              ElementsAre("call of a module of modules", "2 us", "-"));
}

TEST(ProbeView, NotesSayWhatIsMissingAndWhereItWasMeasured) {
  const device::Device known = datasheet();
  const std::string with = page::render(view_of(calibration(), &known), page::Format::table);
  EXPECT_THAT(with, HasSubstr("Datasheet: G1 (g1)"));
  EXPECT_THAT(with, HasSubstr("Environment: driver 580.65, sm_clock_mhz 1980."));
  EXPECT_THAT(with, HasSubstr("FP8 products were not measured: no cuBLASLt."));
  const std::string without = page::render(view_of(calibration(), nullptr), page::Format::table);
  EXPECT_THAT(without, HasSubstr("No device of the catalog"));
}

TEST(ProbeView, WhatManyKindsShareIsOneNote) {
  Calibration sparse = calibration();
  sparse.notes = {{probe::says.kind_too_small, {2}, "relu"},
                  {probe::says.kind_too_small, {3}, "copy"}};
  EXPECT_THAT(page::render(view_of(sparse, nullptr), page::Format::table),
              HasSubstr("\nrelu, copy: there are too few measurements for a model\n"));
}

TEST(ProbeView, JsonHasEveryFigure) {
  const device::Device known = datasheet();
  const Json json = Json::parse(view_of(calibration(), &known).json.dump());
  EXPECT_THAT(page::keys_of(json),
              ElementsAre("schema_version", "command", "id", "device", "device_name",
                          "command_line", "environment", "figures", "vector_additions", "links",
                          "origins", "ops", "hosts", "notes"));
  EXPECT_EQ(json["command"], "probe");
  EXPECT_EQ(json["device"], "g1");
  ASSERT_EQ(json["figures"].size(), 9U);
  EXPECT_EQ(json["figures"][3]["name"], "gemm.tf32_tensor.4096");
  EXPECT_DOUBLE_EQ(json["figures"][3]["datasheet_share"].get<double>(), 0.7);
  EXPECT_TRUE(json["figures"][5]["datasheet"].is_null());
  EXPECT_TRUE(json["figures"][5]["datasheet_share"].is_null());
  ASSERT_EQ(json["vector_additions"].size(), 35U);
  EXPECT_TRUE(json["vector_additions"][0]["to_host_s"].is_null());
  EXPECT_DOUBLE_EQ(json["vector_additions"][1]["kernel_s"].get<double>(), 0.04);
  ASSERT_EQ(json["ops"].size(), 2U);
  EXPECT_EQ(json["ops"][0]["kind"], "conv2d.forward.tf32.nchw");
  EXPECT_EQ(json["ops"][0]["rows"][1]["sizes"], Json({64.0, 3136.0}));
  EXPECT_EQ(json["ops"][0]["rows"][0]["workspace_bytes"], 4096.0);
  EXPECT_TRUE(json["ops"][0]["rows"][1]["workspace_bytes"].is_null());
  EXPECT_DOUBLE_EQ(json["ops"][0]["model_error_share"].get<double>(), 0.25);
  EXPECT_EQ(json["ops"][0]["row_count"], 3);
  EXPECT_TRUE(json["ops"][1]["log_error"].is_null());
  EXPECT_DOUBLE_EQ(json["hosts"][0]["ops"]["conv2d"]["backward_s"].get<double>(), 5e-5);
  EXPECT_TRUE(json["hosts"][0]["ops"]["copy"]["forward_s"].is_null());
  EXPECT_DOUBLE_EQ(json["hosts"][0]["optimizer_per_tensor_s"]["sgd"].get<double>(), 1e-6);
  EXPECT_EQ(view_of(calibration(), nullptr).json["device"], Json());
}

// By the number of ranks, which is not a size of a product.
TEST(ProbeView, SlownessBesideAllReducesIsAFactor) {
  Calibration calibration;
  calibration.figures = {{"overlap.copy.2", "1", 1.25, 1.2, 1.345, 9, "copies of 256 MiB"}};
  const page::Table& table = titled(view_of(calibration, nullptr), "Figures");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][0].text, "copy during an all-reduce, over 2");
  EXPECT_EQ(table.rows[0][1].text, "1.25x");
}

// 1 MB among 4 in 1 ms: 1.5 MB over each link, 1.5 GB/s; a copy of 1 MB in 1 ms is 1 GB/s.
TEST(ProbeView, LinksHaveBusBandwidth) {
  device::Calibration calibration;
  calibration.device_name = "Toy";
  calibration.links = {{"copy", 2, 1e6, 1e-3}, {"all_reduce", 4, 1e6, 1e-3}};
  device::Device known;
  known.id = known.name = "toy";
  known.pcie = device::Fact{.value = "3.0 x16"};
  const Json rows = view_of(calibration, &known).json["links"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["collective"], "all_reduce");
  EXPECT_NEAR(rows[0]["bus_bytes_per_s"].get<double>(), 1.5e9, 1.0);
  EXPECT_NEAR(rows[0]["datasheet_share"].get<double>(), 1.5 / 15.754, 1e-9);
  EXPECT_NEAR(rows[1]["bus_bytes_per_s"].get<double>(), 1e9, 1.0);
  EXPECT_THAT(page::render(view_of(calibration, nullptr), page::Format::table),
              HasSubstr("1.5 GB/s"));
}

TEST(ProbeView, AChartHasALineForEachLaunchAndTheCpu) {
  const chart::Chart chart = vector_addition_chart(calibration(), "device");
  ASSERT_EQ(chart.series.size(), 4U);
  EXPECT_EQ(chart.series[0].name, "1 block, 1 thread");
  EXPECT_EQ(chart.series[1].name, "1 block, 256 threads");
  EXPECT_EQ(chart.series[2].name, "N/256 blocks, 256 threads");
  EXPECT_EQ(chart.series[3].name, "CPU");
  EXPECT_EQ(chart.x.scale, chart::Scale::logarithmic);
  EXPECT_EQ(chart.y.scale, chart::Scale::logarithmic);
  ASSERT_EQ(chart.series[0].points.size(), 5U);
  EXPECT_DOUBLE_EQ(chart.series[0].points[0].x, 1e6);
  EXPECT_DOUBLE_EQ(chart.series[0].points[0].y, 0.042);
  EXPECT_DOUBLE_EQ(chart.series[3].points[4].y, 0.15);
  // The kernels alone, in the colours of their lines; the CPU has no other.
  ASSERT_EQ(chart.guides.size(), 3U);
  EXPECT_EQ(chart.guides[0].style, chart::LineStyle::dashed);
  EXPECT_EQ(chart.guides[0].color, chart.series[0].color);
  EXPECT_DOUBLE_EQ(chart.guides[0].line.at(0).y, 0.04);
  // Managed memory has other times and the same line of the CPU.
  const chart::Chart managed = vector_addition_chart(calibration(), "managed");
  EXPECT_DOUBLE_EQ(managed.series[0].points[0].y, 0.04092);
  EXPECT_DOUBLE_EQ(managed.series[3].points[4].y, 0.15);
  EXPECT_NE(managed.title, chart.title);
}

TEST(ProbeView, PointsOfALineAreInOrder) {
  Calibration shuffled = calibration();
  std::ranges::reverse(shuffled.vector_additions);
  for (const chart::Series& series : vector_addition_chart(shuffled, "device").series) {
    EXPECT_TRUE(std::ranges::is_sorted(series.points, {}, &chart::Point::x)) << series.name;
  }
}

TEST(ProbeView, ThePage) {
  const device::Device known = datasheet();
  const page::Document page = view_of(calibration(), &known);
  ASSERT_EQ(page.answer.size(), 1U);
  EXPECT_THAT(page.answer[0], HasSubstr(" 3.8 TB/s (95 % of the datasheet's); "));
  EXPECT_THAT(page.answer[0], HasSubstr("; TF32 tensor, matrix product "));
  EXPECT_THAT(page.answer[0], HasSubstr(" 2.1 us."));
  const std::string html = page::render_html(page, "/* bundle */");
  for (const char* id : {"section-figures", "section-vector-addition", "section-measured-ops",
                         "section-host-costs", "chart-4"}) {
    EXPECT_THAT(html, HasSubstr(id));
  }
  EXPECT_THAT(html, Not(HasSubstr("chart-5")));
}

TEST(ProbeView, NothingMeasured) {
  EXPECT_THAT(view_of({}, nullptr).text_tables(), IsEmpty());
  EXPECT_THAT(vector_addition_chart({}, "device").series, IsEmpty());
  EXPECT_THAT(view_of({}, nullptr).answer, IsEmpty());
}

}  // namespace
}  // namespace rooflab::report
