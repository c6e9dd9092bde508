#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/predict/link_model.hpp"
#include "rooflab/predict/time_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// PyTorch's CUDA caching allocator, simulated: how much memory is reserved from the driver for a
/// sequence of allocations and releases.
///
/// Requests are rounded up to 512 B. Up to 1 MiB they come from 2 MiB segments; below 10 MiB from
/// 20 MiB segments; from there a segment is the request rounded up to 2 MiB. The smallest free
/// block that is large enough is taken and split when more than 512 B (small) or 1 MiB (large)
/// would be left; neighbours merge when released. Segments are kept until a limit is reached: then
/// empty ones are returned to the driver before a request fails. Source: PyTorch documentation,
/// "CUDA semantics: memory management", and its allocator's documented constants.
class CachingAllocator {
 public:
  using Block = std::int64_t;

  CachingAllocator() = default;
  /// An allocator that never reserves more than `limit`.
  explicit CachingAllocator(Bytes limit) : limit_(limit.value()) {}

  /// Allocates a block in an allocator without a limit.
  [[nodiscard]] Block allocate(Bytes bytes);
  /// Allocates a block; nullopt: out of memory.
  [[nodiscard]] std::optional<Block> try_allocate(Bytes bytes);
  void release(Block block);

  [[nodiscard]] Bytes reserved() const { return Bytes(reserved_); }
  [[nodiscard]] Bytes allocated() const { return Bytes(allocated_); }

 private:
  struct Extent {
    std::int64_t size = 0;
    std::int64_t address = 0;
    Block previous = -1;  ///< neighbours in the same segment; -1: none
    Block next = -1;
    bool small = false;
    bool free = false;
  };
  /// Free blocks by size, then address.
  using FreeList = std::set<std::tuple<std::int64_t, std::int64_t, Block>>;

  [[nodiscard]] Extent& extent(Block block) { return extents_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] FreeList& free_list(bool small) { return small ? small_free_ : large_free_; }
  [[nodiscard]] Block new_extent(const Extent& extent);
  /// Reserves a segment; false if the limit prevents it.
  [[nodiscard]] bool reserve(std::int64_t size, bool small);
  void give_back_idle_segments();
  void list(Block block);
  void unlist(Block block);
  /// Merges the block after `first` into `first`.
  void merge_with_next(Block first);

  std::vector<Extent> extents_;
  std::vector<Block> unused_;  ///< places in extents_ of blocks that were merged away
  FreeList small_free_;
  FreeList large_free_;
  std::int64_t limit_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t next_address_ = 0;
  std::int64_t reserved_ = 0;
  std::int64_t allocated_ = 0;
};

/// A part of a device's memory that is bounded but was not observed on the device itself.
struct AssumedMemory {
  std::string part = {};    ///< `workspace`, `context`, `link buffers`
  Bytes expected = {};      ///< in MemoryEstimate::total
  Bytes most = {};          ///< in MemoryEstimate::most_total
  std::string source = {};  ///< source of the rules or figures
};
[[nodiscard]] std::span<const Field> fields_of(For<AssumedMemory>);

/// Device memory of one case, in bytes. Parts that were not observed on the device are assumed and
/// named in `assumed`; parts without a bound are null, named in `unknown`, and not in the sums.
struct MemoryEstimate {
  Bytes parameters = {};
  Bytes buffers = {};            ///< running statistics and constants
  Bytes gradients = {};          ///< gradients of parameters (training)
  Bytes optimizer = {};          ///< optimizer state (training)
  Bytes input = {};              ///< the network's input and the labels
  Bytes saved_activations = {};  ///< held by autograd after the forward pass, the output included
  /// Keys and values of earlier tokens at the end of the step; if the step drops them all, the
  /// largest amount at once. nullopt: the step has none.
  std::optional<Bytes> cache = {};
  Bytes peak_activations = {};  ///< largest sum of activations and their gradients alive at once
  /// Buckets of a data-parallel step: a copy of all gradients. nullopt: nothing is exchanged.
  std::optional<Bytes> exchange = {};
  std::optional<Bytes> workspace = {};  ///< workspace of the libraries' algorithms
  Bytes allocated_peak = {};  ///< largest sum alive of everything above (max_memory_allocated)
  Bytes reserved = {};        ///< after the caching allocator's rounding and segments
  std::optional<Bytes> context = {};  ///< memory of the driver and the libraries
  /// Buffers of the communication library; nullopt: nothing is exchanged.
  std::optional<Bytes> communication_buffers = {};
  Bytes total = {};  ///< reserved, context and communication buffers
  /// `total` with the largest plausible workspaces and context; decides `fits`.
  Bytes most_total = {};
  /// Minimum for any allocator and algorithm: tensors alive at once, memory that libraries keep and
  /// half of the context, as far as these were observed; decides `oom`.
  Bytes least_total = {};
  std::vector<AssumedMemory> assumed = {};
  std::vector<std::string> unknown = {};
  /// Whether all ops with large memory are counted; if false, figures lack some
  /// (cost::coverage_of).
  bool counted = true;
};
/// Fields in JSON: all except `counted`.
[[nodiscard]] std::span<const Field> fields_of(For<MemoryEstimate>);

