#include "counters/profile_reader.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "../base/input_error.hpp"
#include "../base/note_matchers.hpp"
#include "base/format.hpp"
#include "notes/counters_notes.hpp"
#include "profile/profile_writer.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::counters {
namespace {

namespace fs = std::filesystem;
using enum record::KernelFigure;

const fs::path step_file = fs::path(ROOFLAB_SOURCE_DIR) / "tests/data/counters/step.jsonl";

constexpr std::string_view trace_head =
    R"({"rooflab_profile":1,"pid":42,"host":"node1","command":["./simulation"],)"
    R"("executable":"/home/x/simulation","rank":3,"world_size":8,)"
    R"("unix_ns":1767225600000005000,"clock_ns":5000,"mode":"trace","cupti":"13.0"})"
    "\n";
constexpr std::string_view relu =
    R"({"kernel":0,"name":"_Z4reluPfi","grid":[264,1,1],"block":[256,1,1],)"
    R"("registers":24,"shared":1024})"
    "\n";

record::Record read_trace(std::string_view lines) {
  return read_profile_text(std::string(trace_head) + std::string(relu) + std::string(lines),
                           "a.jsonl");
}

std::vector<std::string> whats(const record::Record& record) {
  std::vector<std::string> texts;
  for (const record::Loss& loss : record.lost) {
    texts.push_back(format("{} x {}, {}", loss.count, loss.what, loss.first));
  }
  return texts;
}

TEST(ProfileReader, ATraceBecomesRowsWithStarts) {
  const record::Record record =
      read_trace(R"({"device":1,"name":"NVIDIA H200","uuid":"GPU-1","chip":"GH100",)"
                 R"("compute_capability":"9.0","multiprocessors":132,"memory_bytes":150754820096,)"
                 R"("driver":"580.159"})"
                 "\n[\"m\",0,1,1,7,6000,2000,4096,1]\n"
                 "[\"k\",0,1,9,20000,11500,3]\n"
                 "[\"k\",0,1,7,9000,10500,2]\n"
                 "[\"m\",1,0,1,7,40000,100,512,4]\n[\"m\",0,8,1,7,50000,100,64,5]\n"
                 "{\"end\":\"exit\",\"kernels\":2}\n");
  EXPECT_EQ(record.status, record::Status::ok);
  EXPECT_EQ(record.identity.model, "simulation");
  EXPECT_EQ(record.identity.device, "cuda:1");
  EXPECT_EQ(record.identity.command, "./simulation");
  EXPECT_EQ(record.environment.date, "2026-01-01T00:00:00Z");
  EXPECT_EQ(record.environment.libraries.at("cupti"), "13.0");
  EXPECT_EQ(record.environment.device.name, "NVIDIA H200");
  EXPECT_EQ(record.environment.device.uuid, "GPU-1");
  EXPECT_EQ(record.environment.device.memory, Bytes(150'754'820'096));
  EXPECT_EQ(record.environment.device.driver, "580.159");
  EXPECT_FALSE(record.counting);
  EXPECT_TRUE(record.lost.empty());
  EXPECT_TRUE(record.warnings.empty());

  ASSERT_TRUE(record.kernels);
  const record::KernelTable& kernels = *record.kernels;
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels.name(0), "relu(float*, int)");
  EXPECT_EQ(kernels.process(0), "simulation (42 on node1), rank 3");
  const record::KernelLaunch launch = kernels.launch(0);  // in the file's order
  EXPECT_EQ(launch.launch, 3);
  EXPECT_EQ(launch.device, 1);
  EXPECT_EQ(launch.stream, 9);
  EXPECT_EQ(launch.start_ns, 20000);
  EXPECT_EQ(launch.grid, (record::Extent{264, 1, 1}));
  EXPECT_DOUBLE_EQ(kernels.at(time_s, 0).value(), 11.5e-6);
  EXPECT_EQ(kernels.at(registers_per_thread, 0), 24.0);
  EXPECT_EQ(kernels.at(shared_memory_bytes, 0), 1024.0);
  EXPECT_DOUBLE_EQ(kernels.at(blocks_per_sm, 0).value(), 2.0);  // 264 / 132
  EXPECT_DOUBLE_EQ(kernels.at(warps_per_sm, 0).value(), 16.0);  // 2 * 256 / 32
  EXPECT_FALSE(kernels.has(occupancy));

  ASSERT_TRUE(record.trace);
  EXPECT_EQ(record.trace->profiler, "CUPTI activity");
  EXPECT_EQ(record.trace->base_ns, 1'767'225'600'000'000'000);
  EXPECT_EQ(record.trace->rank, 3);
  EXPECT_EQ(record.trace->world_size, 8);
  ASSERT_EQ(record.trace->devices.size(), 1U);
  EXPECT_EQ(record.trace->devices[0].multiprocessors, 132);
  ASSERT_EQ(record.trace->copies.size(), 3U);
  const auto name = [&](std::size_t i) {
    return record.trace->copy_names[record.trace->copies[i].name];
  };
  EXPECT_EQ(name(0), "Memcpy HtoD");
  EXPECT_EQ(name(1), "Memset");
  EXPECT_EQ(name(2), "Memcpy DtoD");
  EXPECT_EQ(record.trace->copies[1].kind, record::CopyKind::memset);
  EXPECT_EQ(record.trace->copies[0].bytes, 4096);
}

// Every figure is worked out from tests/data/counters/step.jsonl by hand.
TEST(ProfileReader, CountedSetsBecomeOneStep) {
  const record::Record record = read_profile(step_file);
  EXPECT_EQ(record.status, record::Status::ok);
  EXPECT_EQ(record.identity.model, "train.py");
  EXPECT_EQ(record.identity.device, "cuda:0");
  EXPECT_EQ(record.identity.command, "python3 train.py --name 'a run'");
  EXPECT_EQ(record.environment.command, record.identity.command);
  EXPECT_FALSE(record.trace);

  ASSERT_TRUE(record.kernels);
  const record::KernelTable& kernels = *record.kernels;
  ASSERT_EQ(kernels.size(), 4U);
  EXPECT_EQ(kernels.name(0), "gemm(float*, float*, int)");
  EXPECT_EQ(kernels.name(1), "relu(float*, int)");
  EXPECT_EQ(kernels.name(2), "gemm(float*, float*, int)");
  EXPECT_EQ(kernels.name(3), "adam");
  EXPECT_EQ(kernels.launch(3).stream, 13);
  EXPECT_EQ(kernels.launch(2).launch, 2);
  EXPECT_EQ(kernels.launch(3).start_ns, std::nullopt);
  EXPECT_DOUBLE_EQ(kernels.at(time_s, 0).value(), 1.2e-3);  // of 1, 1.2 and 5 ms
  EXPECT_DOUBLE_EQ(kernels.at(time_s, 1).value(), 11e-6);
  EXPECT_DOUBLE_EQ(kernels.at(time_s, 2).value(), 1.3e-3);
  EXPECT_DOUBLE_EQ(kernels.at(time_s, 3).value(), 52e-6);
  EXPECT_EQ(kernels.at(registers_per_thread, 0), 168.0);
  EXPECT_EQ(kernels.at(shared_memory_bytes, 2), 49152.0);
  EXPECT_DOUBLE_EQ(kernels.at(blocks_per_sm, 0).value(), 2.0);
  EXPECT_DOUBLE_EQ(kernels.at(warps_per_sm, 0).value(), 8.0);
  EXPECT_EQ(kernels.at(dram_read_bytes, 0), 100e6);
  EXPECT_EQ(kernels.at(dram_write_bytes, 3), 60e6);
  // Counted on a step with a kernel more, before the relu.
  EXPECT_EQ(kernels.at(ffma, 0), 2e9);
  EXPECT_EQ(kernels.at(ffma, 1), 0.0);
  EXPECT_EQ(kernels.at(ffma, 2), 2.2e9);
  EXPECT_EQ(kernels.at(ffma, 3), 7e6);
  EXPECT_DOUBLE_EQ(kernels.at(occupancy, 1).value(), 0.8);
  EXPECT_EQ(kernels.at(occupancy, 3), std::nullopt);

  ASSERT_TRUE(record.counting);
  const record::Counting& counting = *record.counting;
  EXPECT_EQ(counting.chip, "GH100");
  EXPECT_EQ(counting.launches_per_step, 4);
  ASSERT_EQ(counting.steps_s.size(), 3U);  // 10 in 40 ms, 5 in 20, 2 in 12
  EXPECT_DOUBLE_EQ(counting.steps_s[0], 4e-3);
  EXPECT_DOUBLE_EQ(counting.steps_s[1], 4e-3);
  EXPECT_DOUBLE_EQ(counting.steps_s[2], 6e-3);
  EXPECT_DOUBLE_EQ(counting.arming_s, 0.18);
  EXPECT_DOUBLE_EQ(counting.wall_s, 0.52);
  ASSERT_EQ(counting.sets.size(), 3U);
  EXPECT_FALSE(counting.sets[0].per_kernel);
  EXPECT_TRUE(counting.sets[1].per_kernel);
  EXPECT_EQ(counting.sets[0].passes, 4);
  EXPECT_EQ(counting.sets[2].passes, 1);
  EXPECT_DOUBLE_EQ(counting.sets[1].arming_s, 0.16);
  EXPECT_DOUBLE_EQ(counting.sets[1].wall_s, 0.03);
  EXPECT_EQ(counting.sets[2].launches, 5);
  EXPECT_EQ(counting.sets[2].dropped, 0);
  ASSERT_TRUE(counting.step);
  ASSERT_EQ(counting.step->size(), 1U);
  EXPECT_EQ(counting.step->name(0), "(step)");
  EXPECT_EQ(counting.step->at(dram_read_bytes, 0), 3e8);
  EXPECT_EQ(counting.step->at(sm_clock_hz, 0), 1.98e9);
  const std::map<std::string, double> peaks = {
      {"dram__bytes.sum", 2432.0}, {"sm__ops_path_tensor_src_tf32_dst_fp32.sum", 270336.0}};
  EXPECT_EQ(counting.peaks, peaks);
  EXPECT_EQ(
      record.warnings,
      (std::vector<Note>{{says.profiler_warned, {"the clock was held down", "cool the room"}}}));
  EXPECT_EQ(whats(record), std::vector<std::string>{"3 x activity records that CUPTI dropped, "});
}

TEST(ProfileReader, AFileThatEndsEarlyGivesWhatItHolds) {
  const std::string whole = read_file(step_file);
  // In the middle of the third launch of the last set.
  const std::string cut = whole.substr(0, whole.find("[\"v\",2,2,1") + 8);
  const record::Record record = read_profile_text(cut, "a.jsonl");
  EXPECT_EQ(record.status, record::Status::interrupted);
  EXPECT_NE(record.message.find("ended unexpectedly"), std::string::npos);
  ASSERT_EQ(record.lost.size(), 1U);
  EXPECT_EQ(record.lost[0].what, "the last line, which ends early");
  ASSERT_EQ(record.kernels->size(), 4U);
  EXPECT_EQ(record.kernels->at(ffma, 0), 2e9);
  EXPECT_EQ(record.kernels->at(ffma, 2), std::nullopt);
  EXPECT_EQ(record.counting->sets.at(2).dropped, 3);
  EXPECT_EQ(record.counting->sets.at(1).dropped, 0);
  // 20 ms, then the second set's 160 and 30 ms; the third did not get done.
  EXPECT_DOUBLE_EQ(record.counting->arming_s, 0.18);
  EXPECT_DOUBLE_EQ(record.counting->wall_s, 0.21);
}

TEST(ProfileReader, EveryBeginningOfAFileIsRead) {
  const std::string whole = read_file(step_file);
  for (std::size_t size = 22; size < whole.size(); size += 7) {
    EXPECT_NO_THROW((void)read_profile_text(whole.substr(0, size), "a.jsonl")) << size;
  }
}

TEST(ProfileReader, WhatCannotBeReadIsCountedWithItsLine) {
  const record::Record record = read_trace(
      "[\"k\",0,1,9,20000,11500,3]\n"
      "[\"k\",0,1,9]\n"                    // 4: short
      "[\"k\",0,1,9,20000,11500,3,4,5]\n"  // 5: long
      "[\"k\",5,1,9,20000,11500,3]\n"      // 6
      "[\"k\",0,1,9,20000,-5,3]\n"         // 7
      "[\"m\",0,1,1,7,6000,2000,4096]\n"   // 8
      "[\"x\",1]\n"                        // 9
      "nonsense\n"                         // 10
      "{\"future\":1}\n"                   // 11
      "[\"v\",0,0,0,1]\n"                  // 12
      "{\"sequence\":[0,\"a\"]}\n"         // 13
      "{\"kernel\":1}\n"                   // 14
      "\n"
      "{\"warning\":\"\x80\"}\n"  // 16
      "{\"end\":\"window\",\"kernels\":2}\n");
  EXPECT_EQ(record.status, record::Status::ok);
  ASSERT_EQ(record.kernels->size(), 2U);
  EXPECT_EQ(record.kernels->at(time_s, 1), std::nullopt);
  EXPECT_EQ(whats(record),
            (std::vector<std::string>{
                "5 x lines with something missing or of the wrong type, line 4",
                "1 x kernels without a signature, line 6",
                "1 x times of kernels that end before they begin, line 7",
                "2 x lines of an unknown kind, line 9", "2 x lines that are not JSON, line 10",
                "1 x values of an unknown set, line 12"}));
}

TEST(ProfileReader, ASecondProcessInAFileIsLeftOut) {
  const record::Record record = read_trace(
      "[\"k\",0,1,9,20000,11500,3]\n" + std::string(trace_head) + "[\"k\",0,1,9,20000,11500,3]\n");
  EXPECT_EQ(record.kernels->size(), 1U);
  EXPECT_EQ(whats(record),
            std::vector<std::string>{"1 x another process in the same file, line 4"});
}

TEST(ProfileReader, WhatIsNoProfileIsAnError) {
  EXPECT_TRUE(is_profile(trace_head));
  EXPECT_FALSE(is_profile("{\"rooflab_profile\":12,"));
  EXPECT_FALSE(is_profile(""));
  EXPECT_NE(error_of([] { (void)read_profile_text("", "a.jsonl"); }).find("a.jsonl: this is no"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              (void)read_profile_text("{\"rooflab_profile\":2}\n", "a.jsonl");
            }).find("does not know"),
            std::string::npos);
  EXPECT_NE(error_of([] { (void)read_profile("/rooflab/none.jsonl"); }).find("No such file"),
            std::string::npos);
  EXPECT_NE(error_of([] { (void)read_profile(fs::temp_directory_path()); }).find("a directory"),
            std::string::npos);
}

// A launch of a graph is one in the sequence and many kernels on the device.
TEST(ProfileReader, KernelsOfGraphsAreThoseBetweenTheSteps) {
  std::string text = R"({"rooflab_profile":1,"pid":1,"mode":"totals"})"
                     "\n"
                     R"({"kernel":0,"name":"","grid":[0,0,0],"block":[0,0,0]})"
                     "\n"
                     R"({"kernel":1,"name":"a","grid":[1,1,1],"block":[1,1,1]})"
                     "\n"
                     R"({"kernel":2,"name":"b","grid":[1,1,1],"block":[1,1,1]})"
                     "\n";
  for (int step = 0; step < 4; ++step) {
    text += format("{{\"step_begin\":{},\"ns\":{}}}\n", 10 * step + 5, 1000 * step);
    for (const int kernel : {1, 2, 2}) {
      text += format("[\"k\",{},0,7,{},{},{}]\n", kernel, 1000 * step, 10 * kernel, 10 * step + 6);
    }
  }
  text += "{\"sequence\":[0]}\n{\"end\":\"exit\",\"kernels\":12}\n";
  const record::Record record = read_profile_text(text, "a.jsonl");
  ASSERT_EQ(record.kernels->size(), 3U);
  EXPECT_EQ(record.kernels->name(1), "b");
  EXPECT_DOUBLE_EQ(record.kernels->at(time_s, 0).value(), 10e-9);
  EXPECT_DOUBLE_EQ(record.kernels->at(time_s, 2).value(), 20e-9);
  EXPECT_EQ(record.counting->launches_per_step, 3);
}

/// A step of relu, gemm, relu; `lines` come behind it.
record::Record read_step(std::string_view lines) {
  return read_profile_text(
      R"({"rooflab_profile":1,"pid":42,"mode":"kernels","counters":false})"
      "\n" +
          std::string(relu) +
          R"({"kernel":1,"name":"gemm","grid":[4,1,1],"block":[64,1,1],"registers":8,"shared":0})"
          "\n{\"sequence\":[0,1,0]}\n" +
          std::string(lines),
      "a.jsonl");
}

TEST(ProfileReader, OpsAreThoseOfAWholeStep) {
  const record::Record record = read_step(
      "{\"ops_in\":\"a.rec.jsonl.gz\"}\n"
      // The end of a step, a whole one, and the beginning of the next.
      "[\"o\",0,2]\n[\"o\",0,3]\n[\"o\",1,7]\n[\"o\",0,-1]\n[\"o\",0,9]\n");
  ASSERT_TRUE(record.told_ops);
  EXPECT_THAT(record.told_ops->recordings, testing::ElementsAre("a.rec.jsonl.gz"));
  EXPECT_THAT(record.told_ops->launches,
              testing::ElementsAre(record::ToldLaunch{0, 3}, record::ToldLaunch{0, 7},
                                   record::ToldLaunch{0, -1}));
  EXPECT_TRUE(record.lost.empty());
  EXPECT_THAT(record.warnings, testing::Contains(HasCode(says.counters_not_wanted)));
}

TEST(ProfileReader, OpsOfALikeStepAreThoseOfItsPlaces) {
  const record::Record record = read_step(
      "{\"ops_in\":\"a.rec.jsonl.gz\"}\n"
      R"({"kernel":2,"name":"_Z4reluPfi","grid":[9,1,1],"block":[1,1,1]})"
      "\n[\"o\",2,3,11]\n[\"o\",1,7,12]\n[\"o\",2,8,13]\n");
  ASSERT_TRUE(record.told_ops);
  EXPECT_THAT(record.told_ops->launches,
              testing::ElementsAre(record::ToldLaunch{0, 3}, record::ToldLaunch{0, 7},
                                   record::ToldLaunch{0, 8}));
}

/// Two steps of three nodes of a graph, between the beginnings of three.
constexpr const char* graph_steps =
    R"-({"rooflab_profile":1,"pid":42,"mode":"kernels","counters":false}
{"kernel":0,"name":"relu","grid":[1,1,1],"block":[1,1,1]}
{"kernel":1,"name":"(CUDA graph)","grid":[0,0,0],"block":[0,0,0]}
{"ops_in":"g.rec.jsonl.gz"}
{"range":"decode > layer 0"}
["n",70,0,5,-1]
["n",71,-1,-1,0]
{"step_begin":1,"ns":90}
["k",0,0,7,100,10,1,70]
["k",0,0,7,120,10,1,71]
["k",0,0,7,140,10,1,72]
{"step_begin":2,"ns":190}
["k",0,0,7,200,10,2,70]
["k",0,0,7,220,10,2,71]
["k",0,0,7,240,10,2,72]
{"step_begin":3,"ns":290}
{"sequence":[1]}
{"end":"exit","kernels":6}
)-";

