#pragma once

/// Charts.

#include "rooflab/chart/bars.hpp"
#include "rooflab/chart/chart.hpp"
#include "rooflab/chart/dots.hpp"
#include "rooflab/chart/spread.hpp"
#include "rooflab/chart/strip.hpp"
