#pragma once

#include <string>

#include "engine/stages.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/record/scale_run.hpp"

/// Made-up runs in stages: a stage takes 100 us for each of its nodes, a transfer 1 ms, a step the
/// sum of all.
inline rooflab::record::StageRun fake_stage_run(const rooflab::engine::StageRequest& request,
                                                const std::string& rule,
                                                rooflab::record::Environment environment) {
  using namespace rooflab;
  record::StageRun run;
  run.identity = request.request.identity;
  run.cuts.assign(request.cuts.begin(), request.cuts.end());
  run.micro_batches = request.micro_batches;
  run.environment = std::move(environment);
  if (rule == "oom") {
    run.status = record::Status::oom;
    run.message = "out of memory: 300 MB held, 128 MB asked";
    return run;
  }
  double step = 0.0;
  const std::vector<graph::Graph> stages = graph::stages_of(request.request.graph, request.cuts);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    record::StageResult& stage = run.stages.emplace_back();
    stage.first = stages[i].nodes.front().name;
    stage.last = stages[i].nodes.back().name;
    stage.device = run.environment.device;
    stage.time_s = 1e-4 * static_cast<double>(stages[i].nodes.size());
    if (i > 0) {
      stage.transfer_s = 1e-3;
      for (const graph::ValueId id : stages[i].inputs) {
        stage.received += Bytes(stages[i].type(id).bytes());
      }
    }
    stage.allocated_peak = Bytes(300'000'000);
    step += stage.time_s + stage.transfer_s;
  }
  run.steps_s.assign(static_cast<std::size_t>(request.request.settings.iterations), step);
  return run;
}