TEST(ProfileReader, NodesOfGraphsHaveTheOpsAndRangesOfTheirCapture) {
  const record::Record record = read_profile_text(graph_steps, "a.jsonl");
  ASSERT_EQ(record.kernels->size(), 3U);
  ASSERT_TRUE(record.told_ops);
  EXPECT_THAT(record.told_ops->recordings, testing::ElementsAre("g.rec.jsonl.gz"));
  EXPECT_THAT(record.told_ops->ranges, testing::ElementsAre("decode > layer 0"));
  EXPECT_THAT(record.told_ops->launches,
              testing::ElementsAre(record::ToldLaunch{0, 5, -1, 2},
                                   record::ToldLaunch{-1, -1, 0, 2}, record::ToldLaunch{}));
  EXPECT_FALSE(record.told_ops->part_of_run);
}

TEST(ProfileReader, NodesThatNameWhatIsNotThereAreLost) {
  EXPECT_EQ(whats(read_step("[\"n\",70,0,5,-1]\n[\"n\",71,-1,-1,2]\n[\"n\",72,0]\n")),
            (std::vector<std::string>{"2 x ops and ranges that no line before names, line 5",
                                      "1 x lines with something missing or of the wrong type, "
                                      "line 7"}));
}

TEST(ProfileReader, WithoutStepsOpsAreThoseOfThePartThatToldThem) {
  const record::Record record = read_profile_text(
      R"({"rooflab_profile":1,"pid":42,"mode":"kernels","counters":false})"
      "\n" +
          std::string(relu) +
          "{\"ops_in\":\"a.rec.jsonl.gz\"}\n"
          "[\"o\",0,3,11]\n[\"o\",0,-1,13]\n"
          "[\"k\",0,0,7,100,10,10]\n[\"k\",0,0,7,120,10,11]\n[\"k\",0,0,7,140,10,12]\n"
          "[\"k\",0,0,7,160,10,13]\n[\"k\",0,0,7,180,10,14]\n",
      "a.jsonl");
  ASSERT_TRUE(record.told_ops);
  EXPECT_TRUE(record.told_ops->part_of_run);
  EXPECT_THAT(record.told_ops->launches,
              testing::ElementsAre(record::ToldLaunch{}, record::ToldLaunch{0, 3},
                                   record::ToldLaunch{0, -1}, record::ToldLaunch{0, -1},
                                   record::ToldLaunch{}));
}

