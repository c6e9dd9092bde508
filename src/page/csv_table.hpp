#pragma once

#include <cstddef>
#include <string>

#include "rooflab/page/document.hpp"

namespace rooflab::page {

/// A table as CSV: the keys of its columns, then figures in base units. `most_rows`: 0 for all.
[[nodiscard]] std::string csv_table(const Table& table, std::size_t most_rows = 0);

}  // namespace rooflab::page
