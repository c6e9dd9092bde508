// Which metrics to count, and together with which.
//
// A multiprocessor has few counters, and what needs more of them than there are is counted in
// passes, each over the same work again. Nothing is replayed here: a training step repeats itself,
// so that each step takes one set, and a set is what fits into one pass. How much fits is nothing
// that names tell. Two tensor types share a pass on GH100 (fp16 and fp8), others do not (bf16 and
// tf32), so the host library is asked, and first fit is what is done with its answers: over the
// chips from GV100 to GB202 it needs as many sets as the library's own count of passes for all of
// the metrics at once, or one more. A question takes about 1 ms, a plan at most a hundred.
//
// Order is by want, for a program that ends early leaves the last sets uncounted: DRAM bytes,
// floating-point tensor operations, then what describes the kernel (L2, clock, occupancy), integer
// tensor operations, peaks.
//
// Some tensor types take two passes alone (fp16 on GH100, tf32 on GB100): they are counted in
// parts, which tensor_parts_of() names and whose sum is the type's. Instructions of the CUDA cores
// are counted by patching code and share a pass with nothing else.

#include "rooflab/counters/metric_plan.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "rooflab/base/text.hpp"
#include "rooflab/record/counter_metric.hpp"

namespace rooflab::counters {
namespace {

using Names = std::vector<std::string>;

/// L2 bytes, clock, SM busy, occupancy.
constexpr std::array<const char*, 4> kernel_state = {
    "lts__t_bytes.sum",
    "sm__cycles_elapsed.avg.per_second",
    "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
};

/// As Nsight Compute's roofline sections take them.
constexpr std::array<const char*, 3> core_peaks = {
    "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained",
    "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained",
    "sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained",
};

/// First fit of metrics into sets.
class Packer {
 public:
  explicit Packer(const PassCount& passes) : passes_(passes) {}

  void add(const std::string& metric) {
    for (MetricSet& set : plan_.sets) {
      const std::optional<int> together = passes_with(set, {&metric, 1});
      if (!together) return miss(metric);
      if (*together == 1) {
        set.metrics.push_back(metric);
        return;
      }
    }
    if (passes_({&metric, 1}) != 1) return miss(metric);
    plan_.sets.push_back({{metric}, false});
  }

  /// The same as one by one, with one question where all of them fit into the first set.
  void add(const Names& metrics) {
    if (metrics.empty()) return;
    if (plan_.sets.empty()) plan_.sets.emplace_back();
    Names& first = plan_.sets.front().metrics;
    if (passes_with(plan_.sets.front(), metrics) == 1) {
      first.insert(first.end(), metrics.begin(), metrics.end());
      return;
    }
    if (first.empty()) plan_.sets.clear();
    for (const std::string& metric : metrics) add(metric);
  }

  /// A metric, or all of the parts that add up to it where it takes more than one pass: with one of
  /// them missing the others would be taken for a total.
  void add_whole_or_parts(const std::string& metric, const Names& parts) {
    if (parts.empty() || passes_({&metric, 1}) == 1) return add(metric);
    const bool countable = std::ranges::all_of(parts, [&](const std::string& part) {
      return passes_({&part, 1}) == 1;
    });
    if (!countable) return miss(metric);
    for (const std::string& part : parts) add(part);
  }

  void miss(const std::string& metric) { plan_.missing.push_back(metric); }

  [[nodiscard]] MetricPlan take() { return std::move(plan_); }

 private:
  [[nodiscard]] std::optional<int> passes_with(const MetricSet& set,
                                               std::span<const std::string> more) const {
    Names together = set.metrics;
    together.insert(together.end(), more.begin(), more.end());
    return passes_(together);
  }

  const PassCount& passes_;
  MetricPlan plan_;
};

void add_tensor(Packer& packer, std::string_view chip, std::span<const std::string_view> bases,
                std::span<const record::KernelFigure> absent) {
  for (const std::string_view base : bases) {
    const std::optional<record::KernelFigure> figure = record::tensor_figure_of(base);
    if (figure && std::ranges::find(absent, *figure) != absent.end()) continue;
    Names parts;
    for (const std::string_view part : record::tensor_parts_of(chip, base)) {
      parts.push_back(format("{}.sum", part));
    }
    packer.add_whole_or_parts(format("{}.sum", base), parts);
  }
}

/// What hardware counters tell of a step or a kernel.
void add_volumes(Packer& packer, std::string_view chip,
                 std::span<const record::KernelFigure> absent) {
  const Names dram = record::dram_metrics_of(chip);
  if (dram.empty()) {
    for (const char* metric : {"dram__bytes_read.sum", "dram__bytes_write.sum"}) {
      packer.miss(metric);
    }
  }
  packer.add(dram);
  if (!record::is_known_chip(chip)) packer.miss("sm__ops_path_tensor_src_*.sum");
  add_tensor(packer, chip, record::tensor_metrics_of(chip), absent);
  packer.add(Names(kernel_state.begin(), kernel_state.end()));
  add_tensor(packer, chip, record::tensor_integer_metrics_of(chip), absent);
}

/// A peak is a property of the chip and takes no counter; the clock of the memory does.
void add_peaks(Packer& packer, std::string_view chip) {
  Names peaks(core_peaks.begin(), core_peaks.end());
  for (const auto& bases :
       {record::tensor_metrics_of(chip), record::tensor_integer_metrics_of(chip)}) {
    for (const std::string_view base : bases) {
      peaks.push_back(format("{}.sum.peak_sustained", base));
    }
  }
  if (!record::dram_metrics_of(chip).empty()) peaks.emplace_back("dram__bytes.sum.peak_sustained");
  packer.add(peaks);
  if (!record::dram_metrics_of(chip).empty()) packer.add("dram__cycles_elapsed.avg.per_second");
}

}  // namespace

MetricPlan pack(std::span<const std::string> metrics, const PassCount& passes) {
  Packer packer(passes);
  for (const std::string& metric : metrics) packer.add(metric);
  return packer.take();
}

MetricPlan plan_totals(std::string_view chip, const PassCount& passes, bool peaks) {
  Packer packer(passes);
  add_volumes(packer, chip, {});
  if (peaks) add_peaks(packer, chip);
  return packer.take();
}

MetricPlan plan_kernels(std::string_view chip, const PassCount& passes,
                        std::span<const record::KernelFigure> absent) {
  Packer cores(passes);
  cores.add(record::core_metrics_of(chip));
  MetricPlan plan = cores.take();
  for (MetricSet& set : plan.sets) set.patches_code = true;

  Packer hardware(passes);
  add_volumes(hardware, chip, absent);
  MetricPlan volumes = hardware.take();
  std::ranges::move(volumes.sets, std::back_inserter(plan.sets));
  std::ranges::move(volumes.missing, std::back_inserter(plan.missing));
  return plan;
}

}  // namespace rooflab::counters
