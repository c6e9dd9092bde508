#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/quantity.hpp"
#include "rooflab/record/environment.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {

/// A moment in the order of a device's work.
class Mark {
 public:
  virtual ~Mark() = default;
};

/// Memory of the framework's allocator on a device; nullopt where it has no statistics.
struct AllocatorState {
  std::optional<Bytes> allocated;
  std::optional<Bytes> allocated_peak;
  std::optional<Bytes> reserved_peak;
};

/// Interface for differences between devices: time, memory, identity. The CPU and CUDA have one
/// implementation each.
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
  /// Whether the device has reached this mark; never waits.
  [[nodiscard]] virtual bool reached(const Mark& mark) = 0;
  /// Seconds between two marks, once the work is done.
  [[nodiscard]] virtual double seconds_between(const Mark& begin, const Mark& end) = 0;
  /// Keeps the device busy for about this time, so that work can be queued; false where that is not
  /// possible.
  virtual bool delay(double seconds) = 0;
  /// Captures the launches of `work` as one graph without running it; the returned function replays
  /// it. Throws Unsupported where the device has no graphs.
  [[nodiscard]] virtual std::function<void()> captured(const std::function<void()>& work) = 0;

  /// Size of the last cache before the device's memory; nullopt where that is unknown.
  [[nodiscard]] virtual std::optional<Bytes> last_cache() = 0;

  [[nodiscard]] virtual AllocatorState allocator() = 0;
  virtual void reset_peaks() = 0;
  /// Gives unused memory back to the device.
  virtual void release_cached() = 0;
  [[nodiscard]] virtual std::optional<Bytes> device_used() = 0;  ///< sum over all processes
  /// Limits the device memory of the process, of which the allocator does not manage `context`.
  /// Allocations beyond the limit fail as on a smaller device. Throws Unsupported if the device has
  /// no limits, or the context alone exceeds the limit.
  virtual void limit_memory(Bytes limit, Bytes context) = 0;
};

/// The CPU's backend, or CUDA's for `cuda:N`. Throws Unsupported when this build or this machine
/// has no such device.
[[nodiscard]] std::unique_ptr<DeviceBackend> make_backend(const at::Device& device);

/// Devices that the framework finds on this machine; the CPU first.
[[nodiscard]] std::vector<record::DeviceIdentity> present_devices();
/// Versions of the framework and of the libraries below it.
[[nodiscard]] std::map<std::string, std::string> library_versions();
/// Missing parts of this build, one sentence each.
[[nodiscard]] std::vector<std::string> missing_parts();

}  // namespace rooflab::torch_worker
