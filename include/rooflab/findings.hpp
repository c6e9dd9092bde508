#pragma once

/// What costs time or memory, and what to try.

#include "rooflab/findings/finding.hpp"
#include "rooflab/findings/finding_table.hpp"
#include "rooflab/findings/findings.hpp"
#include "rooflab/findings/try_line.hpp"
