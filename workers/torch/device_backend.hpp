#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/figure_key.hpp"
#include "rooflab/record/environment.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {

/// A moment in the order of a device's work.
class Mark {
 public:
  virtual ~Mark() = default;
};

/// Memory of the framework's allocator on a device; absent where it keeps no account.
struct AllocatorState {
  std::optional<Bytes> allocated;
  std::optional<Bytes> allocated_peak;
  std::optional<Bytes> reserved_peak;
};

/// What differs between devices: time, memory, identity. One implementation each for the CPU and
/// for CUDA.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;

  [[nodiscard]] virtual at::Device device() const = 0;
  [[nodiscard]] virtual record::DeviceIdentity identity() const = 0;
  [[nodiscard]] virtual std::string clock() const = 0;  ///< `device events`, `steady clock`

  /// Waits until all work is done.
  virtual void synchronize() = 0;
  /// Marks this place in the order of work.
  [[nodiscard]] virtual std::unique_ptr<Mark> mark() = 0;
  /// Whether the device has come to this place; asks, never waits.
  [[nodiscard]] virtual bool reached(const Mark& mark) = 0;
  /// Between two marks, once the work is done.
  [[nodiscard]] virtual double seconds_between(const Mark& begin, const Mark& end) = 0;
  /// Keeps the device busy for about so long, so that work can be queued behind it; false where
  /// that has no meaning.
  virtual bool delay(double seconds) = 0;
  /// Captures what `work` issues as one graph, without running it; the result replays it. Throws
  /// Unsupported where the device has no graphs.
  [[nodiscard]] virtual std::function<void()> captured(const std::function<void()>& work) = 0;

  /// Size of the last cache before the device's memory; nullopt where that is unknown.
  [[nodiscard]] virtual std::optional<Bytes> last_cache() = 0;

  [[nodiscard]] virtual AllocatorState allocator() = 0;
  virtual void reset_peaks() = 0;
  /// Gives unused memory back to the device.
  virtual void release_cached() = 0;
  [[nodiscard]] virtual std::optional<Bytes> device_used() = 0;  ///< sum over all processes
  /// Limits the device memory of the process, of which `context` is not the allocator's. Beyond the
  /// limit allocations fail as they do on a smaller device. Throws Unsupported if the device knows
  /// no limit, or the context alone takes more.
  virtual void limit_memory(Bytes limit, Bytes context) = 0;
};

/// The CPU's backend, or CUDA's for `cuda:N`. Throws Unsupported when this build or this machine
/// has no such device.
[[nodiscard]] std::unique_ptr<DeviceBackend> make_backend(const at::Device& device);

/// What the framework finds here; the CPU first.
[[nodiscard]] std::vector<record::DeviceIdentity> present_devices();
/// Versions of the framework and of the libraries below it.
[[nodiscard]] std::map<std::string, std::string> library_versions();
/// What this build lacks, one sentence each.
[[nodiscard]] std::vector<std::string> missing_parts();

}  // namespace rooflab::torch_worker
