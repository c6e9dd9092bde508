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
  std::vector<Bytes> workspace;       ///< expected for each scheduled op, while it runs
  std::vector<Bytes> most_workspace;  ///< the largest plausible
  std::vector<Bytes>
      less_workspace;            ///< workspace of the algorithm that needs less; 0: it needs none
  Bytes kept;                    ///< what the libraries keep from step to step: cuBLAS's own
  std::optional<Bytes> context;  ///< memory of the driver and the libraries
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

}  // namespace rooflab::predict
