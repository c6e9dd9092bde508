#include "remaining_time.hpp"

#include <algorithm>

namespace rooflab::probe_worker {

void RemainingTime::finish(double expected_s, double took_s) {
  constexpr double rounding_s = 1e-9;
  left_s_ = std::max(0.0, left_s_ - expected_s);
  if (left_s_ < rounding_s) left_s_ = 0.0;
  expected_s_ += expected_s;
  took_s_ += took_s;
}

double RemainingTime::seconds() const {
  constexpr double trusted_s = 3.0;  // weight of the expectation itself
  return left_s_ * (took_s_ + trusted_s) / (expected_s_ + trusted_s);
}

}  // namespace rooflab::probe_worker
