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
#include "rooflab/base/figure_key.hpp"
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
/// would be left; neighbours merge when released. Segments stay, until a limit is reached: then
/// those that hold nothing are given back before a request fails. Source: PyTorch documentation,
/// "CUDA semantics: memory management", and its allocator's documented constants.
class CachingAllocator {
 public:
  using Block = std::int64_t;

  CachingAllocator() = default;
  /// An allocator that never reserves more than `limit`.
  explicit CachingAllocator(Bytes limit) : limit_(limit.value()) {}

  /// The new block, of an allocator without a limit.
  [[nodiscard]] Block allocate(Bytes bytes);
  /// The new block; nullopt: out of memory.
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
  /// False if the limit prevents it.
  [[nodiscard]] bool reserve(std::int64_t size, bool small);
  void give_back_idle_segments();
  void list(Block block);
  void unlist(Block block);
  /// Adds the block after `first` to it.
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

/// A part of a device's memory that was not observed on the device itself, but bounded.
struct AssumedMemory {
  std::string part;    ///< `workspace`, `context`, `link buffers`
  Bytes expected;      ///< in MemoryEstimate::total
  Bytes most;          ///< in MemoryEstimate::most_total
  std::string source;  ///< whose rules or figures these are
};
[[nodiscard]] std::span<const Field> fields_of(For<AssumedMemory>);

/// Device memory of one case, in bytes. What was not observed on the device is assumed and named in
/// `assumed`; what nothing bounds is null and named in `unknown`, and the sums lack it.
struct MemoryEstimate {
  Bytes parameters;
  Bytes buffers;            ///< running statistics and constants
  Bytes gradients;          ///< gradients of parameters (training)
  Bytes optimizer;          ///< its state (training)
  Bytes input;              ///< the network's input and the labels
  Bytes saved_activations;  ///< held by autograd after the forward pass, the output included
  /// Keys and values of the tokens before: those that are there when the step ends; where it drops
  /// them all, the most at once. nullopt: the step has none.
  std::optional<Bytes> cache;
  Bytes peak_activations;  ///< largest sum of activations and their gradients alive at once
  /// Buckets of a data-parallel step: a copy of all gradients. nullopt: nothing is exchanged.
  std::optional<Bytes> exchange;
  std::optional<Bytes> workspace;  ///< workspace of the libraries' algorithms
  Bytes allocated_peak;            ///< largest sum alive of everything above (max_memory_allocated)
  Bytes reserved;                  ///< after the caching allocator's rounding and segments
  std::optional<Bytes> context;    ///< memory of the driver and the libraries
  /// Buffers of the communication library; nullopt: nothing is exchanged.
  std::optional<Bytes> communication_buffers;
  Bytes total;  ///< reserved, context and communication buffers
  /// The same with the largest plausible workspaces and context; decides `fits`.
  Bytes most_total;
  /// What no allocator and no other algorithm can do without: tensors alive at once, what the
  /// libraries keep and half of the context, as far as these were observed; decides `oom`.
  Bytes least_total;
  std::vector<AssumedMemory> assumed;
  std::vector<std::string> unknown;
  /// false: ops are left out of all figures, and what they take may be large (cost::coverage_of).
  bool counted = true;
};
/// All but `counted`.
[[nodiscard]] std::span<const Field> fields_of(For<MemoryEstimate>);

/// What the libraries and the driver add to the tensors.
struct LibraryMemory {
  std::vector<Bytes> buckets;  ///< buckets of the gradients' exchange, there all the time
  /// One for each scheduled op, held while it runs; empty: nothing says what they take.
  std::vector<Workspace> workspace;
  Bytes kept;                    ///< what the libraries keep from step to step: cuBLAS's own
  std::optional<Bytes> context;  ///< memory of the driver and the libraries; nullopt: unknown
  Bytes most_context;            ///< the largest plausible; `context` where that was observed
  /// What exchanging with other devices takes beside the tensors; nullopt: nothing is exchanged.
  std::optional<AssumedMemory> communication;
  /// Where the rules of the workspaces come from; empty: each was observed on the device.
  std::string workspace_source;
  std::string context_source;  ///< the same of the context
};

/// When a training step drops the gradients of the step before.
enum class GradientReset {
  after_loss,      ///< between loss and backward: they live through the forward pass
  before_forward,  ///< they never meet the activations
};

/// What the loop around the steps does with their tensors.
struct StepLoop {
  // NOLINTNEXTLINE(google-explicit-constructor): callers give the reset alone
  StepLoop(GradientReset when = GradientReset::after_loss, bool keeps = false)
      : reset(when), keeps_results(keeps) {}

  GradientReset reset;
  /// `out = model(x)`: the last step's result, and all that autograd still holds for it, lives
  /// until the next step's takes its name. So after a forward pass without a backward two graphs
  /// meet.
  bool keeps_results;
};

/// Without `library` workspace and context are unknown.
[[nodiscard]] MemoryEstimate estimate_memory(const schedule::Schedule& schedule, StepLoop loop = {},
                                             const LibraryMemory* library = nullptr);

/// The estimate for steps that end within `device_memory`, the context
/// included; nullopt: they do not end. Nearer to the edge than `estimate_memory`: the allocator
/// gives idle segments back before it fails, and an op whose workspace finds no room runs another
/// algorithm, at the price of time. So peak, reserved, total and workspace are those of such steps,
/// and never exceed the memory. An unknown context counts as nothing here.
[[nodiscard]] std::optional<MemoryEstimate> memory_within(const schedule::Schedule& schedule,
                                                          Bytes device_memory, StepLoop loop = {},
                                                          const LibraryMemory* library = nullptr);

enum class Verdict { fits, likely, risky, oom };
constexpr auto names_in_order(For<Verdict>) {
  return names_through<Verdict::oom>("fits", "likely", "risky", "oom");
}

/// `fits`: `most_total` leaves 10 % of the device's memory free. `likely`: `total` does. `risky`:
/// `least_total` is within the memory. `oom`: it is not. With something unknown it is at best
/// `risky`.
struct Fit {
  Verdict verdict = Verdict::risky;
  double margin = 0.0;  ///< (device memory - total) / device memory
};
/// The one judge of all commands. nullopt: ops are not counted whose memory may be large, and those
/// that are counted have room.
[[nodiscard]] std::optional<Fit> fit(const MemoryEstimate& memory, Bytes device_memory);
/// nullopt, too: nothing states the device's memory.
[[nodiscard]] std::optional<Fit> fit(const MemoryEstimate& memory, const device::Device& device);

/// Workspaces of a schedule's ops and the process's other memory on the model's target: as
/// `rooflab probe` observed them there, else by the rules of the nearest device that was probed, in
/// which case the largest plausible ones are doubled. The context of a device that was not probed
/// is that of others of its architecture (data/driver_contexts.toml). The essay is at the head of
/// library_memory.cpp.
[[nodiscard]] LibraryMemory library_memory(const schedule::Schedule& schedule,
                                           const TimeModel& model);
/// The same without any calibration: workspaces are not known.
[[nodiscard]] LibraryMemory library_memory(const device::Device& device);

/// Buffers of the library that exchanges messages with other devices, beside what its kernels keep
/// to themselves over `link`. The essay is at the head of communication_memory.cpp.
[[nodiscard]] AssumedMemory communication_memory(const LinkModel* link);

}  // namespace rooflab::predict
