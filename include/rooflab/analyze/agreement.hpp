#pragma once

#include <cstddef>
#include <string>

#include "rooflab/analyze/measured_case.hpp"

namespace rooflab::analyze {

/// How many measured times lie in their predicted intervals.
class Agreement {
 public:
  /// `prediction` may be nullptr, or without an interval: then the case does not count.
  void add(const MeasuredCase& measured, const CaseResult* prediction);

  /// Empty where no case counted.
  [[nodiscard]] std::string sentence() const;

 private:
  std::size_t known_ = 0;
  std::size_t within_ = 0;
  std::size_t waiting_ = 0;  ///< outside, and the device waits for the host
};

}  // namespace rooflab::analyze