/// Memory that libraries and driver need in addition to the tensors.
struct LibraryMemory {
  std::vector<Bytes> buckets = {};  ///< buckets of the gradients' exchange, allocated all the time
  /// One per scheduled op, held while it runs; empty: not known.
  std::vector<Workspace> workspace = {};
  Bytes kept = {};                    ///< kept by libraries from step to step: cuBLAS's workspace
  std::optional<Bytes> context = {};  ///< memory of the driver and the libraries; nullopt: unknown
  Bytes most_context = {};            ///< largest plausible context; `context` if observed
  /// Memory for exchanging with other devices in addition to the tensors; nullopt: nothing is
  /// exchanged.
  std::optional<AssumedMemory> communication = {};
  /// Source of the workspaces' rules; empty: each was observed on the device.
  std::string workspace_source = {};
  std::string context_source = {};  ///< source of the context; empty: observed
};

/// Time at which a training step drops the gradients of the previous step.
enum class GradientReset {
  after_loss,      ///< between loss and backward: gradients live through the forward pass
  before_forward,  ///< gradients are never alive together with activations
};

/// Treatment of a step's tensors by the loop around the steps.
struct StepLoop {
  // NOLINTNEXTLINE(google-explicit-constructor): callers give the reset alone
  StepLoop(GradientReset when = GradientReset::after_loss, bool keeps = false)
      : reset(when), keeps_results(keeps) {}

  GradientReset reset = {};
  /// Whether the loop keeps the result, as in `out = model(x)`: it lives, with all that autograd
  /// holds for it, until the next result replaces it. After a forward pass without a backward one,
  /// two graphs are then alive together.
  bool keeps_results = {};
};

/// Estimates the memory of a step. Without `library`, workspace and context are unknown.
[[nodiscard]] MemoryEstimate estimate_memory(const schedule::Schedule& schedule, StepLoop loop = {},
                                             const LibraryMemory* library = nullptr);

/// Estimate for steps that must run within `device_memory`, including the context; nullopt: they
/// run out of memory. Closer to the boundary than estimate_memory(): the allocator returns idle
/// segments before it fails, and an op without room for its workspace runs a slower algorithm. So
/// peak, reserved, total and workspace never exceed the memory. An unknown context counts as zero
/// here.
[[nodiscard]] std::optional<MemoryEstimate> memory_within(const schedule::Schedule& schedule,
                                                          Bytes device_memory, StepLoop loop = {},
                                                          const LibraryMemory* library = nullptr);

enum class Verdict { fits, likely, risky, oom };
constexpr auto names_in_order(For<Verdict>) {
  return names_through<Verdict::oom>("fits", "likely", "risky", "oom");
}

/// `fits`: `most_total` leaves 10 % of the device's memory free. `likely`: `total` does. `risky`:
/// `least_total` is within the memory. `oom`: it is not. If a part is unknown, the verdict is at
/// best `risky`.
struct Fit {
  Verdict verdict = Verdict::risky;
  double margin = 0.0;  ///< (device memory - total) / device memory
};
/// Verdict on a memory estimate, used by all commands. nullopt: ops whose memory may be large are
/// not counted, and the counted ones fit.
[[nodiscard]] std::optional<Fit> fit(const MemoryEstimate& memory, Bytes device_memory);
/// Verdict on a memory estimate for a device. nullopt also where the device's memory is not known.
[[nodiscard]] std::optional<Fit> fit(const MemoryEstimate& memory, const device::Device& device);

/// Workspaces of a schedule's ops and other memory of the process on the model's target, as
/// `rooflab probe` observed them there. Else the rules of the nearest probed device are used, and
/// the largest plausible workspaces are doubled. The context of a device that was not probed is
/// that of other devices of its architecture (data/driver_contexts.toml). The essay is at the head
/// of library_memory.cpp.
[[nodiscard]] LibraryMemory library_memory(const schedule::Schedule& schedule,
                                           const TimeModel& model);
/// Memory of libraries and driver on a device without any calibration: workspaces are not known.
[[nodiscard]] LibraryMemory library_memory(const device::Device& device);

/// Buffers of the library that exchanges messages with other devices over `link`. The essay is at
/// the head of communication_memory.cpp.
[[nodiscard]] AssumedMemory communication_memory(const LinkModel* link);

}  // namespace rooflab::predict