TEST(ProfileReader, MessagesAreThoseOfTheirKernels) {
  const record::Record record = read_step(
      R"({"kernel":2,"name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","grid":[4,1,1],"block":[1,1,1]})"
      "\n{\"sequence\":[0,2,2]}\n"
      "[\"k\",0,0,7,100,10,1]\n[\"k\",2,0,7,120,2000,2]\n[\"k\",2,0,7,2140,3000,3]\n"
      R"({"message":"all_reduce","launch":2,"elements":1000,"type":"Float","ranks":4})"
      "\n"
      R"({"message":"all_reduce","launch":2,"elements":24,"type":"Float","ranks":4})"
      "\n");
  ASSERT_EQ(record.messages.size(), 2U);
  EXPECT_EQ(record.messages[0].collective, "all_reduce");
  EXPECT_EQ(record.messages[0].elements_in, 1024);
  EXPECT_EQ(record.messages[0].group_size, 4);
  EXPECT_EQ(record.messages[0].duration_ns, 2000);
  // Nobody told what the other sends: its name does in part.
  EXPECT_EQ(record.messages[1].collective, "allreduce");
  EXPECT_EQ(record.messages[1].elements_in, -1);
  EXPECT_EQ(record.messages[1].duration_ns, 3000);
}

TEST(ProfileReader, MessagesThatAreNotAlikeHaveNoSum) {
  const record::Record record =
      read_step(R"({"kernel":2,"name":"ncclDevKernel_SendRecv","grid":[4,1,1],"block":[1,1,1]})"
                "\n{\"sequence\":[0,2]}\n[\"k\",0,0,7,100,10,1]\n[\"k\",2,0,7,120,2000,2]\n"
                R"({"message":"copy","launch":2,"elements":1000,"type":"Float","ranks":4})"
                "\n"
                R"({"message":"copy","launch":2,"elements":24,"type":"Half","ranks":4})"
                "\n");
  ASSERT_EQ(record.messages.size(), 1U);
  EXPECT_EQ(record.messages[0].collective, "sendrecv");
  EXPECT_EQ(record.messages[0].elements_in, -1);
}

