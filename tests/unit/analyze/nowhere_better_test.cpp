// A device that is nowhere better than another is not predicted to be faster: all ordered pairs of
// the catalog's devices, twenty networks.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "networks.hpp"
#include "predict/carrying.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/predict/op_model.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::analyze {
namespace {

/// Room for rounding.
constexpr double at_least = 1.0 - 1e-9;

struct Pair {
  device::Device target;  ///< nowhere better than `source`
  device::Device source;
};

const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all = [] {
    const device::Catalog catalog = device::Catalog::built_in();
    std::vector<Pair> found;
    for (const std::string& one : catalog.ids()) {
      for (const std::string& other : catalog.ids()) {
        const Pair pair{catalog.find(one), catalog.find(other)};
        if (one != other && predict::is_nowhere_better(pair.target, pair.source)) {
          found.push_back(pair);
        }
      }
    }
    return found;
  }();
  return all;
}

const KnownCalibrations& known() {
  static const KnownCalibrations all = KnownCalibrations::built_in();
  return all;
}

/// Steps of twenty networks at batch 32.
const std::vector<schedule::Schedule>& steps(Precision precision, Phase phase = Phase::training) {
  static std::map<std::pair<Precision, Phase>, std::vector<schedule::Schedule>> made;
  std::vector<schedule::Schedule>& found = made[{precision, phase}];
  if (!found.empty()) return found;
  // The first nine, a family each, are those of the quick tests.
  for (const char* network : {"alexnet",
                              "vgg11",
                              "resnet18",
                              "squeezenet1_1",
                              "mobilenet_v3_small",
                              "shufflenet_v2_x0_5",
                              "mnasnet0_5",
                              "convnext_tiny",
                              "vit_b_16",
                              "vgg16",
                              "resnet34",
                              "resnet50",
                              "resnext50_32x4d",
                              "wide_resnet50_2",
                              "googlenet",
                              "squeezenet1_0",
                              "mobilenet_v2",
                              "efficientnet_b0",
                              "regnet_x_400mf",
                              "swin_t"}) {
    found.push_back(scheduled(network, 32, phase, precision));
  }
  return found;
}

const std::vector<schedule::Schedule>& steps_on(const device::Device& device, Precision precision,
                                                Phase phase = Phase::training) {
  return steps(device::precision_on(device, precision), phase);
}

TEST(NowhereBetter, GoesByEveryFigureOfOneMaker) {
  const device::Device h100 = device_named("h100-sxm");
  const device::Device h200 = device_named("h200-sxm");  // the same chip with faster memory
  EXPECT_TRUE(predict::is_nowhere_better(h100, h200));
  EXPECT_FALSE(predict::is_nowhere_better(h200, h100));
  device::Device strong = h100;
  strong.tdp->value = h200.tdp->value + 1.0;
  EXPECT_FALSE(predict::is_nowhere_better(strong, h200));
  // Every figure of a P100 is below those of an MI100, which runs other software.
  EXPECT_FALSE(predict::is_nowhere_better(device_named("p100-pcie-16gb"), device_named("mi100")));
  EXPECT_FALSE(predict::is_same_board(h100, h200));
  EXPECT_TRUE(
      predict::is_same_board(device_named("v100-pcie-16gb"), device_named("v100-pcie-32gb")));
}

