#pragma once

#include "rooflab/record/record.hpp"

namespace rooflab::record {

/// Makes unknown what a tool wrote as 0 and a kernel that runs cannot have (never_zero in the facts
/// of a figure), with a note for each figure that says how often.
void forget_impossible_zeros(Record& record);

}  // namespace rooflab::record
