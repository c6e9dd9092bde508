#include "sum_table.hpp"

#include "cells.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::report {

using record::KernelFigure;
using record::KernelSums;

std::string amount_of(KernelFigure figure, double value) {
  const std::string_view unit = facts_of(figure).unit;
  return unit.empty() ? format("{:.1f} %", 100.0 * value) : si(value, unit);
}

Column column_of(KernelFigure figure) {
  return {std::string(facts_of(figure).key), std::string(facts_of(figure).title)};
}

Cell cell_of(const KernelSums& sums, KernelFigure figure) {
  const std::string_view unit = facts_of(figure).unit;
  if (unit.empty()) return optional_percent(sums.at(figure));
  if (unit == "FLOP/B") return optional_number(sums.at(figure));
  return optional_si_cell(sums.at(figure), unit == "FLOP" ? "" : unit);
}

}  // namespace rooflab::report
