#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/record/kernel_table.hpp"
#include "rooflab/record/step_part.hpp"

namespace rooflab::record {

/// Origin of launches: one node of the graph in one pass.
struct LaunchScope {
  std::string node = {};  ///< scope path, or `(loss)`, `(optimizer)`, `(other)`
  std::string op = {};
  std::string pass = {};  ///< `forward`, `backward`, `loss`, `optimizer`
};

/// Metrics that were counted together, one pass per step.
struct CounterSet {
  std::vector<std::string> metrics = {};  ///< full names: `dram__bytes_read.sum`
  bool per_kernel = false;                ///< false: over the whole step with concurrent kernels
  int passes = 1;                         ///< number of steps needed
  double arming_s = 0.0;                  ///< time to program the hardware before the first step
  double wall_s = 0.0;                    ///< time from its first counted step to its last value
  std::int64_t launches = 0;              ///< counted launches
  std::int64_t dropped = 0;  ///< launches without a value: their step was unlike others
};

/// Collection of hardware counters. Times never come from counted steps: `time_s` of the kernels
/// comes from other steps, traced without counters.
struct Counting {
  std::string chip = {};                ///< CUPTI's name for it: `GH100`
  std::optional<StepPart> window = {};  ///< nullopt: whole steps
  std::int64_t launches_per_step = 0;   ///< kernels per step; 0: no steps were found
  std::vector<double> steps_s = {};     ///< steps without counters: means of consecutive ones
  double arming_s = 0.0;                ///< time to program the hardware before counting
  double wall_s = 0.0;  ///< time from the first counted step to the last value, over all sets
  std::vector<CounterSet> sets = {};
  /// One row, `(step)`: figures of a whole step whose kernels ran as they do without counters.
  /// CUDA-core instructions are missing: they can only be counted kernel by kernel.
  std::optional<KernelTable> step = {};
  /// Peaks of the chip per clock of the counting unit: `..op_ffma_pred_on.sum` in instructions,
  /// `sm__ops_path_tensor_src_tf32_dst_fp32.sum` in operations, `dram__bytes.sum` in bytes. Keys
  /// are full metric names without `.peak_sustained`.
  std::map<std::string, double> peaks = {};
  /// Scope i - 1 belongs to kernels with `external_id` i. Empty where the origin of launches is not
  /// known.
  std::vector<LaunchScope> scopes = {};
};

[[nodiscard]] std::span<const Field> fields_of(For<LaunchScope>);
[[nodiscard]] std::span<const Field> fields_of(For<CounterSet>);
[[nodiscard]] std::span<const Field> fields_of(For<Counting>);

/// A processor as the machine reports it.
struct DeviceIdentity {
  std::string kind = {};  ///< `cpu` or `cuda`
  int index = 0;          ///< the framework's number: `cuda:1` is 1
  std::string name = {};  ///< `NVIDIA H200`; the CPU's model name
  std::string uuid = {};  ///< `GPU-...`; empty without one
  std::optional<Bytes> memory = {};
  std::optional<std::string> compute_capability = {};  ///< `9.0`
  std::optional<int> multiprocessors = {};
  std::optional<std::string> driver = {};  ///< version

  friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

/// Compute capability as a number; nullopt for a CPU, and where it is not known.
[[nodiscard]] std::optional<double> capability_of(const DeviceIdentity& device);

/// Precision in which the device runs a case of precision `asked`: `amp` becomes amp_fp16 on a GPU
/// whose compute capability is known and below 8.0.
[[nodiscard]] Precision precision_on(const DeviceIdentity& device, Precision asked);

/// Clocks and their throttle reasons at one moment.
struct ClockState {
  std::optional<double> sm_clock_hz = {};
  std::optional<double> memory_clock_hz = {};
  std::optional<double> temperature_c = {};
  /// `idle`, `sw_power_cap`, `hw_thermal`, ...; nullopt: not known.
  std::optional<std::vector<std::string>> throttle_reasons = {};

  friend bool operator==(const ClockState&, const ClockState&) = default;
};

/// Place and circumstances of a record. Unknown members are nullopt or empty.
struct Environment {
  std::string date = {};     ///< UTC, ISO 8601: `2026-11-21T14:00:00Z`
  std::string command = {};  ///< the command line that made the record
  std::string rooflab = {};  ///< version
  std::string host = {};     ///< operating system and kernel
  std::string cpu = {};      ///< model name
  int logical_cpus = 0;
  std::optional<int> threads = {};  ///< threads that the framework uses for one op
  std::optional<Bytes> host_memory = {};
  DeviceIdentity device = {};
  /// `libtorch`: `2.11.0`, `cudnn`: `9.19.0`, ...
  std::map<std::string, std::string> libraries = {};
  std::optional<bool> tf32_convolution = {};     ///< TF32 allowed in convolutions
  std::optional<bool> tf32_matmul = {};          ///< TF32 allowed in matrix products
  std::optional<bool> cudnn_benchmark = {};      ///< cuDNN tries algorithms out
  std::optional<ClockState> clocks_before = {};  ///< clocks before the timed steps
  std::optional<ClockState> clocks_after = {};

  friend bool operator==(const Environment&, const Environment&) = default;
};

[[nodiscard]] std::span<const Field> fields_of(For<DeviceIdentity>);
[[nodiscard]] std::span<const Field> fields_of(For<ClockState>);
[[nodiscard]] std::span<const Field> fields_of(For<Environment>);

}  // namespace rooflab::record
