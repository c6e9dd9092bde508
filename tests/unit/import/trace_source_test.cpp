#include "record/trace_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "rooflab/import/readers.hpp"

namespace rooflab::import {
namespace {

using record::RangeKind;
using record::TraceSource;

const std::string import_data = ROOFLAB_SOURCE_DIR "/tests/data/import/";

bool has(const record::Trace& trace, RangeKind kind) {
  return std::ranges::find(trace.ranges.kind, kind) != trace.ranges.kind.end();
}

/// The trace has nothing that its tool cannot tell.
void expect_within_its_facts(const record::Record& record, TraceSource source) {
  const record::Trace& trace = *record.trace;
  const record::TraceSourceFacts& facts = record::facts_of(trace);
  EXPECT_EQ(facts.name, record::name_of(source));
  EXPECT_TRUE(facts.calls || !has(trace, RangeKind::runtime)) << facts.name;
  EXPECT_TRUE(facts.host_events || !has(trace, RangeKind::op)) << facts.name;
  EXPECT_TRUE(facts.host_events || facts.program_ranges || !has(trace, RangeKind::annotation))
      << facts.name;
  EXPECT_TRUE(facts.shapes || trace.ranges.arguments.size() <= 1) << facts.name;  // the empty one
  EXPECT_TRUE(facts.memory || trace.allocations.empty()) << facts.name;
}

TEST(TraceSource, NoReaderGivesMoreThanTheFactsSay) {
  const record::Record pytorch = read_kineto_trace(import_data + "kineto/shapes.pt.trace.json");
  expect_within_its_facts(pytorch, TraceSource::pytorch);
  EXPECT_GT(pytorch.trace->ranges.arguments.size(), 1U);
  EXPECT_TRUE(has(*pytorch.trace, RangeKind::op));
  expect_within_its_facts(read_nsys_csv(import_data + "nsys/gpu_trace.csv"),
                          TraceSource::nsight_systems);
  expect_within_its_facts(read_nvprof(import_data + "nvprof/gpu_trace.csv"), TraceSource::nvprof);
}

TEST(TraceSource, AnUnknownToolIsUnderstoodAsPyTorch) {
  record::Trace trace;
  trace.profiler = "a profiler";
  EXPECT_EQ(record::facts_of(trace).name, "PyTorch profiler (kineto)");
  EXPECT_TRUE(record::facts_of(trace).plugin);
  trace.profiler = "Nsight Systems";
  EXPECT_TRUE(record::facts_of(trace).program_ranges);
  EXPECT_FALSE(record::facts_of(trace).plugin);
}

}  // namespace
}  // namespace rooflab::import
