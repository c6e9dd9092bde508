#pragma once

#include "rooflab/device/catalog.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::task {

/// Fills `modelled` of a profile whose program reported its ops, from their recording; does nothing
/// for other records. If the recording cannot be used, a warning has the reason.
void add_modelled_step(record::Record& record, const device::Catalog& catalog);

}  // namespace rooflab::task
