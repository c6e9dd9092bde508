#include "profile/profile_writer.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <limits>
#include <thread>

#include "base/format.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::profile {
namespace {

/// A file of this test that is gone afterwards.
class ProfileWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            format("rooflab-profile-{}-{}.jsonl", info->name(), ::getpid());
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  [[nodiscard]] std::string text() const { return read_file(path_); }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> found = split(text(), '\n');
    EXPECT_TRUE(found.back().empty()) << "the last line is not whole";
    found.pop_back();
    return found;
  }

  std::filesystem::path path_;
};

TEST_F(ProfileWriterTest, WritesOneFactALine) {
  {
    ProfileWriter writer(path_.string());
    ASSERT_TRUE(writer.ok());
    ProfileHead head;
    head.pid = 7;
    head.host = "node1";
    head.command = {"python3", "a b.py"};
    head.executable = "/usr/bin/python3";
    head.rank = 1;
    head.unix_ns = 1'767'225'600'000'000'000;
    head.clock_ns = 5;
    head.mode = "kernels";
    head.window = "all";
    head.step = "auto";
    head.cupti = "13.0";
    head.cupti_path = "/x/libcupti.so";
    writer.head(head);
    writer.device({2, "NVIDIA H200", "GPU-1", "GH100", "9.0", 132, 150'754'820'096, "580.159"});
    writer.device({});
    writer.signature(0, {"_Z1av", {1, 2, 3}, {32, 1, 1}, 512, 24, 1024});
    writer.signature(1, {"b", {}, {}, {}, {}});
    writer.kernel(0, 2, -7, 10, 20, 4'294'967'295U, 0);
    writer.copy(false, 1, 2, 7, 30, 40, 4096, 9);
    writer.copy(true, 0, 2, 7, 30, 40, 512, 9);
    writer.timed_steps(10, 45);
    writer.step_begin(3, 50);
    writer.step_broke(60);
    const std::vector<std::uint32_t> sequence = {0, 1, 0};
    writer.sequence(sequence);
    const std::vector<std::string> metrics = {"dram__bytes_read.sum", "x"};
    writer.set(0, CountedUnit::kernel, metrics);
    writer.set(1, CountedUnit::step, metrics);
    const std::vector<double> values = {6472859648.0, std::numeric_limits<double>::quiet_NaN()};
    writer.values(0, 5, 1, values);
    writer.totals(1, values);
    writer.set_done(1, 5, 200, 100, 3, 0);
    writer.counting_wall(1000, 250);
    const std::vector<std::pair<std::string, double>> peaks = {{"a.sum", 0.1}, {"b.sum", 2432.0}};
    writer.peaks(peaks);
    writer.warning("w", "h");
    writer.lost("l", 3);
    writer.end("exit", 12);
  }
  const std::vector<std::string> expected = {
      R"({"rooflab_profile":1,"pid":7,"host":"node1","command":["python3","a b.py"],)"
      R"("executable":"/usr/bin/python3","rank":1,"world_size":null,)"
      R"("unix_ns":1767225600000000000,"clock_ns":5,"mode":"kernels","window":"all",)"
      R"("step":"auto","cupti":"13.0","cupti_path":"/x/libcupti.so"})",
      R"({"device":2,"name":"NVIDIA H200","uuid":"GPU-1","chip":"GH100",)"
      R"("compute_capability":"9.0","multiprocessors":132,"memory_bytes":150754820096,)"
      R"("driver":"580.159"})",
      R"({"device":0,"name":"","uuid":"","chip":"","compute_capability":"",)"
      R"("multiprocessors":null,"memory_bytes":null,"driver":""})",
      R"({"kernel":0,"name":"_Z1av","grid":[1,2,3],"block":[32,1,1],"dynamic":512,"registers":24,)"
      R"("shared":1024})",
      R"({"kernel":1,"name":"b","grid":[0,0,0],"block":[0,0,0],"registers":null,"shared":null})",
      R"(["k",0,2,-7,10,20,4294967295])",
      R"(["m",0,1,2,7,30,40,4096,9])",
      R"(["m",1,0,2,7,30,40,512,9])",
      R"({"timed_steps":10,"ns":45})",
      R"({"step_begin":3,"ns":50})",
      R"({"step_broke":60})",
      R"({"sequence":[0,1,0]})",
      R"({"set":0,"per":"kernel","metrics":["dram__bytes_read.sum","x"]})",
      R"({"set":1,"per":"step","metrics":["dram__bytes_read.sum","x"]})",
      R"(["v",0,5,1,6472859648,null])",
      R"({"totals":[6472859648,null],"set":1})",
      R"({"set_done":1,"passes":5,"arming_ns":200,"wall_ns":100,"launches":3,"dropped":0})",
      R"({"counting_wall_ns":1000,"arming_ns":250})",
      R"({"peaks":{"a.sum":0.1,"b.sum":2432}})",
      R"({"warning":"w","hint":"h"})",
      R"({"lost":"l","count":3})",
      R"({"end":"exit","kernels":12})"};
  EXPECT_EQ(lines(), expected);
}

TEST_F(ProfileWriterTest, WhateverATextHoldsItIsJson) {
  {
    ProfileWriter writer(path_.string());
    writer.warning("quote\" back\\slash tab\t nul" + std::string(1, '\0'),
                   "\xC3\xA4 \xF0\x9F\x98\x80");
    // Alone, overlong, a surrogate, beyond the last code point, cut off.
    writer.warning("\x80 \xC0\xAF \xED\xA0\x80 \xF4\x90\x80\x80 \xE2\x82", "");
  }
  const std::vector<std::string> found = lines();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0],
            "{\"warning\":\"quote\\\" back\\\\slash tab\\u0009 nul\\u0000\","
            "\"hint\":\"\xC3\xA4 \xF0\x9F\x98\x80\"}");
  const Json json = Json::parse_if_valid(found[1]).value_or(nullptr);
  ASSERT_TRUE(json.is_object());
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(json["warning"], bad + " " + bad + bad + " " + bad + bad + bad + " " + bad + bad + bad +
                                 bad + " " + bad + bad);
}

TEST_F(ProfileWriterTest, PassesOnWholeLinesWhenEnoughHaveComeOrWhenTold) {
  ProfileWriter writer(path_.string());
  writer.step_begin(1, 2);
  EXPECT_EQ(text(), "");
  writer.flush();
  EXPECT_EQ(text(), "{\"step_begin\":1,\"ns\":2}\n");
  for (int i = 0; i < 4000; ++i) writer.kernel(0, 0, 7, 1'000'000'000 + i, 1000, 1, 0);
  const std::string some = text();
  EXPECT_GT(some.size(), 60'000U);
  EXPECT_EQ(some.back(), '\n');
  writer.step_begin(3, 4);
  EXPECT_TRUE(writer.try_flush());
  EXPECT_TRUE(text().ends_with("{\"step_begin\":3,\"ns\":4}\n"));
}

TEST_F(ProfileWriterTest, ALineMayBeLongerThanTheBuffer) {
  {
    ProfileWriter writer(path_.string());
    const std::vector<std::uint32_t> sequence(200'000, 123'456);
    writer.sequence(sequence);
    EXPECT_TRUE(writer.ok());
  }
  const Json json = Json::parse_if_valid(lines().at(0)).value_or(nullptr);
  ASSERT_EQ(json["sequence"].size(), 200'000U);
  EXPECT_EQ(json["sequence"][199'999], 123'456);
}

TEST_F(ProfileWriterTest, AppendsToWhatIsThere) {
  write_file_atomically(path_, "before\n");
  ProfileWriter(path_.string()).lost("l", 1);
  EXPECT_EQ(text(), "before\n{\"lost\":\"l\",\"count\":1}\n");
}

TEST_F(ProfileWriterTest, WhatCannotBeWrittenTurnsItOff) {
  ProfileWriter nowhere("/rooflab/no/such/folder/x.jsonl");
  EXPECT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error(), "No such file or directory");
  nowhere.step_begin(1, 2);
  nowhere.flush();

  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  ProfileWriter full("/dev/full");
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full.error(), "");
  full.step_begin(1, 2);
  full.flush();
  EXPECT_FALSE(full.ok());
  EXPECT_EQ(full.error(), "No space left on device");
  full.step_begin(1, 2);
}

TEST_F(ProfileWriterTest, SurvivesAKill) {
  const pid_t child = ::fork();
  if (child == 0) {
    ProfileWriter writer(path_.string());
    writer.step_begin(1, 2);
    writer.flush();
    writer.step_begin(3, 4);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(text(), "{\"step_begin\":1,\"ns\":2}\n");
}

TEST_F(ProfileWriterTest, AForkWritesNothingOfItsParent) {
  ProfileWriter writer(path_.string());
  writer.step_begin(1, 2);
  const pid_t child = ::fork();
  if (child == 0) {
    writer.flush();
    writer.end("exit", 1);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(text(), "");
  writer.flush();
  EXPECT_EQ(text(), "{\"step_begin\":1,\"ns\":2}\n");
}

TEST_F(ProfileWriterTest, LinesOfSeveralThreadsStayWhole) {
  constexpr int each = 20'000;
  {
    ProfileWriter writer(path_.string());
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&writer] {
        for (int i = 0; i < each; ++i) writer.kernel(1, 0, 7, 100, 10, 5, 0);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const std::vector<std::string> found = lines();
  EXPECT_EQ(found.size(), 3U * each);
  for (const std::string& line : found) ASSERT_EQ(line, R"(["k",1,0,7,100,10,5])");
}

TEST_F(ProfileWriterTest, AKernelTakesLittleTime) {
  ProfileWriter writer(path_.string());
  constexpr int count = 200'000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    writer.kernel(12, 0, 7, 1'767'225'600'000'000'000 + i, 12'345, static_cast<std::uint32_t>(i),
                  0);
  }
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
#ifdef ROOFLAB_SANITIZED
  constexpr double most_ns = 20'000.0;
#else
  constexpr double most_ns = 2000.0;  // about 100 ns; a write a line takes ten times that
#endif
  EXPECT_LT(taken.count() / count, most_ns);
}

}  // namespace
}  // namespace rooflab::profile
