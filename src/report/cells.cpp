#include "cells.hpp"

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::report {

Cell dash() { return {"-", ""}; }

Cell name_cell(const std::string& name) {
  constexpr std::size_t longest = 56;
  if (name.size() <= longest) return {name};
  std::size_t end = longest - 1;
  while (end > 0 && (name[end] & 0xC0) == 0x80) --end;  // not within a letter
  return {name.substr(0, end) + "…", name};
}

Cell optional_percent(std::optional<double> fraction) {
  return fraction ? percent_cell(*fraction) : dash();
}

Cell factor_cell(std::optional<double> factor) {
  return factor ? Cell(format("{:.2f}x", *factor), format("{}", *factor)) : dash();
}

Cell factor_cell_by_thousandths(std::optional<double> factor) {
  return factor ? Cell(format("{:.3f}x", *factor), format("{}", *factor)) : dash();
}

Cell optional_number(std::optional<double> value) {
  return value ? Cell(format("{:.4g}", *value), format("{}", *value)) : dash();
}

Cell plain_number_cell(std::optional<double> value) {
  return value ? Cell(plain_number(*value), format("{}", *value)) : dash();
}

Cell seconds_cell(std::optional<double> seconds) { return optional_si_cell(seconds, "s"); }

Cell seconds_cell(const std::optional<Seconds>& time) {
  return seconds_cell(time ? std::optional(time->value) : std::nullopt);
}

Cell duration_cell(double ns) { return si_cell(ns * seconds_per_ns, "s"); }

std::optional<double> as_double(const std::optional<Bytes>& bytes) {
  return bytes ? std::optional(bytes->as_double()) : std::nullopt;
}

}  // namespace rooflab::report
