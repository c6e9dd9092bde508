// Traces that are not what they should be: counted losses or a located error, and every event that
// is whole is kept.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "../../base/note_matchers.hpp"
#include "../../base/thrown_error.hpp"
#include "../../record/equal_fields.hpp"
#include "import/import_notes.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/readers.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::import {
namespace {

using record::KernelFigure;
using record::Record;
using testing::Contains;
using testing::HasSubstr;

const std::string head = "{\"traceEvents\": [";

Record read_events(const std::string& events) {
  return read_kineto_text(head + events + "]}", "t.json");
}

std::string op(const std::string& name, const std::string& more = {}) {
  return R"({"ph": "X", "cat": "cpu_op", "name": ")" + name +
         R"(", "pid": 1, "tid": 1, "ts": 1, "dur": 1)" + more + "}";
}

std::string kernel(const std::string& more) {
  return R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7)" + more + "}";
}

/// Count and place of the only loss; {0, ""} where there is another number of them.
std::pair<std::int64_t, std::string> only_loss(const Record& record, const std::string& what) {
  if (record.lost.size() != 1 || record.lost[0].what.find(what) == std::string::npos) {
    for (const record::Loss& loss : record.lost) ADD_FAILURE() << loss.what << loss.first;
    return {};
  }
  return {record.lost[0].count, record.lost[0].first};
}
using Only = std::pair<std::int64_t, std::string>;

std::string byte(std::size_t offset) { return "byte " + std::to_string(offset); }

std::vector<std::string> names(const Record& record) {
  std::vector<std::string> names;
  for (const auto id : record.trace->ranges.name) names.push_back(record.trace->ranges.names[id]);
  return names;
}
using Names = std::vector<std::string>;

Error trace_error(const std::string& text) {
  return thrown_error([&] { return read_kineto_text(text, "t.json"); });
}

TEST(KinetoDamage, WhatIsNoTraceIsAnErrorWithAHint) {
  for (const char* text : {"", "  \n", "hello",
                           "\x7f"
                           "ELF\x02\x01",
                           "{\"a\": 1}", "{}", "[1, 2]", "[[]]", "\"text\"", "{\"traceEvents\": 5}",
                           "{\"traceEvents\": {}}", "{\"a\" 1}", "{1: 2}", "{\"a\": }", "{", "{\"a",
                           "{\"a\": [1, 2", "\x1f\x8b", "\x1f\x8b\x08oops"}) {
    const Error error = trace_error(text);
    EXPECT_EQ(error.kind(), ErrorKind::input) << text;
    EXPECT_FALSE(error.hint().empty()) << text;
    EXPECT_EQ(error.location().file, "t.json") << text;
  }
  EXPECT_THAT(trace_error("{\"a\": 1}").what(), HasSubstr("traceEvents"));
  EXPECT_THAT(trace_error("{\"a\" 1}").location().byte_offset, 5);
  EXPECT_THROW((void)read_kineto_trace("/nowhere/at/all.json"), Error);
  EXPECT_THROW((void)read_kineto_trace(testing::TempDir()), Error);
}

TEST(KinetoDamage, FilesThatCannotHoldATraceAreErrorsWithAReason) {
  const TemporaryFolder folder("trace");
  const auto empty = folder.file("empty.json");
  const auto pipe = folder.file("pipe.json");
  const std::ofstream created(empty);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto error_of = [](const std::filesystem::path& path) {
    const Error error = thrown_error([&] { return read_kineto_trace(path); });
    EXPECT_EQ(error.location().file, path.string());
    return std::string(error.what()) + "; " + error.hint();
  };
  EXPECT_EQ(error_of(folder.file("none.json")),
            "cannot read the trace: No such file or directory; ");
  EXPECT_EQ(error_of(folder.path()),
            "cannot read the trace: it is a directory; name the trace inside it");
  EXPECT_EQ(error_of(pipe),
            "cannot read the trace: it is not a regular file; write the output of a pipe to a file "
            "first");
  EXPECT_EQ(error_of(empty), "cannot read the trace: it is empty; record it again");
}

TEST(KinetoDamage, EmptyListsAreTraces) {
  EXPECT_TRUE(read_events("").lost.empty());
  EXPECT_TRUE(read_kineto_text("[]", "t").lost.empty());
}

