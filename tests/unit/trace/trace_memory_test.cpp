#include <gtest/gtest.h>

#include "rooflab/trace/trace_analysis.hpp"
#include "rooflab/trace/trace_breakdown.hpp"
#include "trace_record.hpp"

namespace rooflab::trace {
namespace {

TEST(TraceMemory, CurvesAndPeaksOfEachDevice) {
  TraceRecord trace;
  trace.trace().allocations = {
      {.time_ns = 20, .device = 0, .bytes = -512, .total_allocated = 1024, .total_reserved = 4096},
      {.time_ns = 10, .device = 0, .bytes = 512, .total_allocated = 1536, .total_reserved = 2048},
      {.time_ns = 15, .device = -1, .bytes = 64},
      {.time_ns = 16, .device = -1, .bytes = -100}};
  const std::vector<MemoryCurve> curves = analyze_trace(trace.record()).memory;
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0].device, -1);
  EXPECT_TRUE(curves[0].relative);
  EXPECT_EQ(curves[0].points.at(1).allocated_bytes, -36);
  EXPECT_FALSE(curves[0].points[1].reserved_bytes.has_value());
  EXPECT_FALSE(curves[0].peak_allocated_bytes.has_value());
  EXPECT_FALSE(curves[1].relative);
  ASSERT_EQ(curves[1].points.size(), 2U);
  EXPECT_EQ(curves[1].points[0].time_ns, 10);
  EXPECT_EQ(curves[1].points[0].allocated_bytes, 1536);
  EXPECT_EQ(curves[1].peak_allocated_bytes, 1536);
  EXPECT_EQ(curves[1].peak_reserved_bytes, 4096);
}

TEST(TraceMemory, NothingRecordedIsNoCurve) {
  EXPECT_TRUE(analyze_trace(TraceRecord().record()).memory.empty());
}

}  // namespace
}  // namespace rooflab::trace
