// Metrics of real chips, with CUPTI's host library, which knows all chips and needs no GPU. Numbers
// of passes are what CUPTI 13.0 answers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/format.hpp"
#include "known_chips.hpp"
#include "profile/metric_plan.hpp"
#include "record/counter_metric.hpp"

namespace rooflab::counters {
namespace {

#ifdef ROOFLAB_HAS_CUPTI

using testing::ElementsAre;
using testing::IsEmpty;

using namespace profile;

using Names = std::vector<std::string>;

/// Passes of metrics together.
struct KnownChip {
  const char* name;
  int floats;            ///< floating-point tensor types alone
  int totals_and_peaks;  ///< peaks take one on the two oldest: the clock of their memory needs it
};

constexpr KnownChip asked_chips[] = {
    {"GV100", 1, 2}, {"TU102", 1, 2}, {"GA100", 4, 4}, {"GA102", 4, 4},
    {"AD102", 5, 5}, {"GH100", 4, 4}, {"GB100", 5, 5}, {"GB202", 9, 9},
};

class ChipPlans : public KnownChips {
 protected:
  void SetUp() override {
    KnownChips::SetUp();
    std::erase_if(chips_, [this](const std::string& chip) { return !has_range_profiler(chip); });
  }

  /// nullopt: one of the names does not exist.
  std::optional<int> passes(const std::string& chip, const Names& metrics) const {
    try {
      return MetricConfig(cupti_, chip, metrics).passes();
    } catch (const CuptiError& error) {
      if (error.code() == 1) return std::nullopt;
      throw;
    }
  }

  MetricsExist exist(const std::string& chip) {
    return [this, chip](std::span<const std::string> metrics) {
      ++questions_;
      return passes(chip, {metrics.begin(), metrics.end()}).has_value();
    };
  }

  bool is_asked_version() const { return cupti_->version() == "13.0"; }

  /// GV11B is listed and has none: error 27, not supported.
  bool has_range_profiler(const std::string& chip) const {
    try {
      return MetricConfig(cupti_, chip, {"sm__cycles_elapsed.max"}).passes() == 1;
    } catch (const CuptiError& error) {
      if (error.code() == 27) return false;
      throw;
    }
  }

