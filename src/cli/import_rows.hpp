#pragma once

#include "rooflab/base/parameter.hpp"
#include "rooflab/report/import_view.hpp"

namespace rooflab::cli {

/// `--per` and `--top` of report::ImportView.
[[nodiscard]] Parameters import_rows();

}  // namespace rooflab::cli
