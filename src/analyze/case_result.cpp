#include "rooflab/analyze/case_result.hpp"

#include "rooflab/base/text.hpp"

namespace rooflab::analyze {
namespace {

std::vector<std::string> notes_of(const CaseResult& result) {
  std::vector<std::string> notes;
  const device::Device& device = result.device;
  if (result.precision == Precision::tf32 && !device.peaks.contains(ArithmeticPath::tf32_tensor)) {
    notes.push_back(format("{} has no TF32 units: FP32 instead", device.name));
  }
  if (result.precision == Precision::fp16 &&
      !device.peaks.contains(ArithmeticPath::fp16_tensor_fp32)) {
    notes.push_back(
        format("{} has no FP16 tensor cores: products with FP32 accumulation run on the FP32 units",
               device.name));
  }
  for (const std::string& missing : result.limit.missing) {
    notes.push_back(format("no limit: {}", missing));
  }
  if (result.limit.causal_macs != result.limit.macs) {
    notes.push_back(
        format("causal attention is counted in full; the visible half alone makes {} MACs",
               si(result.limit.causal_macs.as_double(), "")));
  }
  for (const UncountedOp& op : result.count.uncounted) {
    notes.push_back(format("not counted: {} x {}", op.count, op.op));
  }
  return notes;
}

}  // namespace

CaseResult analyze_case(const schedule::Schedule& schedule, const predict::MemoryEstimate& memory,
                        const device::Device& device, predict::PercentOfPeak percent) {
  CaseResult result;
  result.model = schedule.graph.name;
  result.batch = schedule.graph.batch();
  result.phase = schedule.phase;
  result.precision = schedule.precision;
  result.device = device;
  result.count = count_network(schedule);
  result.limit = predict::limit_of(schedule, device, percent);
  if (!result.limit.time) {
    // The path that does most of the work may be the one without a figure.
    result.limit.main_path.reset();
    result.limit.ridge_point.reset();
    result.limit.bound = predict::Bound::none;
  }
  result.memory = memory;
  if (device.memory) {
    result.fit = predict::fit(memory, Bytes(static_cast<std::int64_t>(device.memory->value)));
  }
  result.layers = layer_table(schedule, result.limit);
  result.limit.ops.clear();
  result.notes = notes_of(result);
  return result;
}

}  // namespace rooflab::analyze
