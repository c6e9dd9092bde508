// The thread on a fake of the hardware, which counts its calls.

#include "profile/sampling_thread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "rooflab/base/text.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using Wait = SamplingThread::Wait;

/// What the fake did, and what it shall do.
struct FakeHardware {
  std::atomic<int> starts = 0;
  std::atomic<int> stops = 0;
  std::atomic<int> takes = 0;
  std::atomic<bool> running = false;
  std::atomic<bool> alive = false;
  std::atomic<bool> overflows = false;
  std::atomic<int> error_of_start = 0;
  std::atomic<int> error_of_take = 0;
};

/// Every take holds one sample, the next ms.
class FakeSource final : public SampleSource {
 public:
  explicit FakeSource(FakeHardware& hardware) : hardware_(hardware) { hardware_.alive = true; }
  ~FakeSource() override { hardware_.alive = false; }

  [[nodiscard]] int device() const override { return 3; }
  [[nodiscard]] const std::string& chip() const override { return chip_; }
  [[nodiscard]] const std::vector<std::string>& metrics() const override { return metrics_; }
  [[nodiscard]] const std::vector<std::string>& left_out() const override { return left_out_; }
  void start() override {
    if (const int code = hardware_.error_of_start) throw CuptiError(code, "start");
    ++hardware_.starts;
    hardware_.running = true;
  }
  void stop() override {
    ++hardware_.stops;
    hardware_.running = false;
  }
  TakenSamples take() override {
    if (const int code = hardware_.error_of_take) throw CuptiError(code, "take");
    const std::int64_t start_ns = 1'000'000 * ++hardware_.takes;
    return {{{start_ns, start_ns + 1'000'000, {64.0}}}, hardware_.overflows};
  }

 private:
  FakeHardware& hardware_;
  std::string chip_ = "GH100";
  std::vector<std::string> metrics_ = {"dram__bytes_read.sum"};
  std::vector<std::string> left_out_ = {"FP64 pipe", "FP16 pipe"};
};

class Sampling : public testing::Test {
 protected:
  SamplingOrder order(std::chrono::milliseconds take_every = std::chrono::minutes(10)) {
    SamplingOrder order;
    order.source = [this] { return std::make_unique<FakeSource>(hardware_); };
    order.interval_ns = 500'000;
    order.take_every = take_every;
    order.failed = [this](const CuptiError& error) { failures_.push_back(error.code()); };
    order.ready = [this](const SampleSource& source) { ready_ = source.chip(); };
    return order;
  }

  /// The file's lines, without the times of windows.
  std::string text() {
    writer_.flush();
    return read_file_if_possible(path_).value_or("");
  }
  std::size_t count(const std::string& part) {
    const std::string all = text();
    std::size_t count = 0;
    for (std::size_t at = all.find(part); at != all.npos; at = all.find(part, at + 1)) ++count;
    return count;
  }

  FakeHardware hardware_;
  std::vector<int> failures_;
  std::string ready_;
  TemporaryFolder folder_{"sampling"};
  std::string path_ = (folder_.path() / "a.jsonl").string();
  ProfileWriter writer_{path_};
};

TEST_F(Sampling, AWindowIsWrittenWhole) {
  SamplingThread thread(order(), writer_);
  thread.open(Wait::until_done);
  EXPECT_TRUE(hardware_.running);
  EXPECT_EQ(ready_, "GH100");
  thread.close();
  EXPECT_FALSE(hardware_.running);
  EXPECT_EQ(hardware_.takes, 1);  // what was left at its end
  thread.end();
  EXPECT_FALSE(hardware_.alive);
  const std::string all = text();
  EXPECT_THAT(all, HasSubstr("{\"sampling\":{\"device\":3,\"metrics\":[\"dram__bytes_read.sum\"],"
                             "\"interval_ns\":500000}}\n"));
  EXPECT_THAT(all, HasSubstr("[\"s\",1000000,2000000,64]\n{\"sampling_window_ns\":"));
  EXPECT_THAT(
      all,
      HasSubstr("find no place in one pass of this chip: FP64 pipe, FP16 pipe\",\"count\":2}"));
  EXPECT_THAT(all, Not(HasSubstr("never opened")));
}

