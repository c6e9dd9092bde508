#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rooflab/analyze/recorded_case.hpp"
#include "rooflab/task/network.hpp"

namespace rooflab::task {

/// The network that a recording is checked against. The requested settings and those that the
/// recording shows must agree, and complete each other.
class CheckedCase {
 public:
  /// `is_trace`: the times of a trace are checked, else the FLOPs of a log.
  CheckedCase(std::string model, NetworkSettings asked, const analyze::RecordedCase& shown,
              bool is_trace)
      : model_(std::move(model)), asked_(std::move(asked)), shown_(shown), is_trace_(is_trace) {}

  /// Settings with one phase, batch and precision. Settings that neither side gives are added to
  /// `assumed`. Throws Error (input) at `source` where the sides contradict each other.
  [[nodiscard]] NetworkSettings settings(const std::string& source,
                                         std::vector<std::string>& assumed) const;

 private:
  void refuse_contradictions(const std::string& source) const;

  std::string model_;
  NetworkSettings asked_;
  const analyze::RecordedCase& shown_;
  bool is_trace_;
};

}  // namespace rooflab::task
