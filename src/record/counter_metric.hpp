#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/record/kernel_figure.hpp"

/// Table of NVIDIA's hardware metrics: the figures of a kernel that they have, and the chips that
/// have them, for all code that reads or collects counters. Source of names, chips and meanings:
/// CUPTI 13.0's host library, which needs no GPU.
namespace rooflab::record {

/// Dimension of a metric's value.
enum class MetricDimension : std::uint8_t {
  time,       ///< seconds
  bytes,      ///< bytes
  count,      ///< instructions, operations, cycles
  frequency,  ///< hertz
  fraction,   ///< 1, printed as per cent
};

/// Form in which a metric gives a figure. Forms are alternatives and never add up; an earlier one
/// is closer to the hardware's count.
enum class MetricForm : std::uint8_t {
  total,              ///< the figure itself
  total_elsewhere,    ///< the total summed over another unit (sm__ for smsp__)
  per_second,         ///< to be multiplied by the kernel's time
  per_cycle,          ///< to be multiplied by its elapsed cycles
  per_cycle_derived,  ///< like per_cycle, weighted by the FLOPs of an instruction
};

/// A metric that has a figure or a part of one.
struct CounterMetric {
  KernelFigure figure = KernelFigure::time_s;
  MetricDimension dimension = MetricDimension::count;
  MetricForm form = MetricForm::total;
  double factor = 1.0;  ///< the figure is the value in seconds, bytes, ... times this
  /// The name without unit and rollup, in static memory: `ops_path_tensor_src_fp8`. Metrics of one
  /// figure and form with different bases add up (fp8 accumulating in fp16 and in fp32).
  std::string_view base;
};

/// The figure of a metric by its full name: `dram__bytes_read.sum`,
/// `sm__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed`,
/// `derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2`; nullopt for other metrics.
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
/// Parses `9.0`; nullopt for anything else.
[[nodiscard]] std::optional<ComputeCapability> compute_capability_from(std::string_view text);

/// Whether a chip has tensor cores: 7.0 and later. Chips of 7.5 without them (TU116, TU117) cannot
/// be distinguished.
[[nodiscard]] bool has_tensor_cores(ComputeCapability capability);

/// Whether a chip with this capability (as text) may have tensor cores; true if it is not known.
[[nodiscard]] bool may_have_tensor_cores(const std::optional<std::string>& capability);

/// Whether a program in this precision may have work for the tensor cores of such a GPU: fp32 with
/// TF32 switched off has none, TF32 and bf16 need 8.0, fp16 needs 7.0, fp64 needs 8.0. Source:
/// NVIDIA, "CUDA C++ Programming Guide", features by compute capability.
[[nodiscard]] bool serves_tensor_cores(ComputeCapability capability, Precision precision);

/// Full names of the expected metrics of a log, with the units' usual names: time, DRAM bytes and
/// CUDA-core FLOPs (fp32). Misspelt names are compared with these.
[[nodiscard]] std::vector<std::string> expected_metrics();

/// Base names (`sm__ops_path_tensor_src_fp16`; append `.sum`) of the floating-point tensor metrics
/// that exist on a chip; empty for a chip without tensor cores and for an unknown one. They sum to
/// all floating-point work of its tensor cores, 2 operations per multiply-accumulate.
[[nodiscard]] std::vector<std::string> tensor_metrics_of(ComputeCapability capability);
/// Base names of the floating-point tensor metrics by CUPTI's chip name: `GH100`, `TU104`. Empty
/// for TU116 and TU117, which have no tensor cores.
[[nodiscard]] std::vector<std::string> tensor_metrics_of(std::string_view chip);

/// Whether these tables have the chip, by CUPTI's name. Any other chip gets no tensor metrics, and
/// the most frequent names of other metrics.
[[nodiscard]] bool is_known_chip(std::string_view chip);
/// Full names of bytes read and written; empty for a chip without a DRAM unit (GA10B).
[[nodiscard]] std::vector<std::string> dram_metrics_of(std::string_view chip);
/// Full names of the CUDA cores' floating-point instructions.
[[nodiscard]] std::vector<std::string> core_metrics_of(std::string_view chip);

/// Full names of metrics that are counted in addition to DRAM bytes and FLOPs, where a chip has
/// them: L2 bytes, clock, SM busy, occupancy. They share a pass.
[[nodiscard]] std::vector<std::string> state_metrics();

/// Full names of metrics that CUPTI cannot count together with others: bytes over the chip's link
/// to the host, which are counted for whole steps. Empty for a chip that shares its memory with the
/// CPU.
[[nodiscard]] std::vector<std::string> apart_metrics_of(std::string_view chip);

/// Full name of the first metric of a figure, such as the tensor pipe's instructions, which share a
/// pass with bytes.
[[nodiscard]] std::string metric_of(KernelFigure figure);
/// Whether the chip's tensor pipe executes everything that tensor_metrics_of() counts, so that a
/// kernel without instructions on it has no such work. False where some types may have another unit
/// (FP64 on GeForce), and where that is not known (GB100).
[[nodiscard]] bool tensor_pipe_tells(std::string_view chip);

/// Figure of the tensor metrics with this base name, or its `.sum`: `tensor_fp16`; nullopt for
/// others.
[[nodiscard]] std::optional<KernelFigure> tensor_figure_of(std::string_view metric);

/// Full names of all metrics for time, DRAM bytes and FLOPs of a kernel on a chip. They need one
/// pass for time and bytes, one for the CUDA cores, and about four for the tensor cores.
[[nodiscard]] std::vector<std::string> collection_metrics(ComputeCapability capability);

}  // namespace rooflab::record
