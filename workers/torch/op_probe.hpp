#pragma once

#include "engine/probe.hpp"
#include "measurement.hpp"

namespace rooflab::torch_worker {

/// Measures the items of a request in their order, until its budget is used up, and appends each
/// result to the journal at once; items whose result is there already are left out. What an item
/// cannot do is the message of its result.
///
/// Throws Error (capability) when the device is not there, and when it fails in a way that no later
/// call recovers from; the journal then holds the item that broke it.
void probe_ops(const engine::OpProbeRequest& request, engine::ProbeJournal& journal,
               const ProgressListener& progress);

}  // namespace rooflab::torch_worker
