#pragma once

#include "rooflab/record/record.hpp"

namespace rooflab::record {

/// The device of a trace's kernels, that of the first one, as the trace describes it: into
/// `identity` and `environment`, whose version of the driver stays. Without kernels it is the CPU.
void set_device_of_kernels(Record& record);

}  // namespace rooflab::record
