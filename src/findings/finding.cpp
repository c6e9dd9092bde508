#include "rooflab/findings/finding.hpp"

#include "base/format.hpp"
#include "describe/field_table.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::findings {
namespace {

std::string text_of_finding(const Finding& finding) { return finding.sentence(); }

/// Numbers in base units, by key. A key that is named twice has the value that is not missing.
Json figures_of(const Finding& finding) {
  Json figures = Json::object();
  for (std::size_t i = 0; i < finding.values.size(); ++i) {
    const Figure* const figure = finding.row().keys[i];
    if (figure != nullptr && !finding.values[i].is_missing()) {
      figures[std::string(figure->key)] = finding.values[i].json();
    }
  }
  return figures;
}

std::optional<std::string> known(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}
std::optional<std::string> known_subject(const Finding& finding) { return known(finding.subject); }
std::optional<std::string> known_attempt(const Finding& finding) { return known(finding.attempt); }
std::string advice_of_finding(const Finding& finding) { return finding.advice(); }

}  // namespace

std::string Finding::sentence() const {
  return words.empty() ? fill_in(row().sentence.text, values) : words;
}

std::string Finding::advice() const {
  if (!besides) return std::string(row().advice);
  return format("{} {}", row().advice, row().besides);
}

std::optional<double> Finding::worth_share() const { return quotient(worth_s, step_s); }

std::span<const Field> fields_of(For<Finding>) {
  static constexpr auto fields = field_table(
      field<&Finding::kind>(), field<&known_subject>("subject"), field<&text_of_finding>("text"),
      members<&Finding::worth_s, &Finding::step_s, &Finding::worth_share>,
      field<&figures_of>("numbers"), field<&advice_of_finding>("advice"),
      field<&known_attempt>("attempt"));
  return fields;
}

std::string threshold_of(const FindingRow& row) {
  if (row.least <= 0.0) return std::string(row.of);
  const std::string number =
      row.least > 1.0 ? format("{:g}", row.least) : format("{:g} %", 100.0 * row.least);
  return format("{} {}", number, row.of);
}

}  // namespace rooflab::findings