TEST(KinetoDamage, CutAtEveryByteItKeepsWhatIsWhole) {
  std::string text = R"({"schemaVersion": 1, "deviceProperties": [{"id": 0}], )" + head.substr(1);
  std::vector<std::size_t> ends;  // of the events
  for (int i = 0; i < 4; ++i) {
    text += (i > 0 ? ",\n  " : "\n  ") +
            op("aten::a\\\"{" + std::to_string(i), R"(, "args": {"a": [{}]})");
    ends.push_back(text.size());
  }
  const std::size_t list = text.find("traceEvents\": [") + 15;
  text += "\n  ],\n  \"traceName\": \"x}\"\n}";
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    if (size < list) {
      EXPECT_THROW((void)read_kineto_text(cut, "t"), Error) << size;
      continue;
    }
    const Record record = read_kineto_text(cut, "t");
    const auto whole = std::ranges::count_if(ends, [&](std::size_t end) { return end <= size; });
    ASSERT_EQ(names(record).size(), static_cast<std::size_t>(whole)) << size;
    ASSERT_THAT(record.warnings, Contains(HasValue(says.trace_cut, size))) << size;
  }
  EXPECT_TRUE(read_kineto_text(text, "t").lost.empty());
}

TEST(KinetoDamage, NumbersOutOfRangeLoseThemselvesOnly) {
  const std::string huge = R"(, "args": {"External id": 340282366920938463463374607431768211456,
      "Sequence number": 12})";
  const Record record = read_events(op("a", huge) + "," + op("b"));
  EXPECT_EQ(names(record), (Names{"a", "b"}));
  EXPECT_EQ(record.trace->ranges.external_id[0], 0);
  EXPECT_EQ(record.trace->ranges.sequence[0], 12);
  EXPECT_EQ(only_loss(record, "fit in 64 bits"), (Only{1, byte(head.size())}));
}

TEST(KinetoDamage, InfinityAndNanAreFiguresThatAreNotThere) {
  const Record record = read_events(
      kernel(R"(, "ts": 1, "dur": 1, "args": {"blocks per SM": Infinity, "warps per SM": nan,
                 "est. achieved occupancy %": -100, "registers per thread": 32})") +
      "," + kernel(R"(, "ts": 1, "dur": 1, "args": {"blocks per SM": -inf, "warps per SM": 2})"));
  ASSERT_EQ(record.kernels->size(), 2U);
  EXPECT_FALSE(record.kernels->has(KernelFigure::blocks_per_sm));
  EXPECT_FALSE(record.kernels->has(KernelFigure::occupancy));
  EXPECT_EQ(record.kernels->at(KernelFigure::warps_per_sm, 0), std::nullopt);
  EXPECT_EQ(record.kernels->at(KernelFigure::warps_per_sm, 1), 2.0);
  EXPECT_EQ(record.kernels->at(KernelFigure::registers_per_thread, 0), 32.0);
  EXPECT_EQ(record.lost.at(0).count, 4);
}

TEST(KinetoDamage, TimesThatAreMissingOrWrong) {
  const std::string no_times = R"({"ph": "X", "cat": "cpu_op", "name": "a")";
  const Record record =
      read_events(no_times + R"(, "dur": 1},)" + no_times + R"(, "ts": 1},)" + no_times +
                  R"(, "ts": 1, "dur": -5},)" + no_times + R"(, "ts": 1e300, "dur": 1},)" +
                  no_times + R"(, "ts": NaN, "dur": 1},)" + op("good"));
  EXPECT_EQ(names(record), (Names{"good"}));
  ASSERT_EQ(record.lost.size(), 4U);
  EXPECT_EQ(record.lost[0], (record::Loss{"events without a time", 1, byte(head.size())}));
  EXPECT_EQ(record.lost[1].what, "times that are not numbers or beyond 127 years");
  EXPECT_EQ(record.lost[1].count, 2);
  EXPECT_EQ(record.lost[2].what, "events without a duration");
  EXPECT_EQ(record.lost[3].what, "negative durations");

  const Record kernels = read_events(kernel(R"(, "ts": 1)") + "," + kernel(R"(, "dur": 1)"));
  ASSERT_EQ(kernels.kernels->size(), 2U);  // a launch is a fact without its time
  EXPECT_EQ(kernels.kernels->launch(0).start_ns, 1000);
  EXPECT_EQ(kernels.kernels->at(KernelFigure::time_s, 0), std::nullopt);
  EXPECT_EQ(kernels.kernels->launch(1).start_ns, std::nullopt);
  EXPECT_EQ(kernels.kernels->at(KernelFigure::time_s, 1), 1e-6);
}

