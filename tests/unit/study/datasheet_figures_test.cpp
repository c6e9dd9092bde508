#include "study/datasheet_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study_cases.hpp"

namespace rooflab::study {
namespace {

double figure_in(const StudyCase& study_case, std::string_view quantity) {
  const Figure* const figure = study_case.find(quantity);
  return figure == nullptr ? -1.0 : figure->value;
}

/// S1's V100: 15.7 TFLOP/s, 900 GB/s, ridge 17.44.
TEST(DatasheetFigures, GiveWhatTheRooflineLetsACaseReach) {
  std::vector<StudyCase> cases = {
      made({{"mode", "predict"}, {"device", "v100-sxm2-16gb"}, {"precision", "fp32"}},
           {{"time", 1.0}, {"intensity", 10.0}}),
      made({{"mode", "predict"}, {"device", "v100-sxm2-16gb"}, {"precision", "fp16"}},
           {{"time", 1.0}, {"intensity", 1000.0}}),
      made({{"mode", "measure"}, {"device", "cpu"}}, {{"time", 1.0}, {"intensity", 10.0}}),
      made({{"mode", "probe"}, {"device", "v100-sxm2-16gb"}}, {{"bandwidth", 800e9}}),
  };
  add_datasheet_figures(cases, {}, device::Catalog::built_in());
  EXPECT_DOUBLE_EQ(figure_in(cases[0], "peak_flops"), 15.7e12);
  EXPECT_DOUBLE_EQ(figure_in(cases[0], "bandwidth"), 900e9);
  EXPECT_NEAR(figure_in(cases[0], "ridge_point"), 17.44, 0.005);
  EXPECT_DOUBLE_EQ(figure_in(cases[0], "attainable"), 10.0 * 900e9);
  EXPECT_DOUBLE_EQ(figure_in(cases[1], "attainable"), 125e12);  // tensor cores
  EXPECT_DOUBLE_EQ(figure_in(cases[2], "attainable"), -1.0);
  EXPECT_DOUBLE_EQ(figure_in(cases[3], "bandwidth"), 800e9);  // as measured
  EXPECT_DOUBLE_EQ(figure_in(cases[3], "peak_flops"), -1.0);
}

// S2's AlexNet on the V100: 4.9057 FLOP/B x 900 GB/s = 4.415 TFLOP/s; 839,343,936 B in 2.397472 ms.
TEST(DatasheetFigures, OfAPublishedRowAreThoseThatItsPublisherUsed) {
  Study study;
  study.published = {{"S2", {}, {}, {{"bandwidth", 1000e9}}, "", {}}, {"S2", {}, {}, {}, "", {}}};
  StudyCase row =
      made({{"mode", "published"}, {"device", "v100-sxm2-16gb"}},
           {{"counted_flops", 4117546463.0}, {"dram_bytes", 839343936.0}, {"time", 0.002397472}});
  std::vector<StudyCase> cases = {row, row};
  cases[0].id = id_of_published(0);
  cases[1].id = id_of_published(1);
  add_datasheet_figures(cases, study, device::Catalog::built_in());
  EXPECT_NEAR(figure_in(cases[0], "attainable"), 4.9057e12, 1e8);
  EXPECT_NEAR(figure_in(cases[1], "attainable"), 4.41510e12, 1e8);
  EXPECT_NEAR(figure_in(cases[1], "achieved_bandwidth"), 350.09e9, 0.01e9);
}

}  // namespace
}  // namespace rooflab::study
