#include "record/trace_event_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "base/format.hpp"
#include "trace_event_rules.hpp"

namespace rooflab::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A record with an empty trace on a clock whose zero is at `base_ns`.
Record traced(std::int64_t base_ns = 0) {
  Record record;
  record.trace.emplace().base_ns = base_ns;
  record.kernels.emplace();
  return record;
}

std::size_t add_kernel(Record& record, std::string_view name, std::int64_t start_ns, double time_ns,
                       std::int32_t stream = 7, std::int64_t external_id = 0) {
  KernelTable& kernels = *record.kernels;
  const std::size_t row = kernels.add({.name = kernels.names.intern(name),
                                       .stream = stream,
                                       .grid = {2, 3, 4},
                                       .block = {32, 1, 1},
                                       .start_ns = start_ns,
                                       .external_id = external_id});
  kernels.set(KernelFigure::time_s, row, time_ns * 1e-9);
  return row;
}

std::string written(const Record& record, std::int64_t zero_ns = 0) {
  std::ostringstream stream;
  TraceEventWriter writer(stream, "what it is", zero_ns);
  writer.add({.name = "a \"process\"", .record = record});
  writer.finish();
  return std::move(stream).str();
}

TEST(TraceEventWriter, NanosecondsAreDecimalsOfMicroseconds) {
  Record record = traced();
  add_kernel(record, "gemm<float>", 1234567, 89);
  const std::string text = written(record);
  EXPECT_THAT(text, HasSubstr(R"({"ph":"X","cat":"kernel","name":"gemm<float>","pid":1,"tid":1,)"
                              R"("ts":1234.567,"dur":0.089,"args":{"device":0,"stream":7,)"
                              R"("grid":[2,3,4],"block":[32,1,1]}})"));
  EXPECT_THAT(text, HasSubstr(R"("args":{"name":"a \"process\""}})"));
  EXPECT_THAT(text, HasSubstr(R"("about":"what it is")"));
  EXPECT_THAT(broken_rules(text), IsEmpty());
}

// A clock of Unix time has no room for nanoseconds in a double: the file's zero is the first event.
TEST(TraceEventWriter, TimesCountFromTheFirstEvent) {
  Record record = traced(1'767'225'600'000'000'000);
  add_kernel(record, "late", 2001, 10);
  record.trace->ranges.add({.name = "op", .thread = "1/1", .start_ns = -500, .duration_ns = 1});
  ASSERT_EQ(earliest_ns(record), 1'767'225'599'999'999'500);
  const std::string text = written(record, *earliest_ns(record));
  EXPECT_THAT(text, HasSubstr(R"("ts":2.501,)"));
  EXPECT_THAT(text, HasSubstr(R"("ts":0.000,)"));
  EXPECT_THAT(text, HasSubstr(R"("baseTimeNanoseconds":1767225599999999500)"));
}

// The second kernel begins before the first ends: side by side in one stream, as in a CUDA graph.
TEST(TraceEventWriter, WhatOverlapsInAStreamGetsARowOfItsOwn) {
  Record record = traced();
  add_kernel(record, "a", 0, 100);
  add_kernel(record, "b", 50, 100);
  add_kernel(record, "c", 120, 100);
  add_kernel(record, "d", 0, 10, 8);
  const std::string text = written(record);
  EXPECT_THAT(broken_rules(text), IsEmpty());
  EXPECT_THAT(row_names(text, 1),
              ElementsAre(std::pair(1, "cuda:0, stream 7"), std::pair(2, "cuda:0, stream 7 (2)"),
                          std::pair(3, "cuda:0, stream 8")));
  std::map<std::string, std::int64_t> rows;
  for (const WrittenEvent& event : written_events(text)) {
    if (event.phase == "X") rows[event.name] = event.tid;
  }
  EXPECT_THAT(rows, ElementsAre(std::pair("a", 1), std::pair("b", 2), std::pair("c", 1),
                                std::pair("d", 3)));
}

TEST(TraceEventWriter, RangesNestAndOverlapsDoNot) {
  Record record = traced();
  RangeTable& ranges = record.trace->ranges;
  ranges.add({.name = "outer", .thread = "main", .start_ns = 0, .duration_ns = 100});
  ranges.add({.name = "inner", .thread = "main", .start_ns = 10, .duration_ns = 90});
  ranges.add({.name = "across", .thread = "main", .start_ns = 90, .duration_ns = 20});
  const std::string text = written(record);
  EXPECT_THAT(broken_rules(text), IsEmpty());
  EXPECT_THAT(row_names(text, 1), ElementsAre(std::pair(1, "main"), std::pair(2, "main (2)")));
}

// The checker of these tests sees what it is for.
TEST(TraceEventWriter, BrokenFilesAreSeen) {
  const std::string event = R"({"ph":"X","name":"a","cat":"c","pid":1,"tid":1,"args":{},)";
  const auto file = [](const std::string& events) { return R"({"traceEvents":[)" + events + "]}"; };
  EXPECT_THAT(broken_rules(file(event + R"("ts":0,"dur":2},)" + event + R"("ts":1,"dur":2})")),
              ElementsAre(HasSubstr("overlaps")));
  EXPECT_THAT(broken_rules(file(event + R"("ts":0})")), ElementsAre(HasSubstr("no dur")));
  EXPECT_THAT(broken_rules(file(event + R"("ts":NaN,"dur":2})")),
              ElementsAre(HasSubstr("not JSON")));
}

TEST(TraceEventWriter, AnArrowLeadsFromAnOpToItsKernel) {
  Record record = traced();
  record.trace->ranges.add(
      {.name = "conv1", .thread = "host", .start_ns = 1000, .duration_ns = 500, .external_id = 5});
  add_kernel(record, "gemm", 2000, 100, 7, 5);
  add_kernel(record, "alone", 3000, 100);
  const std::string text = written(record);
  EXPECT_THAT(broken_rules(text), IsEmpty());
  std::vector<std::string> arrows;
  for (const WrittenEvent& event : written_events(text)) {
    if (event.category == "ac2g") {
      arrows.push_back(format("{} {} {}", event.phase, event.tid, event.ts));
    }
  }
  EXPECT_THAT(arrows, ElementsAre("s 1 1", "f 2 2"));
}

// A kernel without a place in time is not an event, and what is not a number was not collected.
TEST(TraceEventWriter, WhatIsNotKnownIsLeftOut) {
  Record record = traced();
  record.kernels->add({.name = record.kernels->names.intern("counted")});
  const std::size_t row = add_kernel(record, "timed", 0, 5);
  record.kernels->set(KernelFigure::occupancy, row, std::numeric_limits<double>::infinity());
  const std::string text = written(record);
  EXPECT_THAT(broken_rules(text), IsEmpty());
  EXPECT_THAT(text, Not(HasSubstr("\"counted\"")));
  EXPECT_THAT(text, Not(HasSubstr("occupancy")));
  EXPECT_THAT(text, HasSubstr("\"kernelsWithoutTime\":1"));
}

}  // namespace
}  // namespace rooflab::record
