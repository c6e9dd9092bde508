#pragma once

#include <string>

#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// Rows that a table shows before its reader asks for all.
inline constexpr std::size_t first_rows = 200;

/// A table that page_script.hpp sorts and filters, with its filter and button where it is long.
/// `id` is of ASCII letters, digits and `-`.
[[nodiscard]] std::string html_table(const Table& table, const std::string& id);

}  // namespace rooflab::report
