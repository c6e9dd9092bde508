#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/describe/figure_key.hpp"
#include "rooflab/describe/note_sentence.hpp"
#include "rooflab/findings/try_line.hpp"

/// Every kind of finding, described once: what it says, what it means and what to do. Sentences,
/// JSON and the tables of docs/methods/findings.md follow from the rows.
namespace rooflab::findings {

/// A cause of lost time in a result, or a remark about it.
enum class FindingKind : std::uint8_t {
  host_wait,
  small_batch,
  data_loading,
  blocking_copies,
  layout_conversion,
  cuda_core_products,
  memory_bound,
  channel_padding,
  unaligned_size,
  recomputation,
  short_kernels,
  optimizer,
  exposed_communication,
  unbalanced_ranks,
  clocks_held_down,
  far_from_roofs,
  low_occupancy,
  long_kernel,
  tensor_cores_used,
  limit_far_below,
  faster_than_limit,
  outside_interval,
  first_call,
  mixed_batches,
  scaling_efficiency,
  memory_of_ranks,
  ended_early,
  above_prediction,
  no_expectation,
};

/// Figures of a sentence in order, by their keys in JSON.
class FigureKeys {
 public:
  template <std::convertible_to<const char*>... Keys>
  // NOLINTNEXTLINE(google-explicit-constructor): a row writes the keys in braces
  consteval FigureKeys(Keys... keys) : figures_{&FigureKey(keys).figure()...} {}

  /// Figure number `i`; nullptr after the last one.
  [[nodiscard]] constexpr const Figure* operator[](std::size_t i) const {
    return i < figures_.size() ? figures_[i] : nullptr;
  }