/// What a device takes for each of a step's distinct ops, by one calibration alone.
TEST(NowhereBetter, OpsThatOneCalibrationCarries) {
  constexpr std::size_t thinned = 16;  // every 16th distinct op
  std::map<std::string, std::vector<predict::OpShape>> shapes;
  const auto shapes_on = [&](const device::Device& device) -> const auto& {
    std::vector<predict::OpShape>& found = shapes[device.id];
    std::set<std::pair<std::string, std::vector<double>>> distinct;
    if (!found.empty()) return found;
    for (const Precision precision : {Precision::fp32, Precision::amp}) {
      for (const schedule::Schedule& step : steps_on(device, precision)) {
        for (const schedule::ScheduledOp& op : step.ops) {
          const auto shape = predict::shape_of(step, op, device);
          if (!shape || !distinct.emplace(shape->kind(), shape->sizes).second) continue;
          if (distinct.size() % thinned == 0) found.push_back(*shape);
        }
      }
    }
    return found;
  };
  std::size_t compared = 0;
  for (const device::LazyCalibration& calibration : known().all) {
    const device::Device& source = known().devices.at(calibration.entry().device);
    const predict::TimeModel there({{calibration, source}}, source);
    for (const Pair& pair : pairs()) {
      if (pair.source.id != source.id) continue;
      const predict::TimeModel here({{calibration, source}}, pair.target);
      for (const predict::OpShape& shape : shapes_on(pair.target)) {
        EXPECT_GE(here.estimate(shape).time_s, at_least * there.estimate(shape).time_s)
            << pair.target.id << " from " << source.id << ": " << shape.kind();
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 10000U);
}

struct Extent {
  Precision precision;
  Phase phase;
  std::size_t networks;  ///< the first of steps()
};

class PredictedSteps : public testing::TestWithParam<Extent> {
 protected:
  /// With every built-in calibration, as `rooflab predict --issued-by none` chooses them.
  const std::vector<double>& times_on(const device::Device& device) {
    std::vector<double>& found = times_[device.id];
    if (!found.empty()) return found;
    const auto model = known().model_for(device, {.name = "none"});
    const std::span all(steps_on(device, GetParam().precision, GetParam().phase));
    for (const schedule::Schedule& step : all.first(GetParam().networks)) {
      found.push_back(predict::predict_step(step, model->times).time.value);
    }
    return found;
  }
  static const std::string& network(std::size_t i) { return steps(Precision::fp32)[i].graph.name; }

 private:
  std::map<std::string, std::vector<double>> times_;
};

TEST_P(PredictedSteps, AreNotFasterOnADeviceThatIsNowhereBetter) {
  EXPECT_GT(pairs().size(), 250U);
  for (const Pair& pair : pairs()) {
    const std::vector<double>& here = times_on(pair.target);
    const std::vector<double>& there = times_on(pair.source);
    // Within an architecture by construction. Of two architectures published rows of either may
    // contradict what is carried to the other.
    for (std::size_t i = 0; i < here.size(); ++i) {
      EXPECT_GE(here[i] / there[i], at_least)
          << pair.target.id << " before " << pair.source.id << ": " << network(i);
    }
  }
}

/// How many times as fast as `one` its figures may make `other`.
double advantage(const device::Device& one, const device::Device& other) {
  double most = 1.0;
  const auto compare = [&most](const auto& mine, const auto& theirs) {
    if (mine && theirs) most = std::max(most, theirs->value / mine->value);
  };
  compare(one.sm_count, other.sm_count);
  compare(one.boost_clock, other.boost_clock);
  compare(one.bandwidth, other.bandwidth);
  compare(one.tdp, other.tdp);
  for (const auto& [path, peak] : one.peaks) {
    const auto theirs = other.peaks.find(path);
    if (theirs != other.peaks.end()) most = std::max(most, theirs->second.value / peak.value);
  }
  return most;
}

// B200 and GB200 are boards of one chip, B300 is its successor with the same multiprocessors: what
// sets them apart is in their figures.
TEST_P(PredictedSteps, OfOneChipDifferByItsFigures) {
  for (const char* const one : {"b200", "gb200", "b300-sxm"}) {
    for (const char* const other : {"b200", "gb200", "b300-sxm"}) {
      const device::Device slow = device_named(one);
      const device::Device fast = device_named(other);
      for (std::size_t i = 0; i < GetParam().networks; ++i) {
        EXPECT_LE(times_on(slow)[i] / times_on(fast)[i], 1.03 * advantage(slow, fast))
            << one << " behind " << other << ": " << network(i);
      }
    }
  }
}

std::string name_of_extent(const testing::TestParamInfo<Extent>& test) {
  return format("{}_{}", name_of(test.param.precision), name_of(test.param.phase));
}

INSTANTIATE_TEST_SUITE_P(NowhereBetter, PredictedSteps,
                         testing::Values(Extent{Precision::fp32, Phase::training, 3},
                                         Extent{Precision::amp, Phase::training, 3},
                                         Extent{Precision::fp32, Phase::inference, 3}),
                         name_of_extent);
INSTANTIATE_TEST_SUITE_P(LongNowhereBetter, PredictedSteps,
                         testing::Values(Extent{Precision::fp32, Phase::training, 20},
                                         Extent{Precision::amp, Phase::training, 20},
                                         Extent{Precision::fp32, Phase::inference, 20},
                                         Extent{Precision::amp, Phase::inference, 20}),
                         name_of_extent);

}  // namespace
}  // namespace rooflab::analyze
