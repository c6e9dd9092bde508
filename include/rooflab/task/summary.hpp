#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rooflab/analyze/network_summary.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Counts of one network: layers, MACs, FLOPs, bytes.
struct SummaryRequest {
  static constexpr std::string_view command = "summary";

  std::string model;
  NetworkSettings network;
  std::optional<int> depth;  ///< layers deeper than this are folded into their scope
};
const Parameters& parameters_of(For<SummaryRequest>);

/// Throws Error (usage, input).
[[nodiscard]] analyze::NetworkSummary run(const SummaryRequest& request, Session& session);

}  // namespace rooflab::task
