#pragma once

/// The exception for wrong input, and the version of the library.

#include "rooflab/base/error.hpp"
#include "rooflab/base/version.hpp"
