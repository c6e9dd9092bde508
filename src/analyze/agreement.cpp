#include "rooflab/analyze/agreement.hpp"

#include "rooflab/base/format.hpp"

namespace rooflab::analyze {

void Agreement::add(const MeasuredCase& measured, const CaseResult* prediction) {
  if (prediction == nullptr || !prediction->has_interval() || !measured.steps) return;
  const predict::StepTime& step = *prediction->prediction;
  const double median = measured.steps->median;
  ++known_;
  if (median >= step.low.value && median <= step.high.value) {
    ++within_;
  } else if (measured.host_bound) {
    ++waiting_;
  }
}

std::string Agreement::sentence() const {
  if (known_ == 0) return "";
  std::string text = format("{} of {} measured {}", within_, known_,
                            known_ == 1 ? "time is within its predicted interval"
                                        : "times are within their predicted intervals");
  if (waiting_ > 0) {
    text += format(
        "; of the others {} {} for the host, which may be slower or faster than the one that"
        " was probed",
        waiting_, waiting_ == 1 ? "waits" : "wait");
  }
  return text + ".";
}

}  // namespace rooflab::analyze
