#pragma once

#include "cache_state.hpp"
#include "device_backend.hpp"
#include "operand_pool.hpp"

namespace rooflab::torch_worker {

/// Common state of measurements of single ops.
struct OpBench {
  DeviceBackend& backend;
  OperandPool pool;
  CacheState caches;
  double mark_s = 0.0;  ///< time_between_marks()
};

}  // namespace rooflab::torch_worker
