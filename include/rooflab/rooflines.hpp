#pragma once

/// Points and roofs of a roofline.

#include "rooflab/analyze/roof_place.hpp"
#include "rooflab/analyze/roofline_points.hpp"
