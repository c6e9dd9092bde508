// Plans for real chips, with CUPTI's host library, which knows all chips and needs no GPU. Numbers
// of passes are what CUPTI 13.0 answers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "rooflab/base/text.hpp"
#include "rooflab/counters/counter_access.hpp"
#include "rooflab/counters/cupti_library.hpp"
#include "rooflab/counters/metric_config.hpp"
#include "rooflab/counters/metric_plan.hpp"
#include "rooflab/record/counter_metric.hpp"

namespace rooflab::counters {
namespace {

#ifdef ROOFLAB_HAS_CUPTI

using testing::Contains;
using testing::IsEmpty;

using Names = std::vector<std::string>;

struct KnownChip {
  const char* name;
  int float_passes;        ///< of all floating-point tensor metrics together
  std::size_t float_sets;  ///< that a plan takes for them, DRAM and what describes a kernel
  std::size_t sets;        ///< with integers
  std::size_t sets_and_peaks;
};

/// GB100's floats take a set more than passes: first fit is not the best fit.
constexpr KnownChip asked_chips[] = {
    {"GV100", 1, 1, 1, 2},   {"TU102", 1, 1, 2, 2}, {"GA100", 4, 4, 9, 9}, {"GA102", 4, 4, 9, 9},
    {"AD102", 5, 5, 10, 10}, {"GH100", 4, 4, 7, 7}, {"GB100", 5, 6, 8, 8}, {"GB202", 9, 9, 10, 10},
};

class ChipPlans : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    cupti_ = CuptiLibrary::open(counter_access().cupti, why);
    if (cupti_ == nullptr) GTEST_SKIP() << why;
    for (const std::string& chip : known_chips(*cupti_)) {
      if (has_range_profiler(chip)) chips_.push_back(chip);
    }
  }

  /// Older CUPTI does not know newer chips, CUDA 13's no longer all of the oldest.
  bool knows(const std::string& chip) const {
    return std::ranges::find(chips_, chip) != chips_.end();
  }

