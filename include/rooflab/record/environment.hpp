#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/quantity.hpp"

namespace rooflab::record {

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
