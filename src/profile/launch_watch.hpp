#pragma once

#include <cstdint>
#include <memory>

#include "counter_fault.hpp"
#include "cupti_library.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::profile {

enum class LaunchKind : std::uint8_t {
  kernel,
  graph,  ///< launch of a CUDA graph: as many kernels as it holds
};

/// A launch as the program asks for it. Texts live as long as the call.
struct Launch {
  LaunchKind kind = LaunchKind::kernel;
  const char* symbol = "";  ///< mangled; empty where the driver does not know
  record::Extent grid = {};
  record::Extent block = {};
  std::uint32_t shared_memory_bytes = 0;  ///< dynamic
  std::uint32_t correlation = 0;          ///< with the launch's activity record
  void* context = nullptr;                ///< CUcontext
  void* stream = nullptr;                 ///< CUstream
  std::uintptr_t thread = 0;              ///< equal for launches of one thread
  std::uintptr_t graph = 0;               ///< equal for launches of one executable graph; 0: none
};

/// Hears of launches on the thread that launches, under a lock: one at a time. What it throws is
/// swallowed. Launches that it makes itself are not told.
class LaunchListener {
 public:
  virtual ~LaunchListener() = default;
  /// True: after_launch follows when the driver has taken the launch, and launches of other threads
  /// wait until then.
  virtual bool before_launch(const Launch& launch) = 0;
  virtual void after_launch() {}
  virtual void capture_begins() {}  ///< launches into some stream become nodes of a graph
  virtual void capture_ends() {}
  /// A node of a CUDA graph was made on this thread, by a launch into a capture for one.
  virtual void node_begins(std::uint64_t /*node*/) {}
  /// A node of another graph, an executable one for one, is what `original` is.
  virtual void node_is_copied(std::uint64_t /*node*/, std::uint64_t /*original*/) {}
  virtual void profiler_starts() {}  ///< cudaProfilerStart has returned
  virtual void profiler_stops() {}   ///< cudaProfilerStop is about to work
  virtual void context_begins(void* /*context*/) {}
  virtual void context_ends(void* /*context*/) {}
};

/// Every launch of the process, through CUPTI's callbacks on the driver's launch functions (Ex and
/// per-thread-stream variants included). One such subscriber can exist in a process.
class LaunchWatch {
 public:
  /// Throws CuptiError: 39 when another profiler is subscribed.
  LaunchWatch(std::shared_ptr<const CuptiLibrary> cupti, LaunchListener& listener);
  ~LaunchWatch();
  LaunchWatch(const LaunchWatch&) = delete;
  LaunchWatch& operator=(const LaunchWatch&) = delete;

  /// Turns reports of launches on or off: while off, a launch costs nothing. Off at first.
  void watch_launches(bool on);
  /// Makes room for another subscriber: reports end. Not from within a callback.
  void unsubscribe() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Another process counts on the device, and may soon have done so.
[[nodiscard]] bool is_held_by_another(const CuptiError& error);

/// What a failed call means and what to do about it; names the subscriber that is in the way, where
/// one is and gave its name.
[[nodiscard]] CounterFault fault_of(const CuptiLibrary& cupti, const CuptiError& error);

}  // namespace rooflab::profile
