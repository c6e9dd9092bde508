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
  std::uint64_t node = 0;  ///< the node of a CUDA graph that launched it; 0: none
  std::int32_t registers_per_thread = 0;
  std::int64_t shared_memory_bytes = 0;   ///< static and dynamic, a block
  std::int64_t dynamic_memory_bytes = 0;  ///< the part of it that the launch asked for
};

/// A copy or fill that the device made.
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
  /// The whole buffer has been delivered: time to write it out.
  virtual void buffer_ends() {}
};

/// Times of kernels and copies from the device itself, without counters and without serialising
/// anything. One can exist in a process.
class ActivityTrace {
 public:
  ActivityTrace(std::shared_ptr<const CuptiLibrary> cupti, ActivityListener& listener);
  ~ActivityTrace();
  ActivityTrace(const ActivityTrace&) = delete;
  ActivityTrace& operator=(const ActivityTrace&) = delete;

  void start();
  /// Work that the device has finished by now is delivered before this returns.
  void stop();
  /// Delivers the records, with `all` unfinished ones too.
  void flush(bool all);
  /// Now on the clock of the activities, ns.
  [[nodiscard]] std::int64_t now_ns() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  ///< CUPTI's thread may be at work in it
};

}  // namespace rooflab::profile
