#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/describe/parameter.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/task/session.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::task {

/// Request to evaluate trained models on other labelled images.
struct EvaluateRequest {
  static constexpr std::string_view command = "evaluate";

  std::vector<std::string> checkpoints = {};  ///< files, folders of runs and folders of these
  std::string data = {};                      ///< data with test images
  std::string device = "cpu";
  std::int64_t batch = engine::EvaluationRequest().batch;
  int data_workers = engine::EvaluationRequest().data_workers;
};
const Parameters& parameters_of(For<EvaluateRequest>);

struct EvaluateResult {
  training::EvaluationSummary summary = {};
  bool interrupted = false;  ///< the result then has no evaluations
};

/// Evaluates trained models. Throws Error (usage, input, capability).
[[nodiscard]] EvaluateResult run(const EvaluateRequest& request, Session& session);

}  // namespace rooflab::task
