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

/// Device memory of one case, in bytes. Unknown parts are null and named in `unknown`; sums then
/// hold the known parts only.
struct MemoryEstimate {
  Bytes parameters;
  Bytes buffers;                   ///< running statistics and constants
  Bytes gradients;                 ///< gradients of parameters (training)
  Bytes optimizer;                 ///< its state (training)
  Bytes input;                     ///< the network's input and the labels
  Bytes saved_activations;         ///< held by autograd after the forward pass, the output included
  Bytes peak_activations;          ///< largest sum of activations and their gradients alive at once
  std::optional<Bytes> workspace;  ///< workspace of the libraries' algorithms
  Bytes allocated_peak;            ///< largest sum alive of everything above (max_memory_allocated)
  Bytes reserved;                  ///< after the caching allocator's rounding and segments
  std::optional<Bytes> context;    ///< memory of the driver and the libraries
  Bytes total;                     ///< reserved and context
  Bytes most_total;  ///< the same with the largest plausible workspaces; decides `fits`
  std::vector<std::string> unknown;
};
[[nodiscard]] std::span<const Field> fields_of(For<MemoryEstimate>);

/// What a calibrated device adds to the tensors.
struct LibraryMemory {
  std::vector<Workspace> workspace;  ///< one for each scheduled op; held while it runs
  Bytes kept;                        ///< what the libraries keep from step to step: cuBLAS's own
  std::optional<Bytes> context;      ///< memory of the driver and the libraries
  std::vector<std::string> unknown;  ///< ops whose workspace was never observed
};

/// When a training step drops the gradients of the step before.
enum class GradientReset {
  after_loss,      ///< between loss and backward: they live through the forward pass
  before_forward,  ///< they never meet the activations
};

/// Without `library` workspace and context are unknown.
[[nodiscard]] MemoryEstimate estimate_memory(const schedule::Schedule& schedule,
                                             GradientReset reset = GradientReset::after_loss,
                                             const LibraryMemory* library = nullptr);

/// The estimate for steps that end within `device_memory`, the context
/// included; nullopt: they do not end. Nearer to the edge than `estimate_memory`: the allocator
/// gives idle segments back before it fails, and an op whose workspace finds no room runs another
/// algorithm, at the price of time. So peak, reserved, total and workspace are those of such steps,
/// and never exceed the memory. An unknown context counts as nothing here.
[[nodiscard]] std::optional<MemoryEstimate> memory_within(
    const schedule::Schedule& schedule, Bytes device_memory,
    GradientReset reset = GradientReset::after_loss, const LibraryMemory* library = nullptr);

enum class Verdict { fits, tight, oom };
constexpr auto names_in_order(For<Verdict>) {
  return names_through<Verdict::oom>("fits", "tight", "oom");
}

/// `fits` needs a margin of 10 % for `most_total` and nothing unknown; `total` beyond what the
/// device has is `oom`.
struct Fit {
  Verdict verdict = Verdict::tight;
  double margin = 0.0;  ///< (device memory - total) / device memory; negative when it does not fit
};
[[nodiscard]] Fit fit(const MemoryEstimate& memory, Bytes device_memory);

/// Workspaces of a schedule's ops from a calibration, and the process's other memory. For the
/// calibrated device itself: workspaces belong to a library's kernels for one architecture and are
/// not carried over to another device (nullopt).
[[nodiscard]] std::optional<LibraryMemory> library_memory(const schedule::Schedule& schedule,
                                                          const TimeModel& model);

}  // namespace rooflab::predict