TEST(ProfileReader, OpsOfOtherLaunchesAreNotKnown) {
  const record::Record record =
      read_step("{\"ops_in\":\"a.rec.jsonl.gz\"}\n[\"o\",1,3]\n[\"o\",1,7]\n[\"o\",1,8]\n");
  EXPECT_FALSE(record.told_ops);
  EXPECT_THAT(record.warnings, testing::Contains(HasCode(says.ops_of_other_steps)));
  EXPECT_FALSE(read_step("").told_ops);
  EXPECT_EQ(
      whats(read_step("[\"o\",9,3]\n[\"o\",0]\n")),
      (std::vector<std::string>{"1 x kernels without a signature, line 5",
                                "1 x lines with something missing or of the wrong type, line 6"}));
}

TEST(ProfileReader, KernelsOfTheSearchAreNotOfTheStep) {
  const std::string head = R"({"rooflab_profile":1,"pid":1,"mode":"totals"})"
                           "\n"
                           R"({"kernel":0,"name":"a","grid":[1,1,1],"block":[1,1,1]})"
                           "\n[\"k\",0,0,7,100,900,1]\n[\"k\",0,0,7,2000,700,2]\n"
                           "[\"m\",0,1,0,7,3000,10,64,3]\n";
  const std::string step =
      "{\"step_begin\":4,\"ns\":5000}\n[\"k\",0,0,7,5100,10,4]\n"
      "{\"step_begin\":5,\"ns\":6000}\n[\"k\",0,0,7,6100,10,5]\n";
  const record::Record found = read_profile_text(head + step + "{\"sequence\":[0]}\n", "a.jsonl");
  ASSERT_EQ(found.kernels->size(), 1U);
  EXPECT_DOUBLE_EQ(found.kernels->at(time_s, 0).value(), 10e-9);
  const record::Record unfound = read_profile_text(head, "a.jsonl");
  ASSERT_EQ(unfound.kernels->size(), 2U);
  EXPECT_DOUBLE_EQ(unfound.kernels->at(time_s, 0).value(), 900e-9);
  EXPECT_EQ(unfound.trace->copies.size(), 1U);
}

