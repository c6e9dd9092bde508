#pragma once

#include <span>
#include <string>

#include "finding_list.hpp"
#include "result_facts.hpp"
#include "rooflab/training/training_advice.hpp"

/// The rules of findings by their input. Each adds a finding where it applies; the head of its
/// source describes its method and the saving.
namespace rooflab::findings {

void add_host_wait(const TraceFacts& trace, FindingList& found);
void add_small_batch(const TraceFacts& trace, FindingList& found);
void add_data_loading(const TraceFacts& trace, FindingList& found);
void add_blocking_copies(const TraceFacts& trace, FindingList& found);
void add_layout_conversion(const TraceFacts& trace, FindingList& found);
void add_cuda_core_products(const TraceFacts& trace, FindingList& found);
void add_recomputation(const TraceFacts& trace, FindingList& found);
void add_short_kernels(const TraceFacts& trace, FindingList& found);
void add_optimizer(const TraceFacts& trace, FindingList& found);
void add_exposed_communication(const TraceFacts& trace, FindingList& found);
void add_long_kernel(const TraceFacts& trace, FindingList& found);
void add_tensor_cores_used(const TraceFacts& trace, FindingList& found);
void add_above_prediction(const TraceFacts& trace, FindingList& found);

void add_cuda_core_products(const CounterFacts& counters, FindingList& found);
void add_layout_conversion(const CounterFacts& counters, FindingList& found);
void add_far_from_roofs(const CounterFacts& counters, FindingList& found);
void add_low_occupancy(const CounterFacts& counters, FindingList& found);

// Rules for a network, predicted or measured.
void add_layout_conversion(const NetworkFacts& network, FindingList& found);
void add_cuda_core_products(const NetworkFacts& network, FindingList& found);
void add_memory_bound(const NetworkFacts& network, FindingList& found);
void add_channel_padding(const NetworkFacts& network, FindingList& found);
void add_unaligned_size(const NetworkFacts& network, FindingList& found);
void add_optimizer(const NetworkFacts& network, FindingList& found);
// Rules for predictions only.
void add_host_wait(const NetworkFacts& network, FindingList& found);
void add_small_batch(const NetworkFacts& network, FindingList& found);
void add_limit_far_below(const NetworkFacts& network, FindingList& found);

void add_host_wait(const analyze::MeasuredCase& measured, FindingList& found);
void add_data_loading(const analyze::MeasuredCase& measured, FindingList& found);
void add_clocks_held_down(const analyze::MeasuredCase& measured, FindingList& found);
void add_faster_than_limit(const analyze::MeasuredCase& measured, FindingList& found);
void add_outside_interval(const analyze::MeasuredCase& measured, FindingList& found);
void add_no_expectation(const analyze::MeasuredCase& measured, FindingList& found);
void add_first_call(const analyze::MeasuredCase& measured, FindingList& found);

void add_host_wait(const analyze::ScalingRow& row, FindingList& found);
void add_exposed_communication(const analyze::ScalingRow& row, FindingList& found);
void add_unbalanced_ranks(const analyze::ScalingRow& row, FindingList& found);
void add_ended_early(const analyze::ScalingRow& row, FindingList& found);
void add_mixed_batches(const analyze::ScalingSeries& series, FindingList& found);
void add_scaling_efficiency(const analyze::ScalingSeries& series, FindingList& found);
void add_memory_of_ranks(const analyze::ScalingSeries& series, FindingList& found);
void add_unbalanced_ranks(const trace::TraceJob& job, FindingList& found);

/// Adds findings from advice on training. `command`: command line that repeats the training.
void add_training_advice(std::span<const training::TrainingAdvice> advice,
                         const std::string& command, FindingList& found);

}  // namespace rooflab::findings
