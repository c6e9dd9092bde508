#pragma once

#include "engine/worker_probe.hpp"
#include "measurement.hpp"

namespace rooflab::torch_worker {

/// Measures the items of a request in their order, until the budget is used up, and appends each
/// result to the journal at once; items with a result in the journal are skipped. A failure of an
/// item is the message of its result.
///
/// Throws Error (capability) when the device does not exist, and when it fails permanently; then
/// the journal has the item that caused it.
void probe_ops(const engine::OpProbeRequest& request, engine::ProbeJournal& journal,
               const ProgressListener& progress);

}  // namespace rooflab::torch_worker
