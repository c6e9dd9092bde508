// Steps of one of two devices that were recorded and measured on H200: data parallel, fully sharded
// and tensor parallel, compared with the step of one device.

#include <gtest/gtest.h>

#include <string>

#include "accuracy_page.hpp"
#include "base/format.hpp"
#include "default_prediction.hpp"
#include "measured_programs.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/recording/recording.hpp"

namespace rooflab::accuracy {
namespace {

std::string milliseconds(const std::optional<Seconds>& time) {
  return time ? format("{:.1f}", 1e3 * time->value) : "-";
}

TEST(Accuracy, OfShardedSteps) {
  const device::Device& device = catalog().find("h200-sxm");
  ProgramErrors times("step time");
  ProgramErrors allocated("allocated peak");
  std::string rows =
      "| step | measured, ms | predicted, ms | 90 % within | error | messages, ms | hidden |"
      " allocated, GB | error |\n"
      "| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n";
  for (const MeasuredProgram& program : measured_programs("tests/data/recordings/sharded/")) {
    SCOPED_TRACE(program.name);
    const analyze::CaseResult result = analyze::predict_case(
        recording::lower(recording::read_recording(program.recording)), device);
    EXPECT_DOUBLE_EQ(result.count.coverage(), 1.0);
    ASSERT_TRUE(result.prediction);
    const predict::StepTime& step = *result.prediction;
    const predict::Communication messages = step.communication.value_or(predict::Communication{});
    const double memory = result.memory.allocated_peak.as_double();
    times.add(step.time.value, program.time_s, program.name);
    allocated.add(memory, program.allocated_bytes, program.name);
    rows += format(
        "| {} | {:.1f} | {:.1f} | {:.1f} to {:.1f} | {:+.0f} % | {} | {} | {:.2f} | {:+.1f} % |\n",
        program.name, 1e3 * program.time_s, 1e3 * step.time.value, 1e3 * step.low.value,
        1e3 * step.high.value, 100.0 * (step.time.value / program.time_s - 1.0),
        milliseconds(messages.time),
        messages.time ? format("{:.0f} %", 100.0 * messages.hidden_share().value_or(0.0)) : "-",
        1e-9 * program.allocated_bytes, 100.0 * (memory / program.allocated_bytes - 1.0));
  }
  EXPECT_EQ(times.count(), 4U);
  expect_in_page("sharded steps, in all",
                 ProgramErrors::header() + times.line() + allocated.line());
  expect_in_page("sharded steps", rows);
}

}  // namespace
}  // namespace rooflab::accuracy