  int questions_ = 0;
};

Names sums(const Names& bases) {
  Names names;
  for (const std::string_view base : bases) names.push_back(format("{}.sum", base));
  return names;
}

Names joined(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

/// Bytes of DRAM and L2, clock, busy cycles, occupancy.
Names volumes_and_state(const char* chip) {
  return joined(record::dram_metrics_of(chip),
                {"lts__t_bytes.sum", "sm__cycles_elapsed.avg.per_second",
                 "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                 "sm__warps_active.avg.pct_of_peak_sustained_active"});
}

TEST_F(ChipPlans, EveryNameExistsAndOneQuestionTellsSo) {
  for (const KnownChip& chip : asked_chips) {
    if (!knows(chip.name)) continue;
    SCOPED_TRACE(chip.name);
    questions_ = 0;
    const MetricsExist ask = exist(chip.name);
    EXPECT_THAT(totals_metrics(chip.name, ask, false).missing, IsEmpty());
    EXPECT_THAT(totals_metrics(chip.name, ask, true).missing, IsEmpty());
    EXPECT_THAT(kernel_metrics(chip.name, ask, {}).missing, IsEmpty());
    EXPECT_EQ(questions_, 3);
  }
}

TEST_F(ChipPlans, PassesAreAsStated) {
  if (!is_asked_version()) GTEST_SKIP() << "numbers of CUPTI 13.0, this is " << cupti_->version();
  for (const KnownChip& chip : asked_chips) {
    if (!knows(chip.name)) continue;
    SCOPED_TRACE(chip.name);
    const Names state = volumes_and_state(chip.name);
    EXPECT_EQ(passes(chip.name, state), 1);
    EXPECT_EQ(passes(chip.name, joined(state, record::core_metrics_of(chip.name))), 2);
    EXPECT_EQ(passes(chip.name, sums(record::tensor_metrics_of(chip.name))), chip.floats);
    const MetricsExist ask = exist(chip.name);
    // The rest finds room in passes of the tensor types, CUDA cores have a separate one.
    EXPECT_EQ(passes(chip.name, totals_metrics(chip.name, ask, false).metrics), chip.floats);
    EXPECT_EQ(passes(chip.name, totals_metrics(chip.name, ask, true).metrics),
              chip.totals_and_peaks);
    EXPECT_EQ(passes(chip.name, kernel_metrics(chip.name, ask, {}).metrics), chip.floats + 1);
  }
}

// Counters that no pass could hold together with anything else would need a separate config.
TEST_F(ChipPlans, AMetricOfTwoPassesSharesThemWithOthers) {
  if (!is_asked_version()) GTEST_SKIP() << "numbers of CUPTI 13.0, this is " << cupti_->version();
  const std::string fp16 = "sm__ops_path_tensor_src_fp16.sum";
  EXPECT_EQ(passes("GH100", {fp16}), 2);
  EXPECT_EQ(passes("GH100", {fp16, "dram__bytes_read.sum"}), 2);
}

// The table of chips against the library: what it does not list (TU116) must not exist there.
TEST_F(ChipPlans, TheTableKnowsEveryChip) {
  for (const std::string& chip : chips_) {
    if (!record::is_known_chip(chip)) {
      ADD_FAILURE() << chip << " is not in the table";
      continue;
    }
    SCOPED_TRACE(chip);
    const Names floats = sums(record::tensor_metrics_of(chip));
    for (const std::string& metric :
         joined(joined(record::dram_metrics_of(chip), record::core_metrics_of(chip)), floats)) {
      EXPECT_TRUE(passes(chip, {metric})) << metric;
    }
    if (record::dram_metrics_of(chip).empty()) {
      EXPECT_FALSE(passes(chip, {"dram__bytes.sum"}));
    }
    const Names apart = record::apart_metrics_of(chip);
    EXPECT_EQ(passes(chip, {"pcie__read_bytes.sum"}).has_value(), !apart.empty());
    if (!apart.empty()) {
      EXPECT_EQ(passes(chip, apart), 1);
      EXPECT_THROW((void)passes(chip, joined(apart, {"lts__t_bytes.sum"})), CuptiError);
    }
    for (const char* type :
         {"fp16", "fp16_dst_fp16", "fp16_dst_fp32", "fp16_bf16_tf32_dst_fp32", "bf16_dst_fp32",
          "tf32_dst_fp32", "fp64", "fp8", "fp8_dst_fp16", "fp8_dst_fp32", "fp4_dst_fp32"}) {
      const std::string metric = format("sm__ops_path_tensor_src_{}.sum", type);
      const bool listed = std::ranges::find(floats, metric) != floats.end();
      EXPECT_EQ(passes(chip, {metric}).has_value(), listed) << metric;
    }
    const std::string packed = "smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum";
    EXPECT_EQ(passes(chip, {packed}).has_value(), record::core_metrics_of(chip).size() == 12);
  }
}

TEST_F(ChipPlans, AWrongNameIsMissingAndNoError) {
  if (!knows("GH100")) GTEST_SKIP() << "this CUPTI does not know GH100";
  // What GA100 has, asked for on GH100, as many a script does: that does not tell what fp16
  // accumulates in.
  const MetricList list = totals_metrics("GA100", exist("GH100"), false);
  EXPECT_THAT(list.missing, ElementsAre("sm__ops_path_tensor_src_fp16_dst_fp16.sum",
                                        "sm__ops_path_tensor_src_fp16_dst_fp32.sum"));
  EXPECT_EQ(list.metrics.size(), 9U);
  EXPECT_EQ(questions_, 12);
}

#else

TEST(ChipPlans, NeedCupti) { GTEST_SKIP() << "built without CUPTI's headers"; }

#endif

}  // namespace
}  // namespace rooflab::counters