TEST_F(Sampling, WindowsOpenAgain) {
  SamplingThread thread(order(), writer_);
  for (int i = 0; i < 3; ++i) {
    thread.open(Wait::until_done);
    thread.close();
  }
  thread.end();
  EXPECT_EQ(hardware_.starts, 3);
  EXPECT_EQ(hardware_.stops, 3);
  EXPECT_EQ(count("sampling_window_ns"), 3U);
  EXPECT_EQ(count("\"sampling\":"), 1U);
}

TEST_F(Sampling, SamplesAreTakenWhileItIsOpen) {
  SamplingThread thread(order(std::chrono::milliseconds(1)), writer_);
  thread.open(Wait::no);
  while (hardware_.takes < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(count("[\"s\","), 2U);  // on disk already
  EXPECT_EQ(count("sampling_window_ns"), 0U);
  thread.end();  // closes it
  EXPECT_EQ(hardware_.stops, 1);
  EXPECT_EQ(count("sampling_window_ns"), 1U);
}

TEST_F(Sampling, AFullBufferIsTold) {
  hardware_.overflows = true;
  SamplingThread thread(order(), writer_);
  thread.open(Wait::until_done);
  thread.end();
  EXPECT_THAT(text(),
              HasSubstr("{\"lost\":\"samples: the hardware's buffer was full\",\"count\":1}"));
}

TEST_F(Sampling, ARefusalIsToldOnce) {
  hardware_.error_of_start = 35;
  SamplingThread thread(order(), writer_);
  thread.open(Wait::until_done);
  thread.close();
  thread.open(Wait::until_done);
  thread.end();
  EXPECT_THAT(failures_, ElementsAre(35));
  EXPECT_FALSE(hardware_.alive);
  EXPECT_EQ(count("[\"s\","), 0U);
}

TEST_F(Sampling, AFailureInAWindowEndsIt) {
  hardware_.error_of_take = 999;
  SamplingThread thread(order(), writer_);
  thread.open(Wait::until_done);
  thread.close();
  thread.end();
  EXPECT_THAT(failures_, ElementsAre(999));
  EXPECT_EQ(count("sampling_window_ns"), 1U);  // what is missing shows in its time
}

TEST_F(Sampling, AWindowThatIsTooShortIsTold) {
  SamplingOrder late = order();
  late.source = [this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return std::make_unique<FakeSource>(hardware_);
  };
  SamplingThread thread(std::move(late), writer_);
  thread.open(Wait::no);
  thread.end();
  EXPECT_EQ(hardware_.starts, 0);
  EXPECT_THAT(text(), HasSubstr("the window closed before the counters were ready"));
}

TEST_F(Sampling, GpmTellsOfTheSameWindow) {
  ::setenv("ROOFLAB_NVML", FAKE_NVML, 1);
  SamplingOrder metered = order();
  metered.meter = [] { return GpmMeter::open("GPU-11111111-1111-1111-1111-111111111111"); };
  SamplingThread thread(std::move(metered), writer_);
  thread.open(Wait::until_done);
  thread.close();
  thread.end();
  // A metric is as many percent as its number: 10, 5, 12, 11, of FP16 none, 3, 2.
  EXPECT_THAT(text(), HasSubstr("{\"gpm\":[0.1,0.05,0.12,0.11,null,0.03,0.02]}"));
}

TEST(Gpm, IsOptional) {
  ::setenv("ROOFLAB_NVML", FAKE_NVML, 1);
  EXPECT_EQ(GpmMeter::open("GPU-of-nobody"), nullptr);
  EXPECT_EQ(GpmMeter::open("GPU-1aaaaaaa-0000-0000-0000-000000000000"), nullptr);  // not supported
  ::setenv("ROOFLAB_NVML", FAKE_NVML_OLD, 1);                                      // has no GPM
  EXPECT_EQ(GpmMeter::open("GPU-0aaaaaaa-0000-0000-0000-000000000000"), nullptr);
  ::setenv("ROOFLAB_NVML", "/nowhere/libnvidia-ml.so.1", 1);
  EXPECT_EQ(GpmMeter::open("GPU-0aaaaaaa-0000-0000-0000-000000000000"), nullptr);
}

TEST_F(Sampling, AWindowThatNeverOpensIsTold) {
  SamplingThread thread(order(), writer_);
  thread.end();
  thread.open(Wait::until_done);  // too late
  EXPECT_EQ(hardware_.starts, 0);
  EXPECT_THAT(text(), HasSubstr("the window never opened"));
}

}  // namespace
}  // namespace rooflab::profile
