#pragma once

#include <array>
#include <string_view>

/// Every sentence that the program says about a result, by its code. `{}` stands for the note's
/// next value; the second sentence is the one where the first count among them is not 1.
namespace rooflab {

struct NoteSentence {
  std::string_view code;
  std::string_view one;
  std::string_view many = {};
};

inline constexpr std::array note_table = std::to_array<NoteSentence>({
    {"sentence", "{}"},

    // Predictions
    {"neighbouring_kinds",
     "{} of the time is of kinds that were not measured; it comes from"
     " neighbouring kinds."},
    {"roofline_kinds",
     "{} of the time is of kinds without a measurement near them; it is their"
     " roofline's."},
    {"op_without_rule", "'{}' has no rule; its time is not in the prediction."},
    {"carried_over", "Predicted from measurements on {}; the interval is wider."},
    {"carried_from_other_maker",
     "No device of {} was measured. Predicted from measurements on another"
     " maker's ({}); the interval is wide."},
    {"no_tf32", "{} has no TF32 units; FP32 is used instead."},
    {"no_fp16_tensor_cores",
     "{} has no FP16 tensor cores; products with FP32 accumulation run on the"
     " FP32 units."},
    {"limit_lacks", "No limit: {}."},
    {"causal_attention",
     "Causal attention is counted in full; its visible half alone has {} MACs."},
    {"ops_not_counted", "Not counted: {} x {}."},
    {"no_prediction_without_limit",
     "No prediction: {} has no limit to carry a measurement over by."},
    {"host_left_out", "The time leaves out the host: no calibration has issue costs."},
    {"host_of_other_machine",
     "Issue costs were measured on another machine ({}); yours may take half"
     " or twice as long."},
});

}  // namespace rooflab
