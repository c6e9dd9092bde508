#pragma once

#include <cstdlib>

/// Checks a condition that no input can break; a failure is a bug of Rooflab. Active in every build
/// type: the checks are cheap and a wrong figure is worse than an abort.
#define ROOFLAB_ASSERT(condition) ((condition) ? static_cast<void>(0) : std::abort())
