// Training programs that were recorded and measured on an H200: what their recordings predict.

#include <gtest/gtest.h>

#include <string>

#include "accuracy_page.hpp"
#include "base/format.hpp"
#include "default_prediction.hpp"
#include "describe/fields.hpp"
#include "measured_programs.hpp"
#include "published_rows.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/recording/recording.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::accuracy {
namespace {

const std::string folder = "tests/data/recordings/gpu/";

constexpr double least_context = 0.73e9;  // bytes that a process was seen to hold at least

TEST(Accuracy, OfRecordedPrograms) {
  const device::Device& device = catalog().find("h200-sxm");
  ProgramErrors time("step time");
  ProgramErrors allocated("allocated peak");
  ProgramErrors reserved("reserved peak");
  std::size_t inside = 0;
  std::string rows =
      "| program | ops | measured, ms | predicted, ms | 90 % within | error | allocated, GB | "
      "error "
      "| reserved |\n| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n";
  for (const MeasuredProgram& program : measured_programs(folder)) {
    SCOPED_TRACE(program.name);
    const recording::Recording recorded = recording::read_recording(program.recording);
    const analyze::CaseResult result =
        analyze::predict_case(recording::lower(recorded), device, {.issuer = {.name = "pytorch"}});
    EXPECT_DOUBLE_EQ(result.count.coverage(), 1.0);
    ASSERT_TRUE(result.prediction);
    const predict::StepTime& step = *result.prediction;
    const predict::MemoryEstimate& memory = result.memory;
    time.add(step.time.value, program.time_s, program.name);
    allocated.add(memory.allocated_peak.as_double(), program.allocated_bytes, program.name);
    reserved.add(memory.reserved.as_double(), program.reserved_bytes, program.name);
    if (step.low.value <= program.time_s && program.time_s <= step.high.value) ++inside;
    const auto taken = static_cast<std::int64_t>(program.allocated_bytes + least_context);
    EXPECT_NE(predict::fit(memory, Bytes(taken - 1))->verdict, predict::Verdict::fits);
    EXPECT_NE(predict::fit(memory, Bytes(taken / 10 * 11))->verdict, predict::Verdict::oom);
    rows += format(
        "| {} | {} | {:.2f} | {:.2f} | {:.2f} to {:.2f} | {:+.0f} % | {:.2f} | {:+.1f} % "
        "| {:+.1f} % |\n",
        program.name, recorded.ops.size(), 1e3 * program.time_s, 1e3 * step.time.value,
        1e3 * step.low.value, 1e3 * step.high.value,
        100.0 * (step.time.value / program.time_s - 1.0), 1e-9 * program.allocated_bytes,
        100.0 * (memory.allocated_peak.as_double() / program.allocated_bytes - 1.0),
        100.0 * (memory.reserved.as_double() / program.reserved_bytes - 1.0));
  }
  EXPECT_GE(time.count(), 40U);
  EXPECT_LE(allocated.mean(), 0.02);
  std::string summary = ProgramErrors::header();
  for (const ProgramErrors* errors : {&time, &allocated, &reserved}) summary += errors->line();
  summary += format("\n{} of {} step times lie inside their interval.\n", inside, time.count());
  expect_in_page("recorded programs, in all", summary);
  expect_in_page("recorded programs", rows);
}

// Counters see what tensor cores did: products of tiles filled up with zeros, and of causal
// attention only the visible half. FP32 attention multiplies three times in TF32 for each product,
// on tiles that are filled up; the recording knows that as FP32 work, so such a program is not
// compared.
TEST(Accuracy, OfCountedPrograms) {
  constexpr std::string_view fp32_attention = "vit_b_16";
  constexpr double most_padding = 1.25;
  const std::string file = repository_path(folder + "counted.jsonl");
  std::string rows =
      "| program | recorded, GFLOP | visible, GFLOP | counted, GFLOP | counted / visible |\n"
      "| --- | --: | --: | --: | --: |\n";
  std::size_t compared = 0;
  for (const std::string& line : split(read_file(file), '\n')) {
    if (line.empty()) continue;
    const Json json = parse_json(line, file);
    const JsonFields row(json, file);
    const std::string name = row.text("name");
    SCOPED_TRACE(name);
    const recording::Recording recorded =
        recording::read_recording(repository_path(folder + name + ".rec.jsonl.gz"));
    const predict::NetworkLimit limit =
        predict::limit_of(recording::lower(recorded), catalog().find("h200-sxm"));
    double tensor = 0.0;
    for (const auto& [path, flops] : limit.flops_by_path) {
      if (is_matrix_unit(path)) tensor += flops.as_double();
    }
    // A training step does the products of attention 3.5 times: two forward, five backward.
    const double hidden = 3.5 * flops_of(limit.macs - limit.causal_macs).as_double();
    const double visible = tensor - hidden;
    const double counted = row.number("tensor_flop");
    const std::string ratio = visible > 0.0 ? format("{:.3f}", counted / visible) : "-";
    rows += format("| {} | {:.1f} | {:.1f} | {:.1f} | {} |\n", name, 1e-9 * tensor, 1e-9 * visible,
                   1e-9 * counted, ratio);
    ++compared;
    if (name == fp32_attention) continue;
    EXPECT_GE(counted, 0.999 * visible);
    EXPECT_LE(counted, most_padding * visible);
  }
  EXPECT_EQ(compared, 10U);
  expect_in_page("counted programs", rows);
}

}  // namespace
}  // namespace rooflab::accuracy
