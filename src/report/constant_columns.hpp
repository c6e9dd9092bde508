#pragma once

#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// What all rows share is said once, in the title: batch, phase and precision.
void move_constants_to_title(Table& table);

}  // namespace rooflab::report
