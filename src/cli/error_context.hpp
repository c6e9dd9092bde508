#pragma once

#include "rooflab/task/network.hpp"

namespace rooflab::cli {
using task::in_case;
using task::with_hint;
}  // namespace rooflab::cli
