#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/note.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Counts of one network: layers, MACs, FLOPs, bytes.
struct SummaryRequest {
  static constexpr std::string_view command = "summary";

  std::string model;
  NetworkSettings network;
};
const Parameters& parameters_of(For<SummaryRequest>);

struct SummaryResult {
  std::string model;  ///< the user's name for it
  schedule::Schedule schedule;
  std::vector<Note> notes;  ///< notes of the importer
  bool complete = true;     ///< every op was counted
};

/// Throws Error (usage, input).
[[nodiscard]] SummaryResult run(const SummaryRequest& request, Session& session);

}  // namespace rooflab::task
