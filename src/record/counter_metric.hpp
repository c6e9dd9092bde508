#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/record/kernel_figure.hpp"

/// Which of NVIDIA's hardware metrics hold which figure of a kernel, and which of them exist on
/// which chip. One table for everything that reads or collects counters. Names, chips and meanings
/// were asked of CUPTI 13.0's host library, which needs no GPU.
namespace rooflab::record {

/// What a metric's value is measured in.
enum class MetricDimension : std::uint8_t {
  time,       ///< seconds
  bytes,      ///< bytes
  count,      ///< instructions, operations, cycles
  frequency,  ///< hertz
  fraction,   ///< 1, printed as per cent
};

/// How a metric tells a figure. Forms are alternatives of one another and never add up; an earlier
/// one is nearer to what the hardware counted.
enum class MetricForm : std::uint8_t {
  total,              ///< the figure itself
  total_elsewhere,    ///< the same total, summed over another unit (sm__ for smsp__)
  per_second,         ///< times the kernel's time
  per_cycle,          ///< times its elapsed cycles
  per_cycle_derived,  ///< the same, weighted by the FLOPs of an instruction
};

/// A metric that holds a figure, or a part of one.
struct CounterMetric {
  KernelFigure figure = KernelFigure::time_s;
  MetricDimension dimension = MetricDimension::count;
  MetricForm form = MetricForm::total;
  double factor = 1.0;  ///< the figure is the value, in seconds, bytes, ..., times this
  /// `ops_path_tensor_src_fp8`: the name without unit and rollup, in static memory. Metrics of one
  /// figure and form with different bases add up (fp8 accumulating in fp16 and in fp32).
  std::string_view base;
};

/// The figure of a metric by its full name: `dram__bytes_read.sum`,
/// `sm__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed`,
/// `derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2`; nullopt for every other one.
///
/// Left out on purpose: `.avg`, `.max` and `.min` of counters (of one unit of the chip),
/// `derived__sm__*` (peaks, not counts), `sm__ops_path_tensor_op_*` (children that `src_*`
/// contains), sparsity splits, and `*_ops_fadd_fmul_ffma*` (an FMA counts once there).
[[nodiscard]] std::optional<CounterMetric> counter_metric(std::string_view name);

struct ComputeCapability {
  int major = 0;
  int minor = 0;

  friend bool operator==(const ComputeCapability&, const ComputeCapability&) = default;
};
/// `9.0`; nullopt for anything else.
[[nodiscard]] std::optional<ComputeCapability> compute_capability_from(std::string_view text);

/// 7.0 and later. Chips of 7.5 without tensor cores (TU116, TU117) cannot be told from the others.
[[nodiscard]] bool has_tensor_cores(ComputeCapability capability);

/// The same of a capability as text; one that is not known may have them.
[[nodiscard]] bool may_have_tensor_cores(const std::optional<std::string>& capability);

/// A program in this precision may have work for the tensor cores of such a GPU: fp32 with TF32
/// switched off has none, TF32 and bf16 need 8.0, fp16 needs 7.0, fp64 needs 8.0. Source: NVIDIA,
/// "CUDA C++ Programming Guide", features by compute capability.
[[nodiscard]] bool serves_tensor_cores(ComputeCapability capability, Precision precision);

/// Full names of the metrics of time, DRAM bytes and CUDA-core FLOPs (fp32) that a log is expected
/// to have, by the unit's usual name: what a misspelt name is compared with.
[[nodiscard]] std::vector<std::string> expected_metrics();

/// Base names (`sm__ops_path_tensor_src_fp16`; append `.sum`) of the floating-point tensor metrics
/// that exist on a chip; empty for a chip without tensor cores and for one that is not known. They
/// add up to all floating-point work of its tensor cores, 2 operations a multiply-accumulate.
[[nodiscard]] std::vector<std::string> tensor_metrics_of(ComputeCapability capability);
/// The same by CUPTI's chip name: `GH100`, `TU104`. TU116 and TU117 have none.
[[nodiscard]] std::vector<std::string> tensor_metrics_of(std::string_view chip);

/// A chip that these tables know by CUPTI's name. Any other has no tensor metrics here, and the
/// other metrics' most frequent names.
[[nodiscard]] bool is_known_chip(std::string_view chip);
/// Full names of bytes read and written; empty for a chip without a DRAM unit (GA10B).
[[nodiscard]] std::vector<std::string> dram_metrics_of(std::string_view chip);
/// Full names of the CUDA cores' floating-point instructions.
[[nodiscard]] std::vector<std::string> core_metrics_of(std::string_view chip);

/// Full names of what is counted beside bytes of DRAM and FLOPs, where a chip has it: L2 bytes,
/// clock, SM busy, occupancy. They share a pass.
[[nodiscard]] std::vector<std::string> state_metrics();

/// Full names of what CUPTI counts in no configuration with others: what crosses the chip's link to
/// the host, which is counted of a step as a whole. Empty for a chip that shares its memory with
/// the CPU.
[[nodiscard]] std::vector<std::string> apart_metrics_of(std::string_view chip);

/// Full name of the first metric of a figure: of the tensor pipe's instructions for one, which
/// share a pass with bytes.
[[nodiscard]] std::string metric_of(KernelFigure figure);
/// On this chip the tensor pipe executes everything that tensor_metrics_of() counts: a kernel
/// without instructions on it has no such work. False where some types may have another unit (FP64
/// on GeForce), and where that is not known (GB100).
[[nodiscard]] bool tensor_pipe_tells(std::string_view chip);

/// What the tensor metrics of a base name or of its `.sum` count: `tensor_fp16`; nullopt for
/// others.
[[nodiscard]] std::optional<KernelFigure> tensor_figure_of(std::string_view metric);

/// Full names of all metrics that time, DRAM bytes and FLOPs of a kernel take on a chip. In passes:
/// one for time and bytes, one for the CUDA cores, about four for the tensor cores.
[[nodiscard]] std::vector<std::string> collection_metrics(ComputeCapability capability);

}  // namespace rooflab::record
