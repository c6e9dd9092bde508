#pragma once

#include "rooflab/record/record.hpp"

namespace rooflab::record {

/// Sets the device in `identity` and `environment` to that of the trace's first kernel, as the
/// trace describes it; without kernels to the CPU. The driver's version is kept.
void set_device_of_kernels(Record& record);

}  // namespace rooflab::record