 private:
  std::array<const Figure*, 6> figures_;
};

/// A kind of finding. Shares are fractions.
struct FindingRow {
  FindingKind kind = {};
  NoteSentence sentence = {};  ///< the kind's name, and its sentence with the figures
  FigureKeys keys = {};        ///< figures of the sentence
  double least = 0.0;          ///< smallest share that is reported
  std::string_view of = "";    ///< the whole of the share, or a further condition
  std::string_view meaning = {};
  std::string_view advice = {};
  std::optional<TryLine> line = {};  ///< line to try, unless the case suggests another
  std::string_view besides = "";     ///< advice that only some cases can follow
};

inline constexpr std::array finding_table = std::to_array<FindingRow>({
    {FindingKind::host_wait,
     {"host_wait",
      "the device waits for the host during {share:.0f} of the step< of {} kernel launches><:"
      " {share:.0f} in CPU ops, {share:.0f} in calls of the runtime, {share:.0f} in neither><:"
      " {share:.0f} in calls of the runtime>"},
     {"waiting_share", "launches_per_step", "cpu_op_share", "runtime_share", "outside_share",
      "runtime_share"},
     0.10,
     "of the step",
     "The host issues kernels more slowly than the device runs them.",
     "Give each launch more work: a larger batch, torch.compile, or a captured CUDA graph.",
     TryLine::compile_graphs},
    {FindingKind::small_batch,
     {"small_batch",
      "the batch is small for the device<: the kernels fill {share:.0f} of its"
      " multiprocessors><: with {} instead of {} samples a sample is expected to take {share:.0f}"
      " less>"},
     {"sm_efficiency_busy_share", "larger_batch", "batch", "sample_gain_share"},
     0.10,
     "of a sample's time, or 30 % of the multiprocessors idle",
     "Fixed costs of launches and half-empty kernels are spread over few samples.",
     "Use a larger batch, as far as memory and training allow.",
     TryLine::larger_batch},
    {FindingKind::data_loading,
     {"data_loading", "the step waits for data during {share:.0f} of its time"},
     {"wait_share"},
     0.05,
     "of the step",
     "The next batch is not ready when the device has finished the last one.",
     "Load the data in more worker processes, ahead of the step, or store them decoded.",
     TryLine::load_ahead},
    {FindingKind::blocking_copies,
     {"blocking_copies",
      "copies from pageable memory take {share:.1f} of the step, while no kernel runs<: {bytes} a"
      " step>"},
     {"copy_share", "copied_bytes"},
     0.02,
     "of the step",
     "A copy from pageable memory goes through a buffer of the driver, and the host waits for it.",
     "Pin the memory of the batches and copy them without waiting.",
     TryLine::pin_batch},
    {FindingKind::layout_conversion,
     {"layout_conversion",
      "<{share:.0f} of kernel time converts layouts ({})><{share:.0f} of the predicted device time"
      " is convolutions of channels-first data, which tensor cores want channels-last>"},
     {"conversion_share", "kernel_names", "conversion_share"},
     0.05,
     "of kernel time, or of the predicted time",
     "cuDNN's kernels for tensor cores want channels-last data, and convert what comes otherwise.",
     "Keep images and convolutions in the channels-last layout.",
     TryLine::channels_last},
    {FindingKind::cuda_core_products,
     {"cuda_core_products",
      "{share:.0f} of the time is matrix work in FP32 on CUDA cores< (most in {})>, although"
      " tensor cores offer {}"},
     {"cuda_core_share", "kernel_names", "faster_path"},
     0.10,
     "of the time",
     "Matrix products and convolutions leave the tensor cores idle.",
     "Use automatic mixed precision; in FP16 a training scales its loss.",
     {},
     "TF32 keeps all data in FP32."},
    {FindingKind::memory_bound,
     {"memory_bound",
      "{share:.0f} of the limit is work that the memory bounds: as one fused op the network has a"
      " limit of {s} instead of {s}"},
     {"memory_bound_share", "ideal_s", "limit_s"},
     0.50,
     "of the limit",
     "Most time goes into moving intermediate results to memory and back.",
     "Fuse elementwise ops and normalizations with their neighbours.",
     TryLine::compile,
     "A 16-bit type halves what is moved."},
    {FindingKind::channel_padding,
     {"channel_padding",
      "{} convolution[|s] (the first: {}) sum[s|] over {} terms, and tensor cores want a multiple "
      "of"
      " {}: {share:.1f} of the step"},
     {"layer_count", "node", "summed_terms", "multiple", "time_share"},
     0.02,
     "of the step",
     "Kernels for tensor cores pad channels with zeros and multiply these too.",
     "Choose channels that are multiples of it; pad the images, and the weights of the first "
     "layer.",
     {}},
    {FindingKind::unaligned_size,
     {"unaligned_size",
      "{} matrix product[|s] (the first: {}) [has|have] a size of {}, which is not a multiple of "
      "{}:"
      " {share:.1f} of the step"},
     {"layer_count", "node", "size", "multiple", "time_share"},
     0.02,
     "of the step",
     "Rows that are not aligned to 16 bytes are loaded in small pieces, or not by tensor cores.",
     "Pad the size to the next multiple, for example a vocabulary of 50257 to 50304.",
     {}},
    {FindingKind::recomputation,
     {"recomputation",
      "{share:.0f} of kernel time repeats forward ops in the backward pass< (most in {})>"},
     {"recomputed_share", "op"},
     0.05,
     "of kernel time",
     "Checkpointing drops activations to save memory, and computes them again.",
     "Checkpoint fewer blocks, as far as the memory allows.",
     TryLine::fewer_checkpoints},
    {FindingKind::short_kernels,
     {"short_kernels",
      "{} of {} kernels of the step take less than 5 us each, together {share:.0f} of kernel time"},
     {"short_launches", "launches_per_step", "kernel_share"},
     0.10,
     "of kernel time, and half of the launches",
     "Each does less work than its launch costs.",
     "Fuse them: torch.compile, fused optimizers, or fewer, larger tensors.",
     TryLine::compile},
    {FindingKind::optimizer,
     {"optimizer", "the optimizer takes {share:.0f} of the step<, with {} kernel launches>"},
     {"optimizer_share", "optimizer_launches"},
     0.10,
     "of the step",
     "The optimizer reads and writes every parameter, in many small kernels unless it is fused.",
     "Use the fused, or at least the foreach, form of the optimizer.",
     TryLine::foreach_optimizer},
    {FindingKind::exposed_communication,
     {"exposed_communication",
      "<on {} device[|s] >{share:.0f} of the step is communication that nothing hides< ({})>"},
     {"device_count", "exposed_share", "hidden_derived"},
     0.05,
     "of the step",
     "The exchange of gradients takes longer than the work that could hide it.",
     "Use a larger batch per device, larger or earlier buckets, 16-bit gradients, or a faster "
     "link.",
     {}},
    {FindingKind::unbalanced_ranks,
     {"unbalanced_ranks",
      "<on {} device[|s] >rank {} is the slowest: it computes {share:.0f} longer than the average, "
      "and"
      " the others wait for it"},
     {"device_count", "rank", "load_imbalance_share"},
     0.05,
     "longer than the average",
     "Every step takes as long as its slowest rank.",
     "Look for another program on its device, a slower device, held-down clocks, or larger "
     "samples.",
     {}},
    {FindingKind::clocks_held_down,
     {"clocks_held_down", "clocks are held down by {}<, at {share:.0f} of the boost clock>"},
     {"throttled_by", "boost_share"},
     0.05,
     "of the samples",
     "Power or heat keeps the device below the clock that its datasheet has.",
     "Look at the power limit and the cooling; a device at its power limit works as hard as it "
     "may.",
     {}},
    {FindingKind::far_from_roofs,
     {"far_from_roofs",
      "{} takes {share:.0f} of kernel time and reaches <{share:.0f} of the arithmetic peak and >"
      "{share:.0f} of the bandwidth"},
     {"name", "kernel_share", "compute_share", "bandwidth_share"},
     0.05,
     "of kernel time, below 60 % of both roofs",
     "The kernel is bound by neither: by latency, by too few threads, or by its instructions.",
     "Look at the kernel in Nsight Compute; try another algorithm, a larger batch, or a fused op.",
     {}},
    {FindingKind::low_occupancy,
     {"low_occupancy",
      "{} takes {share:.0f} of kernel time with {share:.0f} of the warps that a multiprocessor can"
      " hold"},
     {"name", "kernel_share", "occupancy_share"},
     0.05,
     "of kernel time, with an occupancy below 25 %",
     "Few warps hide little latency; kernels for tensor cores are made for few warps.",
     "Look at registers and shared memory per block in Nsight Compute.",
     {}},
    {FindingKind::long_kernel,
     {"long_kernel", "one kernel takes {share:.0f} of kernel time: {}"},
     {"kernel_share", "name"},
     0.25,
     "of kernel time",
     "Whatever else is improved, this kernel remains.",
     "Begin there: another algorithm, precision or layout for this op.",
     {}},
    {FindingKind::tensor_cores_used,
     {"tensor_cores_used",
      "{share:.0f} of kernel time is on tensor cores, by the names of the kernels"},
     {"tensor_core_share"},
     0.01,
     "of kernel time",
     "How much of the time is work that tensor cores do.",
     "",
     {}},
    {FindingKind::limit_far_below,
     {"limit_far_below", "the prediction is {:.1f} times the limit: {s} against {s}"},
     {"predicted_ratio", "predicted_s", "limit_s"},
     4.0,
     "times the limit",
     "Most of the time is not the arithmetic or traffic of the roofline, but what the other "
     "findings"
     " name: launches, small kernels, conversions.",
     "Do not take the limit for a goal of this case.",
     {}},
    {FindingKind::faster_than_limit,
     {"faster_than_limit", "{s} is less than the limit of {s}: the result is suspect"},
     {"median_s", "limit_s"},
     0.95,
     "of the limit or less",
     "The limit belongs to another clock, device or algorithm, or its roofs were measured on a busy"
     " machine.",
     "Measure the roofs again, or look for convolutions by Winograd, which do less arithmetic.",
     {}},
    {FindingKind::outside_interval,
     {"outside_interval", "the measured {s} is outside the predicted interval of {s} to {s}"},
     {"median_s", "predicted_low_s", "predicted_high_s"},
     0.0,
     "nine in ten cases are inside",
     "Something in this run is not as in the runs that the prediction rests on.",
     "Look at clocks, other programs and the versions of the libraries; probe the device again.",
     {}},
    {FindingKind::first_call,
     {"first_call", "the first call takes {s}, {:.0f} times a step"},
     {"first_call_s", "first_call_ratio"},
     100.0,
     "times a step",
     "Loading kernels and choosing algorithms costs as much as many steps: short jobs are set-up.",
     "Keep the process alive between jobs, or store compiled kernels.",
     {}},
    {FindingKind::mixed_batches,
     {"mixed_batches",
      "both batches, a device's and the global one, differ between the rows ({}): the rows do"
      " different work, and the speed-up is unknown"},
     {"row_batches"},
     0.0,
     "neither batch is the same in all rows",
     "Times of different work cannot be compared.",
     "Keep the batch of each device the same (weak scaling), or the global one (strong scaling).",
     {}},
    {FindingKind::scaling_efficiency,
     {"scaling_efficiency",
      "{} devices are {:.2f} times as fast as one ({} scaling, batch {} per device, {} in all):"
      " {share:.0f} efficiency"},
     {"device_count", "speedup", "scaling", "batch_per_device", "global_batch", "efficiency_share"},
     0.0,
     "several devices were measured, and one alone",
     "How much of the devices that were added is used.",
     "",
     {}},
    {FindingKind::memory_of_ranks,
     {"memory_of_ranks",
      "{} devices take {bytes} in all, {:.2f} times the {bytes} of one<: the batch is divided, so"
      " its activations are there once in all; only {bytes} (model, gradients, optimizer state,"
      " buckets, context) are there on each device><: each device has activations of its batch,"
      " and {bytes} of model, gradients, optimizer state, buckets and context>"},
     {"device_count", "all_memory_bytes", "memory_ratio", "one_memory_bytes", "replicated_bytes",
      "replicated_bytes"},
     0.0,
     "the memory of several devices is known, and that of one",
     "Data parallelism divides the batch, not the model: activations are divided, the rest is "
     "repeated.",
     "To hold less of the rest on each device, shard it (FullyShardedDataParallel).",
     {}},
    {FindingKind::ended_early,
     {"ended_early", "on {} device[|s] the run ended early ({}): {}"},
     {"device_count", "status", "message"},
     0.0,
     "the run's status is not ok",
     "The figures are of a part of the run, or missing.",
     "",
     {}},
    {FindingKind::above_prediction,
     {"above_prediction", "{} takes {s} of kernels a step, where {s} is predicted"},
     {"op_class", "time_s", "predicted_s"},
     0.05,
     "of the step more than is predicted for its class of ops",
     "These ops run in another way than the predicted ones: other algorithms, layouts or types, or"
     " work that the network does not have.",
     "Look at the kernels of these ops, and at what the other findings say of them.",
     {}},
    {FindingKind::no_expectation,
     {"no_expectation", "no limit and no prediction: no figures of {} are known"},
     {"device_name"},
     0.0,
     "a measured step, a device without figures",
     "A time alone does not say how fast the step could be, or why it is not faster.",
     "Measure the device's roofs and ops, then measure the network once more with --calibration"
     " FILE.",
     {}},
});

constexpr auto names_in_order(For<FindingKind>) {
  std::array<std::string_view, finding_table.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = finding_table[i].sentence.code;
  return names;
}

[[nodiscard]] constexpr const FindingRow& row_of(FindingKind kind) {
  return finding_table.at(static_cast<std::size_t>(kind));
}

static_assert(
    [] {
      for (std::size_t i = 0; i < finding_table.size(); ++i) {
        if (static_cast<std::size_t>(finding_table[i].kind) != i) return false;
      }
      return finding_table.size() == static_cast<std::size_t>(FindingKind::no_expectation) + 1;
    }(),
    "a row for each kind, in their order");

}  // namespace rooflab::findings
