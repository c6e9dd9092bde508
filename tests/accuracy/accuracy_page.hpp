#pragma once

#include <string>

namespace rooflab::accuracy {

/// Expects docs/accuracy.md to hold `text` between `<!-- NAME -->` and `<!-- end -->`; numbers may
/// differ by a unit in the last place, since compilers round differently. With ROOFLAB_BLESS in the
/// environment the text is written into the page instead.
void expect_in_page(const std::string& name, const std::string& text);

/// Expects the one line of a table that begins with the first cell of `line`.
void expect_line_in_page(const std::string& line);

}  // namespace rooflab::accuracy
