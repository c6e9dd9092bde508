#pragma once

/// Numbers with their units, and their texts for people.

#include "rooflab/base/precision.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"
