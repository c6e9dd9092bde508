#pragma once

/// Tables and pages: of results, and of one's own.

#include "rooflab/page/document.hpp"
#include "rooflab/report/views.hpp"