TEST(KinetoDamage, BytesThatAreNoUtf8) {
  const Record record = read_events(op("a") + "," + op("caf\xe9") + "," + op("b"));
  EXPECT_EQ(names(record), (Names{"a", "caf\uFFFD", "b"}));
  EXPECT_EQ(only_loss(record, "not valid JSON"), (Only{1, byte(head.size() + op("a").size() + 1)}));
}

TEST(KinetoDamage, ControlCharactersAndLineFeedsInNames) {
  const Record record = read_events(op("a\x01z") + "," + op("two\nlines") + "," + op("b"));
  EXPECT_EQ(names(record), (Names{"a\x01z", "two\nlines", "b"}));
  EXPECT_EQ(only_loss(record, "not valid JSON").first, 2);
}

TEST(KinetoDamage, WrongPunctuationLosesAtMostItsEvent) {
  std::string no_colon = op("broken");
  no_colon.replace(no_colon.find("\"ts\":"), 5, "\"ts\"");
  const Record record = read_events(op("a") + "," + no_colon + "," + op("b") + "," + op("c"));
  EXPECT_EQ(names(record), (Names{"a", "b", "c"}));

  const Record stray = read_events(op("a") + "} oops " + op("b") + ", 17, [1], \"x{\", " + op("c"));
  EXPECT_EQ(names(stray), (Names{"a", "b", "c"}));
  EXPECT_EQ(stray.lost.size(), 2U);  // text between events, and a list that is not an event

  std::string no_comma = op("broken");
  no_comma.replace(no_comma.find(", \"ts\""), 1, " ");
  EXPECT_EQ(names(read_events(no_comma + "," + op("b"))), (Names{"broken", "b"}));
}

/// 50 events n0 to n49, three of them damaged.
std::string damaged_events(const std::string& separator) {
  std::string events;
  for (int i = 0; i < 50; ++i) {
    std::string event = op("n" + std::to_string(i));
    if (i == 10) event.erase(event.find("\", \"pid"), 1);  // the name has no end
    if (i == 20) event.pop_back();                         // nor has this event
    if (i == 30) event.replace(event.find("\"pid\": 1"), 8, "\"pid\": [1");
    events += (i > 0 ? "," : "") + separator + event;
  }
  return events;
}

TEST(KinetoDamage, AQuoteOrBracketThatIsMissingLosesItsEventOnly) {
  const Record record = read_events(damaged_events("\n  ") + "\n");
  const Names kept = names(record);
  EXPECT_EQ(kept.size(), 47U);
  EXPECT_EQ(std::ranges::count(kept, "n10") + std::ranges::count(kept, "n20") +
                std::ranges::count(kept, "n30"),
            0);
  EXPECT_EQ(only_loss(record, "events without an end").first, 3);
}

TEST(KinetoDamage, WithoutLinesToo) {
  // n21 follows no bracket: it might be an argument of n20.
  const Record record = read_events(damaged_events(" "));
  EXPECT_EQ(names(record).size(), 46U);
  EXPECT_EQ(record.lost.at(0).what, "events without an end");
  EXPECT_GE(record.lost.at(0).count, 3);
}

TEST(KinetoDamage, KeysWrittenTwice) {
  const Record record =
      read_events(R"({"ph": "X", "cat": "cpu_op", "name": "a", "name": "b", "pid": 1,
      "tid": 1, "ts": 1, "dur": 1, "dur": 2})");
  EXPECT_EQ(names(record), (Names{"b"}));
  EXPECT_EQ(record.trace->ranges.duration_ns[0], 2000);
  EXPECT_EQ(only_loss(record, "written twice").first, 1);
}

TEST(KinetoDamage, ValuesOfAnotherType) {
  const Record record = read_events(
      R"({"ph": "X", "cat": "cpu_op", "name": 17, "pid": {"a": 1}, "tid": [2], "ts": 1, "dur": 1,
          "args": [1, 2]},)" +
      kernel(R"(, "ts": 1, "dur": 1, "args": {"grid": [1, 2], "block": "x", "device": 1e3,
               "stream": 4294967296, "registers per thread": "many", "Input Dims": {}})"));
  EXPECT_EQ(names(record), (Names{"17"}));
  EXPECT_EQ(record.kernels->launch(0).grid, record::Extent{});
  EXPECT_EQ(only_loss(record, "not of their type").first, 5);
}

