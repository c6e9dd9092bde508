// Prefill, decode and inference of language models and encoders that were recorded and measured on
// an H200, issued op by op and as a replayed CUDA graph.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "accuracy_page.hpp"
#include "base/format.hpp"
#include "default_prediction.hpp"
#include "measured_programs.hpp"
#include "published_rows.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/recording/recording.hpp"

namespace rooflab::accuracy {
namespace {

/// What the errors of a group of programs are.
struct PhaseErrors {
  explicit PhaseErrors(const std::string& figure) : time(figure) {}

  ProgramErrors time;
  std::size_t inside = 0;
};

std::string phase_of(const MeasuredProgram& program) {
  return program.issued_by == "graph" ? program.phase + " as a CUDA graph" : program.phase;
}

TEST(Accuracy, OfGeneration) {
  const device::Device& device = catalog().find("h200-sxm");
  std::map<std::string, PhaseErrors> phases;
  ProgramErrors allocated("allocated peak");
  std::string rows =
      "| program | measured, ms | predicted, ms | 90 % within | error | allocated, GB | error |\n"
      "| --- | --: | --: | --: | --: | --: | --: |\n";
  for (const MeasuredProgram& program : measured_programs("tests/data/recordings/generation/")) {
    SCOPED_TRACE(program.name);
    const recording::Recording recorded = recording::read_recording(program.recording);
    const analyze::CaseResult result = analyze::predict_case(
        recording::lower(recorded), device, {.issuer = {.name = program.issued_by}});
    EXPECT_DOUBLE_EQ(result.count.coverage(), 1.0);
    ASSERT_TRUE(result.prediction);
    const predict::StepTime& step = *result.prediction;
    PhaseErrors& phase = phases.try_emplace(phase_of(program), phase_of(program)).first->second;
    phase.time.add(step.time.value, program.time_s, program.name);
    if (step.low.value <= program.time_s && program.time_s <= step.high.value) ++phase.inside;
    // A graph has its own memory in addition to what the steps before its capture left.
    const bool is_graph = program.issued_by == "graph";
    const double memory = result.memory.allocated_peak.as_double();
    if (!is_graph) allocated.add(memory, program.allocated_bytes, program.name);
    rows += format(
        "| {} | {:.2f} | {:.2f} | {:.2f} to {:.2f} | {:+.0f} % | {:.2f} | {} |\n", program.name,
        1e3 * program.time_s, 1e3 * step.time.value, 1e3 * step.low.value, 1e3 * step.high.value,
        100.0 * (step.time.value / program.time_s - 1.0), 1e-9 * program.allocated_bytes,
        is_graph ? "-" : format("{:+.1f} %", 100.0 * (memory / program.allocated_bytes - 1.0)));
  }
  std::string summary = ProgramErrors::header();
  std::string inside;
  for (const auto& [name, phase] : phases) {
    summary += phase.time.line();
    inside += format("{}{} of {} ({})", inside.empty() ? "" : ", ", phase.inside,
                     phase.time.count(), name);
  }
  summary += allocated.line();
  summary += format("\nStep times inside their interval: {}.\n", inside);
  EXPECT_GE(allocated.count(), 90U);
  expect_in_page("generation, in all", summary);
  expect_in_page("generation", rows);
}

}  // namespace
}  // namespace rooflab::accuracy