// Kernels that ran while the step was searched for count where no step was found, and only there.
TEST(ProfileReader, WithoutAStepEveryKernelIsToldAsInATrace) {
  const record::Record record = read_profile_text(
      R"({"rooflab_profile":1,"pid":1,"mode":"kernels"})"
      "\n"
      R"({"kernel":0,"name":"a","grid":[1,1,1],"block":[1,1,1]})"
      "\n[\"k\",0,0,7,100,10,6]\n{\"warning\":\"no step was found\",\"hint\":\"\"}\n"
      "{\"end\":\"exit\",\"kernels\":1}\n",
      "a.jsonl");
  EXPECT_TRUE(record.trace);
  EXPECT_FALSE(record.counting);
  EXPECT_EQ(record.kernels->launch(0).start_ns, 100);
  EXPECT_EQ(record.warnings,
            (std::vector<Note>{{says.profiler_warned, {"no step was found", NoteValue()}}}));
}

TEST(ProfileReader, AProgramWithoutKernelsIsARecord) {
  const record::Record record = read_profile_text(
      "{\"rooflab_profile\":1,\"pid\":1,\"mode\":\"trace\"}\n"
      "{\"end\":\"signal\",\"kernels\":0}\n",
      "a.jsonl");
  EXPECT_EQ(record.identity.device, "cpu");
  EXPECT_EQ(record.identity.model, "a");
  EXPECT_EQ(record.warnings,
            (std::vector<Note>{{says.ended_by_signal}, {says.no_kernel_recorded}}));
}