TEST(KinetoDamage, ShapesThatAreNone) {
  const auto with_dims = [](const std::string& dims) {
    return op("a", R"(, "args": {"Input Dims": )" + dims + "}");
  };
  const Record record = read_events(
      with_dims("[[1, nan]]") + "," + with_dims("[[[[[1]]]]]") + "," + with_dims("17") + "," +
      with_dims("[[" + std::string(70'000, '1') + "]]") + "," + with_dims("[[2, 3]]"));
  EXPECT_EQ(names(record).size(), 5U);
  EXPECT_EQ(record.trace->ranges.argument, (std::vector<record::NameTable::Id>{0, 0, 0, 0, 1}));
  EXPECT_EQ(only_loss(record, "shapes").first, 4);
}

TEST(KinetoDamage, DeepNesting) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const std::string objects = [] {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "{\"a\":";
    return text + "1" + std::string(100'000, '}');
  }();
  const Record record =
      read_events(op("a", R"(, "args": {"x": )" + deep + R"(, "Input Dims": )" + deep + "}") + "," +
                  op("b", ", \"y\": " + objects) + "," + deep + "," + op("c"));
  EXPECT_EQ(names(record), (Names{"a", "b", "c"}));
  EXPECT_EQ(names(read_kineto_text(
                "{\"deviceProperties\": " + deep + ", " + head.substr(1) + op("a") + "]}", "t")),
            (Names{"a"}));
  // Never closed: to the end of the file.
  const Record open = read_events(op("a") + "," + std::string(300'000, '{'));
  EXPECT_EQ(names(open), (Names{"a"}));
}

std::int64_t peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// A file of `parts`, the middle one written again and again until it is `size` long.
std::filesystem::path long_file(const std::string& name, const std::string& begin,
                                const std::string& middle, const std::string& end,
                                std::size_t size) {
  std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / (std::to_string(::getpid()) + "-" + name);
  std::ofstream file(path, std::ios::binary);
  std::string block;
  while (block.size() < 1'000'000) block += middle;
  file << begin;
  for (std::size_t written = 0; written < size; written += block.size()) file << block;
  file << end;
  return path;
}

TEST(KinetoDamage, LinesOfAHundredMegabytesAreSteppedOver) {
  constexpr std::size_t size = 100'000'000;
  struct Case {
    std::string begin;
    std::string middle;
    std::string end;
    std::size_t kept;
  };
  const std::string first = head + op("a") + ",";
  const std::string last = "," + op("b") + "]}";
  const std::vector<Case> cases = {
      {first + R"({"ph": "X", "name": ")", "x", "\"}" + last, 2},  // a long name
      {first + R"({"ph": "X", "name": ")", "x", "", 1},            // that never ends
      {first + R"({"ph": "X", "args": {"a": [)", "[1], ", "1]}}" + last, 2},
      {first, "17, ", "1" + last, 2},  // no events
      {first + op("x"), "\n\n", last, 3},
      {first + "{\"a\": \"", "\n{", "\"}" + last, 1},  // lines that look like events
      {"{\"stackFrames\": \"", "x\\\"", "\", " + first.substr(1) + "{}]}", 1},
      {"{\"stackFrames\": {\"a\": [", "1, ", "1]}, " + first.substr(1) + "{}]}", 1},
      {"{\"stackFrames\": ", "1", ", " + first.substr(1) + "{}]}", 1},
  };
  const std::int64_t before = peak_kib();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& each = cases[i];
    const auto path = long_file("long.json", each.begin, each.middle, each.end, size);
    const Record record = read_kineto_trace(path);
    EXPECT_GE(names(record).size(), each.kept) << i;
    EXPECT_EQ(names(record)[0], "a") << i;
    EXPECT_EQ(record.lost.empty(), i == 4) << i;
    std::filesystem::remove(path);
  }
  // 16 MiB of an event, half as much again, and the copy while it grows: never the line.
#ifndef ROOFLAB_SANITIZED  // a sanitizer keeps what is freed
  EXPECT_LT(peak_kib() - before, 80'000);
#else
  (void)before;
#endif
}

}  // namespace
}  // namespace rooflab::import
