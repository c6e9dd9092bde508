#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::analyze {

/// What a result says about its limit, its prediction, its steps and its counters.
struct Sentences {
  NoteSentence no_tf32{"no_tf32", "{} has no TF32 units: FP32 is used instead"};
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
  NoteSentence limit_of_other_device{"limit_of_other_device",
                                     "the limit is that of {}, but the steps ran on {}",
                                     NoteRank::changes};
  NoteSentence other_worker{
      "other_worker",
      "{} ran the steps: no time is predicted, because the calibrations have PyTorch's ops",
      NoteRank::explains};
  NoteSentence causal_attention{
      "causal_attention",
      "causal attention is counted in full; the visible half alone makes {:si} MACs"};
  NoteSentence ops_not_counted{"ops_not_counted", "{} x {} [is|are] not counted",
                               NoteRank::changes};
  NoteSentence answer_not_counted{
      "answer_not_counted",
      "no expected time and no verdict: {} is not counted, and its work or memory may be large",
      NoteRank::changes};
  NoteSentence time_not_counted{
      "time_not_counted",
      "no expected time: {} is not counted, and it computes far longer than it moves its bytes",
      NoteRank::changes};
  NoteSentence no_prediction_without_limit{
      "no_prediction_without_limit",
      "no prediction: measurements are carried over by limits, and the limit of {} is not known",
      NoteRank::changes};
  NoteSentence host_left_out{"host_left_out",
                             "host overhead is not included: no calibration has issue costs"};
  NoteSentence host_of_other_machine{
      "host_of_other_machine",
      "launch overhead was measured on another machine ({}); on yours it may be half or double<"
      " ({})>"};
  NoteSentence host_at_hand{"host_at_hand",
                            "issue costs were measured after the steps, on the same host< ({})>"};
  NoteSentence link_published{"link_published",
                              "times of all-reduces are from a publication: {}< ({})>"};
  NoteSentence link_of_other_device{
      "link_of_other_device", "times of all-reduces are those of {}, which has the same link"};
  NoteSentence overlap_of_other_device{
      "overlap_of_other_device",
      "how much all-reduces and kernels slow each other was measured on {}, which has the same"
      " link"};
  NoteSentence above_measured_roofs{
      "above_measured_roofs",
      "the step is faster than the roofs allow: it takes {:.2f} times the limit<, at {share:.0f}"
      " of peak>; the calibration was made on a busy machine: probe again",
      NoteRank::changes};
  NoteSentence above_datasheet_roofs{
      "above_datasheet_roofs",
      "the step is faster than the roofs allow: it takes {:.2f} times the limit<, at {share:.0f}"
      " of peak>; the cause may be an algorithm with less arithmetic (Winograd, FFT), data in a"
      " cache, or a clock above the datasheet's",
      NoteRank::changes};
  NoteSentence steps_nested{
      "steps_nested",
      "{} range[|s] that would mark a step lie[s|] in another step: the outer ones are the steps",
      NoteRank::changes};
  NoteSentence steps_overlapping{
      "steps_overlapping",
      "{} step[|s] begin[s|] before the step before ends, so [it is|they are] cut: real steps take"
      " longer than shown",
      NoteRank::changes};
  NoteSentence steps_of_other_threads{
      "steps_of_other_threads",
      "{} range[|s] that would mark a step belong[s|] to other threads or processes that run at"
      " the same time: the steps are those of the thread with the most launches",
      NoteRank::changes};
  NoteSentence above_roof{
      "above_roof",
      "{} reaches {share} of a roof of {}, which is impossible: another device ran (--device), or"
      " counters are wrong",
      NoteRank::changes};
  NoteSentence only_timed{"only_timed", "kernels were timed, not counted: the warnings say why",
                          NoteRank::changes};
  NoteSentence counted{
      "counted",
      "counters were read on {} in {s}, after {s} to program them: {} metric[|s] in {} pass[|es],"
      " one per step, {} over a whole step, {} kernel by kernel; times are of steps without"
      " counters"};
  NoteSentence launches_dropped{
      "launches_dropped",
      "{} launch[|es] [has|have] no counter value: their steps differed from the others",
      NoteRank::changes};
  NoteSentence counted_work{
      "counted_work",
      "{flop} were counted: {}<; the model has {flop} (products {:si}, the rest {:si}): {:.3f}"
      " times as much>"};
  NoteSentence counted_traffic{
      "counted_traffic",
      "DRAM moved {bytes}<, {:.2f} times the compulsory {bytes}><; L2 was asked for {bytes}>"};
  NoteSentence counted_step{"counted_step",
                            "a whole step was counted with its kernels concurrent: {}"};
  NoteSentence steps_not_alike{
      "steps_not_alike",
      "Tensor cores did {flop} in a whole step and {flop} in the sum of its kernels: the steps"
      " were not alike.",
      NoteRank::changes};
  NoteSentence tensor_work_not_all_counted{
      "tensor_work_not_all_counted",
      "Tensor cores did {flop} in a whole step and {flop} in the sum of its kernels: not every"
      " launch was counted.",
      NoteRank::changes};
  NoteSentence traffic_one_by_one{
      "traffic_one_by_one",
      "DRAM moved {bytes} in a whole step and {bytes} in the sum of its kernels, which were"
      " counted one by one: each waits for the one before it, and what L2 still holds or has"
      " written back can differ from a step that runs freely."};
  NoteSentence traffic_not_all_counted{
      "traffic_not_all_counted",
      "DRAM moved {bytes} in a whole step and {bytes} in the sum of its kernels: not every launch"
      " was counted.",
      NoteRank::changes};
  NoteSentence kernels_without_figure{"kernels_without_figure", "{} of {} kernels have {}",
                                      NoteRank::changes};
  NoteSentence kernels_without_node{"kernels_without_node",
                                    "{} kernel[ belongs|s belong] to no node of the network",
                                    NoteRank::changes};
  NoteSentence layers_without_kernel{"layers_without_kernel",
                                     "no kernel was recorded for layers that should have work: {}",
                                     NoteRank::changes};
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
