#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::record {

/// What kernels were launched for: one node of the graph in one pass.
struct LaunchScope {
  std::string node;  ///< scope path; `(loss)`, `(optimizer)`, `(other)` for what has no node
  std::string op;
  std::string pass;  ///< `forward`, `backward`, `loss`, `optimizer`
};

/// Metrics that were counted together: each step takes one of their passes.
struct CounterSet {
  std::vector<std::string> metrics;  ///< full names: `dram__bytes_read.sum`
  bool per_kernel = false;           ///< false: over the whole step, its kernels concurrent
  int passes = 1;                    ///< steps that it took
  double arming_s = 0.0;             ///< programming the hardware before its first step
  double wall_s = 0.0;               ///< from its first counted step to the last value
  std::int64_t launches = 0;         ///< counted
  std::int64_t dropped = 0;          ///< launches without a value: the step was not like the others
};

/// How hardware counters were collected. Times never come from steps that were counted: the
/// kernels' `time_s` come from other steps, traced without counters.
struct Counting {
  std::string chip;                    ///< CUPTI's name for it: `GH100`
  std::int64_t launches_per_step = 0;  ///< kernels; 0: no step was told apart
  std::vector<double> steps_s;         ///< without counters: means of several, one after the other
  double arming_s = 0.0;               ///< programming the hardware before the first counted step
  double wall_s = 0.0;  ///< from the first counted step to the last value, of all sets
  std::vector<CounterSet> sets;
  /// One row, `(step)`: figures of a whole step whose kernels ran as they do without counters.
  /// CUDA-core instructions are not among them: they can be counted kernel by kernel only.
  std::optional<KernelTable> step;
  /// What the chip does at most, a clock of the unit that counts: `..op_ffma_pred_on.sum` in
  /// instructions, `sm__ops_path_tensor_src_tf32_dst_fp32.sum` in operations, `dram__bytes.sum` in
  /// bytes. By full metric name without `.peak_sustained`.
  std::map<std::string, double> peaks;
  /// Scope i - 1 is that of the kernels with `external_id` i. Empty where launches were not told
  /// apart so.
  std::vector<LaunchScope> scopes;
};

[[nodiscard]] std::span<const Field> fields_of(For<LaunchScope>);
[[nodiscard]] std::span<const Field> fields_of(For<CounterSet>);
[[nodiscard]] std::span<const Field> fields_of(For<Counting>);

}  // namespace rooflab::record
