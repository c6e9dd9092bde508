#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::task {

/// What a command says about its request and its result.
struct Sentences {
  NoteSentence setting_without_part{"setting_without_part", "{} has no part in this network: {}",
                                    NoteRank::changes};
  NoteSentence step_issued_by{"step_issued_by",
                              "step times are those of a step that is issued by '{}'"};
  NoteSentence counted_channels_last{"counted_channels_last",
                                     "images and kernels are counted in channels-last order"};
  NoteSentence rewritten{"rewritten", "{} changed {} place[|s]"};
  NoteSentence at_share_of_peak{
      "at_share_of_peak",
      "times are those at {share:.0f} of the arithmetic peak, and have no interval"};
  NoteSentence no_prediction_of_device{
      "no_prediction_of_device", "no prediction: no device file describes '{}' ({} names one)",
      NoteRank::changes};
  NoteSentence no_prediction_without_calibration{
      "no_prediction_without_calibration",
      "no prediction: a calibration for {} is missing (rooflab probe makes one)",
      NoteRank::changes};
  NoteSentence no_prediction_without_link{"no_prediction_without_link",
                                          "no prediction: {} ({} names one)", NoteRank::changes};
  NoteSentence step_is_limit{"step_is_limit",
                             "{} has no calibration: the step is the roofline's limit"};
  NoteSentence memory_incomplete{
      "memory_incomplete",
      "{}: the memory does not include {}: real capacity is lower, and nothing has the verdict"
      " 'fits'",
      NoteRank::changes};
  NoteSentence search_interrupted{
      "search_interrupted", "the search was interrupted: {} with the same folder continues it",
      NoteRank::changes};
  NoteSentence stages_share_device{
      "stages_share_device",
      "two stages on {} share its memory and take turns: the plan takes them for two devices"};
  NoteSentence cuts_thinned{"cuts_thinned",
                            "only {} of the {} places where the network can be cut were compared"};
  NoteSentence plan_by_limit{
      "plan_by_limit",
      "{} has no calibration: times are the roofline's limit, workspace and context are not in the"
      " memory"};
  NoteSentence no_gpu_sampled{"no_gpu_sampled", "No GPU was sampled: {}"};
  NoteSentence check_assumes{
      "check_assumes",
      "the check assumes {}, which neither the recording nor the command line says",
      NoteRank::changes};
  NoteSentence ops_not_read{"ops_not_read", "ops are not known: {}", NoteRank::changes};
  NoteSentence no_device_probe{"no_device_probe",
                               "no bandwidth, peaks and transfers: rooflab-probe is not installed"};
  NoteSentence no_link_partner{"no_link_partner",
                               "links were not measured: two GPUs of one model are needed"};
  NoteSentence no_link_worker{"no_link_worker", "no links: rooflab-torch is not installed"};
  NoteSentence links_failed{"links_failed", "the measurement of links failed: {}",
                            NoteRank::answers};
  NoteSentence ops_left_out{"ops_left_out", "{} of {} single ops were left out: {}"};
  NoteSentence no_python_costs{"no_python_costs", "no issue costs of PyTorch: {} is not here"};
  NoteSentence python_costs_failed{"python_costs_failed", "no issue costs of PyTorch: {}",
                                   NoteRank::answers};
  NoteSentence probe_cut_short{"probe_cut_short", "the probe ended before it was done: {}",
                               NoteRank::answers};
};
inline constexpr Sentences says{};

}  // namespace rooflab::task
