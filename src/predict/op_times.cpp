#include <algorithm>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {

std::vector<double> op_times(const StepTime& step) {
  std::vector<double> times;
  double so_far = 0.0;
  for (const OpTime& op : step.ops) {
    times.push_back(std::max(0.0, op.end_s - so_far));
    so_far = std::max(so_far, op.end_s);
  }
  return times;
}

std::vector<double> op_times(const NetworkLimit& limit) {
  std::vector<double> times;
  for (const OpLimit& op : limit.ops) {
    if (!op.time) {
      throw Error(ErrorKind::input,
                  format("some ops have no time: {}",
                         limit.missing.empty() ? "one has no cost rule" : limit.missing.front()),
                  "another device, or a calibration of this one (rooflab probe --save)");
    }
    times.push_back(op.time->value);
  }
  return times;
}

}  // namespace rooflab::predict
