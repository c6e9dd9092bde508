#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/record/kernel_table.hpp"
#include "rooflab/record/step_part.hpp"

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
  std::optional<StepPart> window;      ///< nullopt: whole steps
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

/// A processor as the machine names it.
struct DeviceIdentity {
  std::string kind;  ///< `cpu` or `cuda`
  int index = 0;     ///< the framework's number: `cuda:1` is 1
  std::string name;  ///< `NVIDIA H200`; the CPU's model name
  std::string uuid;  ///< `GPU-...`; empty without one
  std::optional<Bytes> memory;
  std::optional<std::string> compute_capability;  ///< `9.0`
  std::optional<int> multiprocessors;
  std::optional<std::string> driver;  ///< version

  friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

/// `8.0` as 8.0; nullopt for a CPU, and where it is not known.
[[nodiscard]] std::optional<double> capability_of(const DeviceIdentity& device);

/// The precision that a case runs in on the device when `asked` was asked for: `amp` becomes
/// amp_fp16 on a GPU whose compute capability is known and below 8.0.
[[nodiscard]] Precision precision_on(const DeviceIdentity& device, Precision asked);

/// Clocks and what holds them down at one moment.
struct ClockState {
  std::optional<double> sm_clock_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> temperature_c;
  /// `idle`, `sw_power_cap`, `hw_thermal`, ...; nullopt: not known.
  std::optional<std::vector<std::string>> throttle_reasons;

  friend bool operator==(const ClockState&, const ClockState&) = default;
};

/// Where and how a record came to be. What is not known is absent.
struct Environment {
  std::string date;     ///< UTC, ISO 8601: `2026-11-21T14:00:00Z`
  std::string command;  ///< the command line that made the record
  std::string rooflab;  ///< version
  std::string host;     ///< operating system and kernel
  std::string cpu;      ///< model name
  int logical_cpus = 0;
  std::optional<int> threads;  ///< that the framework uses for one op
  std::optional<Bytes> host_memory;
  DeviceIdentity device;
  std::map<std::string, std::string> libraries;  ///< `libtorch`: `2.11.0`, `cudnn`: `9.19.0`, ...
  std::optional<bool> tf32_convolution;          ///< TF32 allowed in convolutions
  std::optional<bool> tf32_matmul;               ///< TF32 allowed in matrix products
  std::optional<bool> cudnn_benchmark;           ///< cuDNN tries algorithms out
  std::optional<ClockState> clocks_before;       ///< clocks before the timed steps
  std::optional<ClockState> clocks_after;

  friend bool operator==(const Environment&, const Environment&) = default;
};

[[nodiscard]] std::span<const Field> fields_of(For<DeviceIdentity>);
[[nodiscard]] std::span<const Field> fields_of(For<ClockState>);
[[nodiscard]] std::span<const Field> fields_of(For<Environment>);

}  // namespace rooflab::record
