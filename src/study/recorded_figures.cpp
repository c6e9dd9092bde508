// What was recorded of programs that are not ours, and of the device: profile, import, probe.
//
// Counted work is a figure of the step only where every kernel has it. The bytes of a whole step,
// its kernels concurrent, stand in where no kernel has its own.
//
// The time of a step is that of whole steps without counters, else of the trace's marked steps,
// else the sum over the kernels of a log: a log holds what its maker took for a step, and nothing
// of what lies between kernels. A trace without marked steps has no such time.
//
// Of a probe the bandwidth is the fastest kind of access, and the interval that of the repetitions:
// smallest and largest of seven hold the median with 98 %.

#include <optional>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "mode_figures.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::study {
namespace {

bool covers_all(const Json& totals, FigureKey key) { return coverage_of(totals, key) == 1.0; }

/// Steps of the counting, without counters; false: no such steps.
bool add_step_time(FigureList& figures, const Json& record) {
  std::vector<double> steps;
  for (const Json& step : list_of(part(record, "counting"), "steps_s")) {
    if (step.is_number()) steps.push_back(step.get<double>());
  }
  if (steps.empty()) return false;
  const Statistics statistics = statistics_of(steps);
  figures.add("time", statistics.median, statistics.median_low, statistics.median_high);
  figures.add("variation", statistics.variation);
  return true;
}

void add_trace(FigureList& figures, const Json& panes, bool has_time) {
  if (!has_time && flag_of(panes, "marked")) {
    figures.add("time", part(panes, "mean_step"), "total_s");
  }
  const Json& device = first_of(panes, "devices");
  figures.add("utilization", device, "busy_share");
  figures.add(device, {"sm_efficiency", "occupancy"});

  const Json& overlap = part(panes, "overlap");
  if (flag_of(overlap, "has_communication")) figures.add(overlap, {"communication", "hidden"});
}

/// The entry of the largest value among figures of a probe whose name fits.
template <class Fits>
void add_fastest(FigureList& figures, std::string_view quantity, const Json& result, Fits fits) {
  const Json* fastest = nullptr;
  for (const Json& each : list_of(result, "figures")) {
    const std::optional<double> value = number_of(each, "value");
    if (!value || !fits(split(string_of(each, "name"), '.'))) continue;
    if (fastest == nullptr || *value > *number_of(*fastest, "value")) fastest = &each;
  }
  if (fastest == nullptr) return;
  constexpr double enough = 6.0;  // fewer hold the median with less than 95 %
  const bool interval = number_of(*fastest, "repetitions").value_or(0.0) >= enough;
  figures.add(quantity, number_of(*fastest, "value"),
              interval ? number_of(*fastest, "least") : std::nullopt,
              interval ? number_of(*fastest, "most") : std::nullopt);
}

}  // namespace

std::optional<double> coverage_of(const Json& sums, FigureKey key) {
  const Json& coverage = part(sums, "coverage");
  if (!coverage.is_object()) return std::nullopt;
  return number_of(coverage, key).value_or(0.0);
}

void add_counted(FigureList& figures, const Json& sums, const Json& step) {
  const bool all_have_flops = covers_all(sums, "flop");
  const bool all_have_bytes = covers_all(sums, "dram_bytes");
  std::optional<double> tensor = number_of(step, "tensor_flop");
  if (all_have_flops) {
    figures.add("counted_flops", sums, "flop");
    if (const auto summed = number_of(sums, "tensor_flop")) tensor = summed;
  }
  if (all_have_flops && all_have_bytes)
    figures.add("counted_intensity", sums, "intensity_flop_per_byte");
  figures.add("counted_tensor_flops", tensor);
  for (const FigureKey bytes : {FigureKey("dram_bytes"), FigureKey("pcie_bytes")}) {
    const auto summed = covers_all(sums, bytes) ? number_of(sums, bytes) : std::nullopt;
    figures.add(bytes.key(), summed ? summed : number_of(step, bytes));
  }
  if (all_have_bytes) figures.add(sums, {"achieved_bandwidth"});
}

void add_recorded(FigureList& figures, const Json& result) {
  const bool several = !list_of(result, "imports").empty();
  const Json& record = several ? first_of(result, "imports") : result;
  if (string_of(record, "status") != "ok") return;

  const Json& totals = part(record, "totals");
  const Json& panes = part(part(record, "panes"), "ours");
  const bool has_time = add_step_time(figures, record);
  const std::optional<double> kernels_s =
      covers_all(totals, "time_s") ? number_of(totals, "time_s") : std::nullopt;
  if (panes.is_object()) {  // its kernels are of all steps together
    add_trace(figures, panes, has_time);
  } else {
    figures.add("device_time", kernels_s);
    if (!has_time) figures.add("time", kernels_s);
  }
  add_counted(figures, totals, part(part(record, "counting"), "step"));

  if (figures.find("counted_flops") != nullptr) {
    figures.add("counted_throughput", quotient(number_of(totals, "flop"), kernels_s));
  }

  const Json& check = part(record, "check");
  figures.add("flops", check, "model_flop");
  figures.add("matrix_flops", check, "model_matrix_flop");
  figures.add("vector_flops", check, "model_vector_flop");
  figures.add_rate("throughput", number_of(check, "model_flop"));
}

void add_probe(FigureList& figures, const Json& result) {
  using Name = std::vector<std::string>;  // of `gemm.tf32_tensor.4096`
  add_fastest(figures, "bandwidth", result, [](const Name& name) { return name[0] == "dram"; });
  // Products of one size are in the best of all sizes; loops in registers stand in where the device
  // has no library of products.
  for (const std::string_view group : {"gemm", "peak"}) {
    if (figures.find("peak_flops") != nullptr) break;
    add_fastest(figures, "peak_flops", result, [group](const Name& name) {
      return name.size() == 2 && name[0] == group && name[1] == "fp32_vector";
    });
  }
  add_fastest(figures, "tensor_peak_flops", result, [](const Name& name) {
    if (name.size() != 2 || name[0] != "gemm" || name[1] == "int8_tensor_int32") return false;
    const std::optional<ArithmeticPath> path = from_name<ArithmeticPath>(name[1]);
    return path && is_matrix_unit(*path);
  });
}

std::vector<StudyCase> addition_cases(const StudyCase& probe, const Json& result) {
  std::vector<StudyCase> cases;
  for (const Json& row : list_of(result, "vector_additions")) {
    const std::optional<double> elements = number_of(row, "elements");
    if (!flag_of(row, "correct") || !elements) continue;
    const std::string launch = string_of(row, "launch");
    const std::string memory = string_of(row, "memory_kind");
    const std::string count = format("{:.0f}", *elements);
    FigureList figures;
    figures.add("time", row, "total_s");
    figures.add("device_time", row, "kernel_s");
    StudyCase& made = cases.emplace_back(probe);
    made.note.clear();
    made.figures = figures.take();
    made.attributes["launch"] = launch;
    made.attributes["memory"] = memory;
    made.attributes["elements"] = count;
    made.id = format("{}-{}-{}-{}", probe.id, launch, memory, count);
  }
  return cases;
}

}  // namespace rooflab::study