TEST(ProfileReader, NamesThatTheDemanglerCannotReadStay) {
  std::string name = "_Z1fI";
  for (int i = 0; i < 2000; ++i) name += "N3foo3barE";
  name += "EvT_";
  const record::Record record = read_profile_text(
      "{\"rooflab_profile\":1,\"mode\":\"trace\"}\n{\"kernel\":0,\"name\":\"" + name +
          "\",\"grid\":[1,1,1],\"block\":[1,1,1]}\n[\"k\",0,0,7,100,10,6]\n",
      "a.jsonl");
  EXPECT_EQ(record.kernels->name(0), name);
}

TEST(ProfileReader, ReadsTheFilesOfARunByRankAndThenByProcess) {
  const fs::path folder = fs::temp_directory_path() / format("rooflab-profiles-{}", ::getpid());
  fs::create_directories(folder);
  const auto write = [&](const char* name, int pid, std::optional<int> rank) {
    profile::ProfileWriter writer((folder / name).string());
    profile::ProfileHead head;
    head.pid = pid;
    head.rank = rank;
    head.mode = "trace";
    head.executable = name;
    writer.head(head);
    writer.end("exit", 0);
  };
  write("a", 9, std::nullopt);
  write("b", 5, 10);
  write("c", 8, 2);
  write("d", 3, std::nullopt);
  write_file_atomically(folder / "other.txt", "no profile");
  write_file_atomically(folder / "empty", "");
  std::vector<std::string> models;
  for (const record::Record& record : read_profiles(folder)) {
    models.push_back(record.identity.model);
  }
  fs::remove_all(folder);
  EXPECT_EQ(models, (std::vector<std::string>{"c", "b", "d", "a"}));
  EXPECT_NE(error_of([&] { (void)read_profiles(folder); }).find("No such file"), std::string::npos);
}