  PassCount passes(const std::string& chip) {
    return [this, chip](std::span<const std::string> metrics) -> std::optional<int> {
      ++questions_;
      try {
        return MetricConfig(cupti_, chip, {metrics.begin(), metrics.end()}).passes();
      } catch (const CuptiError& error) {
        if (error.code() == 1) return std::nullopt;
        throw;
      }
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

  std::shared_ptr<const CuptiLibrary> cupti_;
  Names chips_;
  int questions_ = 0;
};

Names sums(const std::vector<std::string_view>& bases) {
  Names names;
  for (const std::string_view base : bases) names.push_back(format("{}.sum", base));
  return names;
}

Names joined(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

/// Time, DRAM, L2 and L1 bytes, cycles, occupancy, instructions.
Names base_metrics(const char* chip) {
  return joined(
      {"gpu__time_duration.sum", "sm__cycles_active.avg", "sm__cycles_elapsed.max",
       "sm__cycles_elapsed.avg.per_second", "sm__warps_active.avg.pct_of_peak_sustained_active",
       "lts__t_bytes.sum", "l1tex__t_bytes.sum", "smsp__inst_executed.sum",
       "sm__inst_executed_pipe_tensor.sum"},
      record::dram_metrics_of(chip));
}

TEST_F(ChipPlans, PassesAreAsStated) {
  if (!is_asked_version()) GTEST_SKIP() << "numbers of CUPTI 13.0, this is " << cupti_->version();
  for (const KnownChip& chip : asked_chips) {
    if (!knows(chip.name)) continue;
    SCOPED_TRACE(chip.name);
    const PassCount ask = passes(chip.name);
    const Names base = base_metrics(chip.name);
    EXPECT_EQ(ask(base), 1);
    EXPECT_EQ(ask(joined(base, record::core_metrics_of(chip.name))), 2);
    EXPECT_EQ(ask(sums(record::tensor_metrics_of(chip.name))), chip.float_passes);
  }
}

TEST_F(ChipPlans, EverySetTakesOnePassAndNothingIsMissing) {
  for (const KnownChip& chip : asked_chips) {
    if (!knows(chip.name)) continue;
    SCOPED_TRACE(chip.name);
    const PassCount ask = passes(chip.name);
    const MetricPlan totals = plan_totals(chip.name, ask, false);
    EXPECT_THAT(totals.missing, IsEmpty());
    if (is_asked_version()) {
      EXPECT_EQ(totals.sets.size(), chip.sets);
    }
    const MetricPlan peaks = plan_totals(chip.name, ask, true);
    EXPECT_THAT(peaks.missing, IsEmpty());
    if (is_asked_version()) {
      EXPECT_EQ(peaks.sets.size(), chip.sets_and_peaks);
    }
    const MetricPlan kernels = plan_kernels(chip.name, ask);
    EXPECT_THAT(kernels.missing, IsEmpty());
    EXPECT_EQ(kernels.sets.size(), 1 + totals.sets.size());
    for (const MetricPlan& plan : {totals, peaks, kernels}) {
      for (const MetricSet& set : plan.sets) {
        EXPECT_EQ(ask(set.metrics), 1) << join(set.metrics, ",");
      }
    }
  }
}

TEST_F(ChipPlans, FloatsComeFirstAndInAsManySets) {
  if (!is_asked_version()) GTEST_SKIP() << "numbers of CUPTI 13.0, this is " << cupti_->version();
  for (const KnownChip& chip : asked_chips) {
    if (!knows(chip.name)) continue;
    SCOPED_TRACE(chip.name);
    const std::vector<record::KernelFigure> integers = {record::KernelFigure::tensor_int8,
                                                        record::KernelFigure::tensor_int4,
                                                        record::KernelFigure::tensor_int1};
    const MetricPlan plan = plan_kernels(chip.name, passes(chip.name), integers);
    EXPECT_EQ(plan.sets.size(), 1 + chip.float_sets);
    EXPECT_TRUE(plan.sets.front().patches_code);
    for (const std::string& dram : record::dram_metrics_of(chip.name)) {
      EXPECT_THAT(plan.sets.at(1).metrics, Contains(dram));
    }
  }
}

TEST_F(ChipPlans, ADeviceIsAskedAboutAHundredTimes) {
  for (const KnownChip& chip : asked_chips) {
    if (!knows(chip.name)) continue;
    questions_ = 0;
    (void)plan_totals(chip.name, passes(chip.name), true);
    EXPECT_LE(questions_, 100) << chip.name;
  }
}

// The table of chips against the library: what it does not list (TU116) must not exist there.
TEST_F(ChipPlans, TheTableKnowsEveryChip) {
  for (const std::string& chip : chips_) {
    if (!record::is_known_chip(chip)) {
      ADD_FAILURE() << chip << " is not in the table";
      continue;
    }
    SCOPED_TRACE(chip);
    const PassCount ask = passes(chip);
    const auto floats = record::tensor_metrics_of(chip);
    const auto integers = record::tensor_integer_metrics_of(chip);
    for (const auto& bases : {floats, integers}) {
      for (const std::string& metric : sums(bases)) {
        const std::optional<int> alone = ask({&metric, 1});
        ASSERT_TRUE(alone) << metric << " does not exist";
        const Names parts = sums(record::tensor_parts_of(chip, metric));
        EXPECT_EQ(*alone > 1, !parts.empty()) << metric << " takes " << *alone;
        for (const std::string& part : parts) {
          EXPECT_EQ(ask({&part, 1}), 1) << part;
          EXPECT_EQ(record::counter_metric(part, chip)->figure, record::tensor_figure_of(metric));
        }
      }
    }
    for (const std::string& metric :
         joined(record::dram_metrics_of(chip), record::core_metrics_of(chip))) {
      EXPECT_EQ(ask({&metric, 1}), 1) << metric;
    }
    if (record::dram_metrics_of(chip).empty()) {
      const std::string dram = "dram__bytes.sum";
      EXPECT_EQ(ask({&dram, 1}), std::nullopt);
    }
    for (const char* type : {"int8", "int4", "int1"}) {
      const std::string base = format("sm__ops_path_tensor_src_{}", type);
      const std::string metric = base + ".sum";
      const bool listed = std::ranges::find(integers, base) != integers.end();
      EXPECT_EQ(ask({&metric, 1}).has_value(), listed) << metric;
    }
    const std::string packed = "smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum";
    EXPECT_EQ(ask({&packed, 1}).has_value(), record::core_metrics_of(chip).size() == 12);
  }
}

TEST_F(ChipPlans, AWrongNameIsMissingAndNoError) {
  if (!knows("GH100")) GTEST_SKIP() << "this CUPTI does not know GH100";
  // Asked for in many a script; GH100 does not tell what fp16 accumulates in.
  const Names names = {"dram__bytes_read.sum", "sm__ops_path_tensor_src_fp16_dst_fp32.sum"};
  const MetricPlan plan = pack(names, passes("GH100"));
  EXPECT_THAT(plan.missing, testing::ElementsAre(names[1]));
  EXPECT_THAT(plan.sets, testing::ElementsAre(MetricSet{{names[0]}}));
}

#else

TEST(ChipPlans, NeedCupti) { GTEST_SKIP() << "built without CUPTI's headers"; }

#endif

}  // namespace
}  // namespace rooflab::counters
