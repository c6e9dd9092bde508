#pragma once

#include <string>
#include <vector>

#include "rooflab/record/scale_run.hpp"

namespace rooflab::findings {

constexpr double ms = 1e-3;

/// Ranks of these steps, each with a batch of `batch`.
inline record::ScaleRun run_of(std::int64_t batch, const std::vector<double>& steps_s) {
  record::ScaleRun run;
  run.identity.model = "net";
  run.identity.device = "cuda:0";
  run.identity.batch = batch;
  run.ranks_wanted = static_cast<int>(steps_s.size());
  for (std::size_t i = 0; i < steps_s.size(); ++i) {
    record::RankResult rank;
    rank.rank = static_cast<int>(i);
    rank.device = {.kind = "cuda", .index = rank.rank, .name = "Toy"};
    rank.steps_s = {steps_s[i], steps_s[i], steps_s[i]};
    run.ranks.push_back(rank);
  }
  return run;
}

}  // namespace rooflab::findings
