#pragma once

#include "rooflab/task/workers.hpp"

namespace rooflab::cli {
using task::injected_library;
using task::injected_library_advice;
using task::probe_worker_advice;
using task::require_injected_library;
using task::require_torch_worker;
using task::torch_worker_advice;
}  // namespace rooflab::cli
