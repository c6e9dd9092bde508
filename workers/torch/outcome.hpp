#pragma once

#include <functional>
#include <optional>

#include "rooflab/record/record.hpp"

namespace rooflab::torch_worker {

/// Runs `work` and converts its exceptions to an outcome in the record: out of memory, unsupported,
/// or data that cannot be read. `held`: returns the peak memory of tensors; a case that failed
/// keeps no times. An Error (system), a file that cannot be written, is passed on.
void run_to_outcome(record::Record& record, const std::function<void()>& work,
                    const std::function<std::optional<Bytes>()>& held);

}  // namespace rooflab::torch_worker
