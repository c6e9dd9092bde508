#pragma once

#include "rooflab/record/record.hpp"

namespace rooflab::record {

/// Removes impossible zeros of a tool (never_zero in the facts of a figure), with a note per figure
/// that has their number.
void forget_impossible_zeros(Record& record);

}  // namespace rooflab::record