// What the writer writes is what the reader reads.
TEST(ProfileReader, ReadsWhatTheWriterWrote) {
  const fs::path path = fs::temp_directory_path() / format("rooflab-profile-{}", ::getpid());
  fs::remove(path);
  {
    profile::ProfileWriter writer(path.string());
    profile::ProfileHead head;
    head.mode = "kernels";
    head.command = {"a\"b\\c\n", "\xFF"};
    writer.head(head);
    writer.signature(0, {"k", {1, 1, 1}, {64, 1, 1}, 0, 10, 20});
    writer.step_begin(1, 1000);
    writer.kernel(0, 0, 7, 1000, 500, 1, 0);
    writer.sequence(std::vector<std::uint32_t>{0});
    writer.set(0, profile::CountedUnit::kernel, std::vector<std::string>{"dram__bytes_read.sum"});
    writer.values(0, 0, 0, std::vector<double>{0.1});
    writer.set_done(0, 3, 2'000'000, 1'000'000, 1, 0);
    writer.counting_wall(4'000'000, 3'000'000);
    writer.end("exit", 1);
  }
  const record::Record record = read_profile(path);
  fs::remove(path);
  EXPECT_EQ(record.status, record::Status::ok);
  EXPECT_TRUE(record.lost.empty());
  EXPECT_EQ(record.identity.command, "'a\"b\\c\n' '\xEF\xBF\xBD'");
  EXPECT_EQ(record.kernels->at(dram_read_bytes, 0), 0.1);
  EXPECT_EQ(record.kernels->at(time_s, 0), 500e-9);
  EXPECT_EQ(record.counting->sets.at(0).passes, 3);
  EXPECT_EQ(record.counting->sets.at(0).arming_s, 2e-3);
  EXPECT_EQ(record.counting->sets.at(0).wall_s, 1e-3);
  EXPECT_EQ(record.counting->wall_s, 4e-3);
  EXPECT_EQ(record.counting->arming_s, 3e-3);
}

}  // namespace
}  // namespace rooflab::counters
