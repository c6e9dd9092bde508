#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {

/// `conv2d.forward.fp32.nchw 2 64 3 16 1 9 1`: kind and sizes.
inline std::string text_of(const OpShape& shape) {
  std::string text = shape.kind();
  for (const double size : shape.sizes) text += format(" {:g}", size);
  return text;
}

/// What the ops of one pass are to the calibration, in their order; those without a shape left out.
/// `passes` holds names of passes, separated by spaces.
inline std::vector<std::string> shapes_of(const schedule::Schedule& schedule,
                                          const device::Device& device, std::string_view passes) {
  const std::vector<std::string> wanted = split(passes, ' ');
  std::vector<std::string> texts;
  for (const schedule::ScheduledOp& op : schedule.ops) {
    bool chosen = false;
    for (const std::string& pass : wanted) chosen = chosen || pass == name_of(op.pass);
    if (!chosen) continue;
    if (const std::optional<OpShape> shape = shape_of(schedule, op, device)) {
      texts.push_back(text_of(*shape));
    }
  }
  return texts;
}

}  // namespace rooflab::predict
