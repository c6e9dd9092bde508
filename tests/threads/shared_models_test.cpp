// Eight threads share one const object: each gets the numbers that a thread alone gets.

#include <array>
#include <memory>

#include "rooflab/analyze/predictor.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "together.hpp"

namespace rooflab::analyze {
namespace {

using Steps = std::vector<schedule::Schedule>;
using Times = std::array<double, thread_count>;

const Steps& steps() {
  static const Steps all = [] {
    Steps made;
    for (const char* const name : {"resnet50", "vgg16", "densenet121", "googlenet", "resnet18",
                                   "mobilenet_v2", "vit_b_16", "alexnet"}) {
      made.push_back(schedule::lower(zoo::build(name, {.batch = 8}), {.phase = Phase::training}));
    }
    return made;
  }();
  return all;
}

double time_of(const CaseResult& result) { return result.predicted_time().value().value; }

Times times_by(const CalibratedModel& model, const device::Device& device) {
  Times times{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i] = time_of(predict_case(steps()[i], device, {}, &model));
  }
  return times;
}

TEST(SharedModels, AModelOfADeviceThatWasProbed) {
  const KnownCalibrations known = KnownCalibrations::built_in();
  const device::Device device = device::Catalog::built_in().find("h200");
  const Times right = times_by(*known.model_for(device), device);
  for (int round = 0; round < race_rounds(2); ++round) {
    const auto model = known.model_for(device);
    Times got{};
    together([&](int t) {
      const auto i = static_cast<std::size_t>(t);
      got[i] = time_of(predict_case(steps()[i], device, {}, &*model));
    });
    EXPECT_EQ(got, right);
  }
}

// Its times come from other devices, through a family of devices that is made at the first
// question.
TEST(SharedModels, AModelOfADeviceThatWasNotProbed) {
  const KnownCalibrations known = KnownCalibrations::built_in();
  const device::Device device = device::Catalog::built_in().find("rtx3090");
  const Times right = times_by(*known.model_for(device), device);
  for (int round = 0; round < race_rounds(1); ++round) {
    const auto model = known.model_for(device);
    Times got{};
    together([&](int t) {
      const auto i = static_cast<std::size_t>(t);
      got[i] = time_of(predict_case(steps()[i], device, {}, &*model));
    });
    EXPECT_EQ(got, right);
  }
}

TEST(SharedModels, ALookupGivesEachThreadTheModel) {
  const auto known = std::make_shared<const KnownCalibrations>(KnownCalibrations::built_in());
  const device::Device device = device::Catalog::built_in().find("h200");
  for (int round = 0; round < race_rounds(20); ++round) {
    const CalibrationLookup lookup = lookup_in(known);
    std::array<std::shared_ptr<const CalibratedModel>, thread_count> got;
    together([&](int t) { got[static_cast<std::size_t>(t)] = lookup(device); });
    for (const auto& each : got) {
      ASSERT_NE(each, nullptr);
      EXPECT_EQ(each, got.front());
    }
  }
}

// Devices of one architecture share what they worked out.
TEST(SharedModels, APredictorWithADeviceForEachThread) {
  constexpr std::array devices = {"h200", "h100-sxm", "h100-pcie",      "t4",
                                  "v100-sxm2-16gb", "rtx3090",  "a100-sxm4-40gb", "a100-sxm4-80gb"};
  const auto time_by = [&](const Predictor& predictor, std::size_t i) {
    return time_of(predictor.predict(zoo::build("resnet18", {.batch = 8}), devices[i],
                                     {.phase = Phase::training}));
  };
  Times right{};
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = time_by(Predictor(), i);
  for (int round = 0; round < race_rounds(1); ++round) {
    const Predictor predictor;
    Times got{};
    together([&](int t) { got[static_cast<std::size_t>(t)] = time_by(predictor, t); });
    EXPECT_EQ(got, right);
  }
}

}  // namespace
}  // namespace rooflab::analyze
