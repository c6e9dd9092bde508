#pragma once

#include <cstddef>
#include <string>

#include "rooflab/analyze/result_set.hpp"
#include "rooflab/report/document.hpp"
#include "rooflab/report/html_page.hpp"

namespace rooflab::report {

/// Everything about a set of results on one page: cards, a table of all results, rooflines by
/// device, where the time went, memory, kernels, operators, layers, environments, warnings, and the
/// command line behind each.
[[nodiscard]] Page report_page(const analyze::ResultSet& results, std::string command);

/// The tables and notes of a page, for Markdown; of tables of more than `top` rows the first ones
/// (0: all). Its JSON has all rows: `{schema_version, command, command_line, tables, notes}`, a
/// table being `{title, columns, rows}`.
[[nodiscard]] Document document_of(const Page& page, std::size_t top);

}  // namespace rooflab::report
