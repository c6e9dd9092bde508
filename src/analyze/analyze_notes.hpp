#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::analyze {

/// What a result says about its limit, its prediction, its steps and its counters.
struct Sentences {
  NoteSentence no_tf32{"no_tf32", "{} has no TF32 units: FP32 instead"};
  NoteSentence no_fp16_tensor_cores{
      "no_fp16_tensor_cores",
      "{} has no FP16 tensor cores: products with FP32 accumulation run on the FP32 units"};
  NoteSentence amp_is_fp16{"amp_is_fp16", "amp is fp16 on a device that does not compute bf16"};
  NoteSentence limit_lacks{"limit_lacks", "no limit: {}", NoteRank::changes};
  NoteSentence device_unknown{
      "device_unknown",
      "no limit: '{}' has no device file; `rooflab probe --save my.toml` measures its roofs for"
      " --calibration my.toml",
      NoteRank::changes};
  NoteSentence roofs_unknown{"roofs_unknown",
                             "no roofs: no device file describes '{}' here (--devices-dir)",
                             NoteRank::changes};
  NoteSentence limit_of_other_device{
      "limit_of_other_device", "the limit is that of {}, the steps ran on {}", NoteRank::changes};
  NoteSentence causal_attention{
      "causal_attention",
      "causal attention is counted in full; the visible half alone makes {:si} MACs"};
  NoteSentence ops_not_counted{"ops_not_counted", "not counted: {} x {}", NoteRank::changes};
  NoteSentence answer_not_counted{
      "answer_not_counted",
      "no expected time and no verdict: {} is not counted, and its work or memory may be large",
      NoteRank::changes};
  NoteSentence time_not_counted{
      "time_not_counted",
      "no expected time: {} is not counted, and works far longer than its bytes take to move",
      NoteRank::changes};
  NoteSentence no_prediction_without_limit{
      "no_prediction_without_limit",
      "no prediction: without a limit of {} nothing can be carried over to it", NoteRank::changes};
  NoteSentence host_left_out{"host_left_out",
                             "host overhead is not included: no calibration has issue costs"};
  NoteSentence host_of_other_machine{
      "host_of_other_machine",
      "launch overhead was measured on another machine ({}); on yours it may be half or double<"
      " ({})>"};
  NoteSentence host_at_hand{"host_at_hand",
                            "issue costs were measured behind the steps, on the same host< ({})>"};
  NoteSentence link_published{"link_published",
                              "times of all-reduces are published ones: {}< ({})>"};
  NoteSentence link_of_other_device{
      "link_of_other_device", "times of all-reduces are those of {}, which has the same link"};
  NoteSentence overlap_of_other_device{
      "overlap_of_other_device",
      "how much all-reduces and kernels slow each other was measured on {}, which has the same"
      " link"};
  NoteSentence above_measured_roofs{
      "above_measured_roofs",
      "faster than the roofs allow: {:.2f}x the limit's time<, {share:.0f} of peak>; the"
      " calibration was made on a busy machine: probe again",
      NoteRank::changes};
  NoteSentence above_datasheet_roofs{
      "above_datasheet_roofs",
      "faster than the roofs allow: {:.2f}x the limit's time<, {share:.0f} of peak>; an algorithm"
      " with less arithmetic (Winograd, FFT), data in a cache, or a clock above the datasheet's",
      NoteRank::changes};
  NoteSentence steps_nested{
      "steps_nested",
      "{} range[|s] that would mark a step lie[s|] in another step: the outer ones are the steps",
      NoteRank::changes};
  NoteSentence steps_overlapping{
      "steps_overlapping",
      "{} step[|s] begin[s|] before the one before has ended, which cuts [it|them]: steps take"
      " longer than said",
      NoteRank::changes};
  NoteSentence steps_of_other_threads{
      "steps_of_other_threads",
      "{} range[|s] that would mark a step [is|are] of other threads or processes, at the same"
      " time: the steps are those of the thread that launches most",
      NoteRank::changes};
  NoteSentence above_roof{
      "above_roof",
      "{} reaches {share} of a roof of {}: more than it can: another device ran (--device), or"
      " counters are wrong",
      NoteRank::changes};
  NoteSentence only_timed{"only_timed", "kernels were timed, not counted: the warnings say why",
                          NoteRank::changes};
  NoteSentence counted{
      "counted",
      "counted on {} in {s}, after {s} of programming the counters: {} metric[|s] in {} pass[|es],"
      " one per step, {} over a whole step, {} kernel by kernel; times are of steps without"
      " counters"};
  NoteSentence launches_dropped{
      "launches_dropped",
      "{} launch[|es] [has|have] no counter value: their steps differed from the others",
      NoteRank::changes};
  NoteSentence counted_work{
      "counted_work",
      "counted {flop}: {}<; the model has {flop} (products {:si}, the rest {:si}): {:.3f} times as"
      " much>"};
  NoteSentence counted_traffic{
      "counted_traffic",
      "DRAM moved {bytes}<, {:.2f} times the compulsory {bytes}><; L2 was asked for {bytes}>"};
  NoteSentence counted_step{"counted_step", "a whole step, its kernels concurrent: {}"};
  NoteSentence steps_not_alike{
      "steps_not_alike",
      "Tensor cores: {flop} in a whole step, {flop} summed over its kernels: the steps were not"
      " alike.",
      NoteRank::changes};
  NoteSentence tensor_work_not_all_counted{
      "tensor_work_not_all_counted",
      "Tensor cores: {flop} in a whole step, {flop} summed over its kernels: not every launch was"
      " counted.",
      NoteRank::changes};
  NoteSentence traffic_one_by_one{
      "traffic_one_by_one",
      "DRAM: {bytes} in a whole step, {bytes} summed over its kernels: counted one by one, each"
      " kernel waits for the one before it, and what L2 still holds or has written back can differ"
      " from a step that runs freely."};
  NoteSentence traffic_not_all_counted{
      "traffic_not_all_counted",
      "DRAM: {bytes} in a whole step, {bytes} summed over its kernels: not every launch was"
      " counted.",
      NoteRank::changes};
  NoteSentence kernels_without_figure{"kernels_without_figure", "{} of {} kernels have {}",
                                      NoteRank::changes};
  NoteSentence kernels_without_node{"kernels_without_node",
                                    "{} kernel[ belongs|s belong] to no node of the network",
                                    NoteRank::changes};
  NoteSentence layers_without_kernel{"layers_without_kernel",
                                     "expected work but no kernel recorded: {}", NoteRank::changes};
  NoteSentence constant_moves_left_out{
      "constant_moves_left_out",
      "HFMA instructions that only move constants ({flop}) are excluded"};
  NoteSentence counting_conventions{
      "counting_conventions",
      "conventions: a multiply-accumulate is 2 FLOP, an fp16 instruction does two lanes, HFMA"
      " instructions that only move constants are excluded, tensor cores count dense operations"};
};
inline constexpr Sentences says{};

}  // namespace rooflab::analyze
