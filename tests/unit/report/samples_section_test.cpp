#include "report/samples_section.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../page/parts.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Two samples of 1 s, a gap of 1 s, one of 2 s: 4 GB in 4 s, half of a bandwidth of 2 GB/s.
analyze::ImportedCase sampled_case() {
  record::Record record;
  record.identity.model = "train.py";
  record.kernels.emplace();
  record::HardwareSamples& samples = record.hardware_samples.emplace();
  samples.window_s = 5.0;
  samples.start_s = {0.0, 1.0, 3.0};
  samples.length_s = {1.0, 1.0, 2.0};
  samples.read_bytes = {1e9, 1e9, 1e9};
  samples.write_bytes = {0.0, 0.0, 1e9};
  samples.tensor_share = {0.5, 0.5, 0.0};
  device::Device device;
  device.bandwidth = device::Figure{.value = 2e9};
  return analyze::imported_case_of(std::move(record), "a.json", device::Catalog::built_in(),
                                   device);
}

TEST(SamplesTable, HasTotalsOfTheWindow) {
  const analyze::ImportedCase imported = sampled_case();
  const page::Table table = samples_table({&imported, 1});
  ASSERT_THAT(table.rows, SizeIs(1));
  const std::vector<std::string> texts = page::shown_texts(table, 0);
  for (const char* text :
       {"5 s", "80.0 %", "3 GB", "1 GB", "750 MB/s", "250 MB/s", "50.0 %", "25.0 %"}) {
    EXPECT_THAT(texts, Contains(text));
  }
  EXPECT_EQ(samples_sentence(imported),
            "DRAM moved 4 GB in 4 s: 1 GB/s, 50.0 % of the bandwidth; tensor pipe 25.0 %.");
}

TEST(SamplesTable, HasNoRowWhereNothingWasSampled) {
  analyze::ImportedCase imported = sampled_case();
  EXPECT_THAT(samples_table(std::span<const analyze::ImportedCase>()).rows, IsEmpty());
  imported.record.hardware_samples = record::HardwareSamples();
  imported = analyze::imported_case_of(imported.record, "a.json", device::Catalog::built_in());
  EXPECT_THAT(samples_table({&imported, 1}).rows, IsEmpty());
  EXPECT_THAT(samples_sentence(imported), IsEmpty());
  EXPECT_THAT(samples_charts(imported), IsEmpty());
}

// Bytes over the length of a sample, in its middle; a line ends where nothing was sampled.
TEST(SamplesCharts, AreLinesWithGaps) {
  const std::vector<chart::Chart> charts = samples_charts(sampled_case());
  ASSERT_THAT(charts, SizeIs(2));
  EXPECT_EQ(charts[0].title, "DRAM over time");
  ASSERT_THAT(charts[0].series, SizeIs(4));  // two lines, each in two parts
  EXPECT_THAT(charts[0].series[0].name, HasSubstr("read, mean 750 MB/s"));
  ASSERT_THAT(charts[0].series[0].points, SizeIs(2));
  ASSERT_THAT(charts[0].series[1].points, SizeIs(1));
  EXPECT_EQ(charts[0].series[1].points[0].x, 4.0);
  EXPECT_EQ(charts[0].series[1].points[0].y, 5e8);
  EXPECT_EQ(charts[1].title, "Activity over time");
  EXPECT_EQ(charts[1].series[0].points[0].y, 50.0);
}

// No kernels: the samples are the first table, which is the CSV.
TEST(ImportView, OfSamplesBeginsWithTheirTable) {
  const analyze::ImportedCase imported = sampled_case();
  const page::Document document = import_view({&imported, 1}, std::nullopt, {});
  ASSERT_FALSE(document.tables.empty());
  EXPECT_EQ(document.tables[0].title, "Sampled over time");
  EXPECT_THAT(document.answer, Contains(HasSubstr("DRAM moved 4 GB")));
}

}  // namespace
}  // namespace rooflab::report
