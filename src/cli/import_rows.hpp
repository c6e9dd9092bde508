#pragma once

#include "rooflab/base/parameter.hpp"
#include "rooflab/report/import_report.hpp"

namespace rooflab::cli {

/// `--per` and `--top`: what the tables of recordings have rows for, and how many.
struct ImportRows {
  report::ImportRow per = report::ImportView().per;
  std::size_t top = report::ImportView().top;

  [[nodiscard]] report::ImportView view() const { return {.per = per, .top = top}; }
};
const Parameters& parameters_of(For<ImportRows>);

}  // namespace rooflab::cli
