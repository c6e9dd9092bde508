#pragma once

/// Results and records as JSON, and the words of their keys.

#include "rooflab/base/json.hpp"
#include "rooflab/describe/described.hpp"
#include "rooflab/describe/figure_table.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/describe/parameter.hpp"
#include "rooflab/describe/request_change.hpp"
#include "rooflab/system/file.hpp"
