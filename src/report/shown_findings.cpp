#include "shown_findings.hpp"

#include <optional>
#include <string>

#include "base/format.hpp"
#include "describe/fields.hpp"

namespace rooflab::report {
namespace {

constexpr FigureKey findings_key = "findings";

/// `2.72 ms (39 % of the step)`
std::string worth_text(const findings::Finding& finding) {
  if (!finding.worth_s) return {};
  const std::optional<double> share = finding.worth_share();
  return format(
      "up to {}{}", si(*finding.worth_s, "s", 3),
      share ? format(" ({:.{}f} % of the step)", 100.0 * *share, *share < 0.1 ? 1 : 0) : "");
}

}  // namespace

void show_findings(page::Document& document, std::span<const findings::Finding> found,
                   bool with_subjects) {
  for (const findings::Finding& finding : found) {
    std::string text = finding.sentence();
    if (with_subjects && !finding.subject.empty()) {
      text = format("{}: {}", finding.subject, text);
    }
    document.findings.push_back(
        {std::move(text), worth_text(finding), finding.advice(), finding.attempt});
  }
  document.json.update({{findings_key.key(), codec::encode(found)}});
}

}  // namespace rooflab::report
