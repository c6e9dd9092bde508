#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  std::vector<std::string> unknown;
};

/// When a training step drops the gradients of the step before.
enum class GradientReset {
  after_loss,      ///< between loss and backward: they live through the forward pass
  before_forward,  ///< they never meet the activations
};

[[nodiscard]] MemoryEstimate estimate_memory(const schedule::Schedule& schedule,
                                             GradientReset reset = GradientReset::after_loss);

enum class Verdict { fits, tight, oom };
[[nodiscard]] std::string_view name_of(Verdict verdict);

/// `fits` needs a margin of 10 % and nothing unknown; more than the device has is `oom`.
struct Fit {
  Verdict verdict = Verdict::tight;
  double margin = 0.0;  ///< (device memory - total) / device memory; negative when it does not fit
};
[[nodiscard]] Fit fit(const MemoryEstimate& memory, Bytes device_memory);

}  // namespace rooflab::predict
