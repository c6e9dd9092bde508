#pragma once

#include <functional>
#include <optional>

#include "rooflab/record/record.hpp"

namespace rooflab::torch_worker {

/// Runs `work` and puts what it throws into the record: out of memory, unsupported and data that
/// cannot be read are outcomes of a case. `held` says what tensors held at most; a case that did
/// not end well keeps no times.
void run_to_outcome(record::Record& record, const std::function<void()>& work,
                    const std::function<std::optional<Bytes>()>& held);

}  // namespace rooflab::torch_worker
