#pragma once

#include "rooflab/device/catalog.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::task {

/// Fills `modelled` of a profile whose program told its ops, from their recording; does nothing for
/// other records. Where the recording cannot be used, a warning says why.
void add_modelled_step(record::Record& record, const device::Catalog& catalog);

}  // namespace rooflab::task
