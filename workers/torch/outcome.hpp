#pragma once

#include <functional>
#include <optional>

#include "rooflab/record/record.hpp"

namespace rooflab::torch_worker {

/// Runs `work` and puts what it throws into the record: out of memory, unsupported and data that
/// cannot be read are outcomes of a case. `held` says what tensors held at most; a case that did
/// not end well keeps no times. An Error (system), a file that cannot be written, is thrown on.
void run_to_outcome(record::Record& record, const std::function<void()>& work,
                    const std::function<std::optional<Bytes>()>& held);

}  // namespace rooflab::torch_worker
