#include <gtest/gtest.h>

#include "rooflab/trace/trace_analysis.hpp"
#include "rooflab/trace/trace_operators.hpp"
#include "trace_record.hpp"

namespace rooflab::trace {
namespace {

record::CommunicationEvent message(std::string collective, std::int64_t length, std::int64_t in,
                                   std::int64_t out) {
  record::CommunicationEvent event;
  event.collective = std::move(collective);
  event.duration_ns = length;
  event.elements_in = in;
  event.elements_out = out;
  event.dtype = "BFloat16";
  event.group_size = 4;
  event.on_device = true;
  return event;
}

TEST(TraceCollectives, BytesAndBandwidths) {
  TraceRecord trace;
  trace.trace().communications = {message("allreduce", 1000, 500, 500),
                                  message("allreduce", 3000, 1500, 1500),
                                  message("_allgather_base", 2000, 100, 400)};
  record::CommunicationEvent host = message("allreduce", 9, 500, 500);
  host.on_device = false;  // the op that started it: not counted again
  trace.trace().communications.push_back(host);
  const std::vector<CollectiveRow> rows = analyze_trace(trace.record()).collectives;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].collective, "allreduce");
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_EQ(rows[0].time_ns, 4000);
  EXPECT_DOUBLE_EQ(rows[0].bytes.value(), 4000.0);
  EXPECT_DOUBLE_EQ(rows[0].bytes_per_s().value(), 1e9);
  EXPECT_DOUBLE_EQ(rows[0].bus_bytes_per_s().value(), 1.5e9);  // 2 * 3 / 4
  EXPECT_DOUBLE_EQ(rows[1].bytes.value(), 800.0);              // what comes out
  EXPECT_DOUBLE_EQ(rows[1].bus_bytes.value(), 600.0);
}

TEST(TraceCollectives, WhatOneMessageDoesNotTellIsNotKnownOfAll) {
  TraceRecord trace;
  trace.trace().communications = {message("allreduce", 1000, 500, 500),
                                  message("allreduce", 1000, -1, -1)};
  const std::vector<CollectiveRow> rows = analyze_trace(trace.record()).collectives;
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_FALSE(rows[0].bytes.has_value());
  EXPECT_FALSE(rows[0].bytes_per_s().has_value());
  trace.trace().communications = {message("coalesced", 1000, 500, 500)};
  EXPECT_FALSE(analyze_trace(trace.record()).collectives[0].bus_bytes.has_value());
}

}  // namespace
}  // namespace rooflab::trace
