#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// Device memory of one case, in bytes. What is not known is null and named in `unknown`; sums then
/// hold the known parts only.
struct MemoryEstimate {
  Bytes parameters;
  Bytes buffers;                   ///< running statistics and constants
  Bytes gradients;                 ///< of parameters (training)
  Bytes optimizer;                 ///< its state (training)
  Bytes input;                     ///< the network's input and the labels
  Bytes saved_activations;         ///< held by autograd after the forward pass, the output included
  Bytes peak_activations;          ///< largest sum of activations and their gradients alive at once
  std::optional<Bytes> workspace;  ///< of the libraries' algorithms
  Bytes allocated_peak;            ///< largest sum alive of everything above (max_memory_allocated)
  Bytes reserved;                  ///< after the caching allocator's rounding and segments
  std::optional<Bytes> context;    ///< of the driver and the libraries
  Bytes total;                     ///< reserved and context
  Bytes most_total;  ///< likewise with the largest workspaces to reckon with: what `fits` goes by
  std::vector<std::string> unknown;
};
[[nodiscard]] std::span<const Field> fields_of(For<MemoryEstimate>);

/// What a calibrated device adds to the tensors.
struct LibraryMemory {
  std::vector<Bytes> workspace;       ///< expected of each scheduled op, while it runs
  std::vector<Bytes> most_workspace;  ///< the most to reckon with
  std::vector<Bytes> less_workspace;  ///< of the algorithm that needs less; 0: none
  Bytes kept;                         ///< by the libraries from step to step: cuBLAS's own
  std::optional<Bytes> context;       ///< of the driver and the libraries
  std::vector<std::string> unknown;   ///< ops of which no workspace was observed
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

/// The estimate for steps that come to their end within so much device memory, the context
/// included; nullopt: they do not. Nearer to the edge than `estimate_memory`: the allocator gives
/// idle segments back before it fails, and an op whose workspace finds no room runs another
/// algorithm, at the price of time. So peak, reserved, total and workspace are those of such steps,
/// and never more than there is. A context that is not known takes nothing here.
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

}  // namespace rooflab::predict
