#include "kernel_cells.hpp"

#include "rooflab/base/text.hpp"

namespace rooflab::report {

Cell name_cell(const std::string& name) {
  constexpr std::size_t longest = 56;
  if (name.size() <= longest) return {name};
  std::size_t end = longest - 1;
  while (end > 0 && (name[end] & 0xC0) == 0x80) --end;  // not within a letter
  return {name.substr(0, end) + "…", name};
}

Cell optional_percent(const std::optional<double>& fraction) {
  return fraction ? percent_cell(*fraction) : Cell("-", "");
}

Cell optional_number(const std::optional<double>& value) {
  return value ? Cell(format("{:.4g}", *value), format("{}", *value)) : Cell("-", "");
}

Cell duration_cell(double ns) { return si_cell(ns * 1e-9, "s"); }

}  // namespace rooflab::report
