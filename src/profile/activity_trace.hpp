#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cupti_library.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::profile {

/// A kernel that ran. Times in ns on CUPTI's clock.
struct KernelActivity {
  const char* name = "";  ///< mangled; lives as long as the process
  record::Extent grid = {};
  record::Extent block = {};
  std::int32_t device = 0;
  std::int32_t stream = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t correlation = 0;
  std::uint64_t node = 0;  ///< node of a CUDA graph that launched it; 0: none
  std::int32_t registers_per_thread = 0;
  std::int64_t shared_memory_bytes = 0;   ///< static and dynamic, per block
  std::int64_t dynamic_memory_bytes = 0;  ///< part of it that the launch requested
};

/// A copy or fill on the device.
struct CopyActivity {
  bool fill = false;
  std::uint8_t direction = 0;  ///< CUpti_ActivityMemcpyKind
  std::int32_t device = 0;
  std::int32_t stream = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t bytes = 0;
  std::uint32_t correlation = 0;
};

/// Receives the records that CUPTI has collected, on a thread of CUPTI or of the caller of flush;
/// calls never overlap.
class ActivityListener {
 public:
  virtual ~ActivityListener() = default;
  virtual void kernel(const KernelActivity& activity) = 0;
  virtual void copy(const CopyActivity& activity) = 0;
  virtual void dropped(std::int64_t records) = 0;
  /// Called when the whole buffer has been delivered, so that it can be written.
  virtual void buffer_ends() {}
};

/// Collects times of kernels and copies from the device itself, without counters and without
/// serializing kernels. Only one can exist in a process.
class ActivityTrace {
 public:
  ActivityTrace(std::shared_ptr<const CuptiLibrary> cupti, ActivityListener& listener);
  ~ActivityTrace();
  ActivityTrace(const ActivityTrace&) = delete;
  ActivityTrace& operator=(const ActivityTrace&) = delete;

  void start();
  /// Stops the trace. Work that the device has finished is delivered before this returns.
  void stop();
  /// Delivers the records, with `all` also unfinished ones.
  void flush(bool all);
  /// Current time on the clock of the activities, in ns.
  [[nodiscard]] std::int64_t now_ns() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  ///< CUPTI's thread may be using it
};

}  // namespace rooflab::profile
