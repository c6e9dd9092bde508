#include "monitor/sampler.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <thread>

#include "../record/equal_fields.hpp"

namespace rooflab::monitor {
namespace {

using namespace std::chrono_literals;

/// Counts its readings, each of which may take a while.
class CountingSensor : public Sensor {
 public:
  explicit CountingSensor(std::chrono::milliseconds takes = 0ms, std::atomic<int>* alive = nullptr)
      : takes_(takes), alive_(alive) {
    if (alive_ != nullptr) ++*alive_;
  }
  ~CountingSensor() override {
    if (alive_ != nullptr) --*alive_;
  }
  [[nodiscard]] std::string device() const override { return "cuda:7"; }
  [[nodiscard]] std::string name() const override { return "Counter"; }
  [[nodiscard]] record::Sample read() override {
    std::this_thread::sleep_for(takes_);
    record::Sample sample;
    sample.power_w = ++count_;
    sample.time_s = -1.0;  // the sampler's business
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    sample.core_utilization = ::sigismember(&blocked, SIGINT);
    return sample;
  }

 private:
  std::chrono::milliseconds takes_;
  std::atomic<int>* alive_;
  int count_ = 0;
};

std::vector<std::unique_ptr<Sensor>> one(std::unique_ptr<Sensor> sensor) {
  std::vector<std::unique_ptr<Sensor>> sensors;
  sensors.push_back(std::move(sensor));
  return sensors;
}

TEST(Sampler, OneSampleAtOnceAndOneAtTheEnd) {
  Sampler sampler(one(std::make_unique<CountingSensor>()), 3600.0);
  const auto begin = std::chrono::steady_clock::now();
  while (sampler.so_far()[0].samples.empty() && std::chrono::steady_clock::now() - begin < 10s) {
    std::this_thread::sleep_for(1ms);
  }
  const std::vector<record::SampleSeries> series = sampler.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);  // does not wait for the hour
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series[0].device, "cuda:7");
  EXPECT_EQ(series[0].name, "Counter");
  ASSERT_EQ(series[0].samples.size(), 2U);
  EXPECT_DOUBLE_EQ(series[0].samples[0].power_w.value(), 1.0);
  EXPECT_DOUBLE_EQ(series[0].samples[1].power_w.value(), 2.0);
  EXPECT_GE(series[0].samples[0].time_s, 0.0);
  EXPECT_GT(series[0].samples[1].time_s, series[0].samples[0].time_s);
  EXPECT_EQ(sampler.stop(), series);
}

TEST(Sampler, StoppedAtOnceStillHasBoth) {
  Sampler sampler(one(std::make_unique<CountingSensor>()), 3600.0);
  EXPECT_EQ(sampler.stop()[0].samples.size(), 2U);
}

// Deadlines are multiples of the period after the start: samples come just after them, however long
// a reading takes, and never more often.
TEST(Sampler, KeepsThePeriod) {
  Sampler sampler(one(std::make_unique<CountingSensor>(15ms)), 0.05);
  std::this_thread::sleep_for(510ms);
  const std::vector<record::Sample> samples = sampler.stop()[0].samples;
  ASSERT_GE(samples.size(), 4U);  // on a machine that is busy
  EXPECT_LE(samples.size(), 13U + 12U);
  for (std::size_t i = 1; i + 1 < samples.size(); ++i) {
    const double periods = samples[i].time_s / 0.05;
    EXPECT_GT(std::floor(periods + 1e-6), std::floor(samples[i - 1].time_s / 0.05 + 1e-6)) << i;
  }
}

TEST(Sampler, AMissedSampleIsLeftOut) {
  Sampler sampler(one(std::make_unique<CountingSensor>(50ms)), 0.001);
  std::this_thread::sleep_for(230ms);
  EXPECT_LE(sampler.stop()[0].samples.size(), 12U);
}

TEST(Sampler, ItsThreadTakesNoSignals) {
  Sampler sampler(one(std::make_unique<CountingSensor>()), 3600.0);
  EXPECT_DOUBLE_EQ(sampler.stop()[0].samples[0].core_utilization.value(), 1.0);
  sigset_t mine;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mine);
  EXPECT_EQ(::sigismember(&mine, SIGINT), 0);
}

TEST(Sampler, TheDestructorStopsToo) {
  std::atomic<int> alive = 0;
  { const Sampler sampler(one(std::make_unique<CountingSensor>(0ms, &alive)), 3600.0); }
  EXPECT_EQ(alive, 0);
}

TEST(Sampler, WithoutSensors) {
  Sampler sampler({}, 0.1);
  EXPECT_TRUE(sampler.so_far().empty());
  EXPECT_TRUE(sampler.stop().empty());
}

}  // namespace
}  // namespace rooflab::monitor
