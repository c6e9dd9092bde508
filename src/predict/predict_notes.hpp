#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::predict {

/// What a prediction rests on, and what it does not know.
struct Sentences {
  NoteSentence neighbouring_kinds{
      "neighbouring_kinds",
      "{share:.0f} of the time is estimated from similar kinds of ops, because these were not"
      " measured"};
  NoteSentence roofline_kinds{
      "roofline_kinds",
      "{share:.0f} of the time is taken from a roofline, because no similar op was measured"};
  NoteSentence memory_time_in_doubt{
      "memory_time_in_doubt",
      "the time of {} is in doubt: it is {:.1f} times what its bytes need, which no measured op of"
      " such sizes on {} confirms",
      NoteRank::changes};
  NoteSentence rough_calibration{
      "rough_calibration",
      "the calibration is rough: {share:.0f} of the time comes from kinds with few measurements"
      " and an error above 30 %: probe longer (probe --add FILE --ops-time 170)",
      NoteRank::changes};
  NoteSentence op_without_rule{
      "op_without_rule", "'{}' has no rule: its time is not in the prediction", NoteRank::changes};
  NoteSentence carried_over{"carried_over", "times are carried over from measurements on {}"};
  NoteSentence carried_from_other_maker{
      "carried_from_other_maker",
      "no device of {} was measured: times are carried over from another maker's ({}), and the"
      " interval is wide"};
  NoteSentence graph_replay{
      "graph_replay",
      "a CUDA graph is replayed: the host takes {s} to launch a step, and the device takes {s} for"
      " the shortest kernel"};
  NoteSentence graph_kernel_assumed{
      "graph_kernel_assumed",
      "no calibration has the shortest kernel of a replayed graph (launch.graph_kernel): {s} is"
      " {}; the interval reaches from {s} to {s}"};
  NoteSentence graph_launch_assumed{
      "graph_launch_assumed",
      "no calibration has the launch of a graph (launch.graph_launch): {s} is NVIDIA's published"
      " 2.5 us + 1 ns a kernel; the interval reaches to the {s} of versions before CUDA 12.6"};
  NoteSentence graph_needs_fixed_sizes{"graph_needs_fixed_sizes",
                                       "a CUDA graph needs tensors of fixed sizes: the KV cache of "
                                       "this step is made anew each time"};
  NoteSentence step_exchanges{
      "step_exchanges",
      "a step sends {} message[|s] among {} devices, {bytes} in all, which takes {s} alone,"
      " {share} of it behind other work; the link is {}"};
  NoteSentence exchange_without_link{
      "exchange_without_link",
      "{} message[|s] to other devices [is|are] not in the predicted time: the link of {} is not"
      " known (--link names one)",
      NoteRank::changes};
  NoteSentence wrapped_ops_unknown{
      "wrapped_ops_unknown",
      "the host's cost of {} operation[|s] of tensor subclasses (DTensor) is not known (rooflab"
      " probe --only host measures it): the interval is wider",
      NoteRank::changes};
  NoteSentence overlap_not_measured{
      "overlap_not_measured",
      "it was not measured how much all-reduces and kernels slow each other (rooflab probe --links"
      " does so): kernels are taken to lose the multiprocessors that an all-reduce keeps,"
      " all-reduces nothing, and the interval is wider"};
};
inline constexpr Sentences says{};

}  // namespace rooflab::predict
