#pragma once

#include <cstdint>
#include <memory>

#include "counter_fault.hpp"
#include "cupti_library.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::profile {

enum class LaunchKind : std::uint8_t {
  kernel,
  graph,  ///< launch of a CUDA graph with all its kernels
};

/// A launch as the program requests it. Texts live as long as the call.
struct Launch {
  LaunchKind kind = LaunchKind::kernel;
  const char* symbol = "";  ///< mangled; empty: not known to the driver
  record::Extent grid = {};
  record::Extent block = {};
  std::uint32_t shared_memory_bytes = 0;  ///< dynamic
  std::uint32_t correlation = 0;          ///< joins the launch with its activity record
  void* context = nullptr;                ///< CUcontext
  void* stream = nullptr;                 ///< CUstream
  std::uintptr_t thread = 0;              ///< equal for launches of one thread
  std::uintptr_t graph = 0;               ///< equal for launches of one executable graph; 0: none
};

/// Receives launches on the launching thread, under a lock: one at a time. Its exceptions are
/// ignored. Its own launches are not reported.
class LaunchListener {
 public:
  virtual ~LaunchListener() = default;
  /// Called before a launch. True: after_launch() follows when the driver has accepted the launch,
  /// and launches of other threads wait until then.
  virtual bool before_launch(const Launch& launch) = 0;
  virtual void after_launch() {}
  virtual void capture_begins() {}  ///< launches into some stream become nodes of a graph
  virtual void capture_ends() {}
  /// Called when a captured launch on this thread has made a node of a CUDA graph.
  virtual void node_begins(std::uint64_t /*node*/) {}
  /// Called when a node of another graph (such as an executable one) is a copy of `original`.
  virtual void node_is_copied(std::uint64_t /*node*/, std::uint64_t /*original*/) {}
  virtual void profiler_starts() {}  ///< cudaProfilerStart has returned
  virtual void profiler_stops() {}   ///< cudaProfilerStop begins
  virtual void context_begins(void* /*context*/) {}
  virtual void context_ends(void* /*context*/) {}
};

/// Watches every launch of the process through CUPTI's callbacks on the driver's launch functions
/// (including Ex and per-thread-stream variants). Only one such subscriber can exist in a process.
class LaunchWatch {
 public:
  /// Subscribes. Throws CuptiError: 39 when another profiler is subscribed.
  LaunchWatch(std::shared_ptr<const CuptiLibrary> cupti, LaunchListener& listener);
  ~LaunchWatch();
  LaunchWatch(const LaunchWatch&) = delete;
  LaunchWatch& operator=(const LaunchWatch&) = delete;

  /// Turns reports of launches on or off: while off, a launch costs nothing. Off at first.
  void watch_launches(bool on);
  /// Ends reports to make room for another subscriber. Must not be called in a callback.
  void unsubscribe() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether an error means that another process counts on the device, which may end soon.
[[nodiscard]] bool is_held_by_another(const CuptiError& error);

/// Explains a failed call with advice; names a conflicting subscriber if it gave its name.
[[nodiscard]] CounterFault fault_of(const CuptiLibrary& cupti, const CuptiError& error);

}  // namespace rooflab::profile
