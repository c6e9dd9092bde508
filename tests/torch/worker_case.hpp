#pragma once

#include <string>

#include "rooflab/engine/worker.hpp"
#include "rooflab/zoo/zoo.hpp"

/// Cases for the real worker, which the build names.
namespace rooflab::engine {

/// A built-in network with as little measuring as there can be.
inline Case short_case(const std::string& model, const zoo::BuildOptions& options,
                       Phase phase = Phase::inference) {
  Case request;
  request.graph = zoo::build(model, options);
  request.identity.model = model;
  request.identity.device = "cpu";
  request.identity.batch = options.batch;
  request.identity.phase = phase;
  request.identity.optimizer = phase == Phase::training ? "sgd-momentum" : "";
  request.settings.iterations = 1;
  request.settings.min_time_s = 0.0;
  request.settings.max_time_s = 0.0;
  request.settings.warmup_time_s = 0.0;
  return request;
}

inline record::Record run(const Case& request) {
  return run_case(request, {.worker = ROOFLAB_TORCH_WORKER});
}

}  // namespace rooflab::engine
