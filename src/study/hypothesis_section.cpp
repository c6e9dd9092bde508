// The hypotheses of a study on its page: a table of the verdicts, and for each one the combinations
// that its check was made of, or what is missing for it.

#include <algorithm>

#include "base/format.hpp"
#include "page_tables.hpp"

namespace rooflab::study {
namespace {

using page::PageSection;
using page::Table;

constexpr std::string_view hypothesis_heading = "Hypotheses";

std::string where_text(const Attributes& where) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : where) parts.push_back(format("{} {}", key, value));
  return parts.empty() ? "all" : join(parts, ", ");
}

/// The numbers of the first instance, or why it has no numbers, and how many more there are.
std::string numbers_of(const Verdict& verdict) {
  std::vector<std::string> numbers;
  for (const Expression::Instance& each : verdict.instances) numbers.push_back(each.numbers);
  for (const Expression::Missing& each : verdict.missing) {
    numbers.push_back(format("{}: {}", each.figure, each.reason));
  }
  if (numbers.empty()) return "";
  return numbers.size() == 1 ? numbers.front()
                             : format("{}; {} more", numbers.front(), numbers.size() - 1);
}

Table verdict_table(std::span<const Verdict> verdicts) {
  Table table = table_with(std::string(hypothesis_heading),
                           {left("hypothesis"), left("statement"), left("verdict"), left("why"),
                            left("numbers"), left("check")});
  for (const Verdict& verdict : verdicts) {
    table.rows.push_back({verdict.name, verdict.text, std::string(name_of(verdict.result)),
                          verdict.reason, numbers_of(verdict), verdict.check});
  }
  for (const std::string_view wide : {"numbers", "check"}) {
    std::ranges::find(table.columns, wide, &page::Column::key)->too_wide = true;
  }
  return table;
}

/// A row for every combination that the check was made of.
Table instance_table(const Verdict& verdict) {
  Table table = table_with("", {left("verdict"), left("where"), left("numbers")});
  for (const Expression::Instance& instance : verdict.instances) {
    const std::string doubt =
        instance.doubt.empty() ? "" : format("; doubtful: {}", instance.doubt);
    table.rows.push_back({std::string(name_of(instance.judgement())), where_text(instance.where),
                          instance.numbers + doubt});
  }
  return table;
}

/// A row for every figure that no case gives.
Table missing_table(const Verdict& verdict) {
  Table table = table_with("", {left("figure"), left("why", "why it is missing")});
  for (const Expression::Missing& each : verdict.missing) {
    table.rows.push_back({each.figure, each.reason});
  }
  return table;
}

}  // namespace

PageSection hypothesis_section(std::span<const Verdict> verdicts) {
  PageSection section;
  section.heading = hypothesis_heading;
  if (verdicts.empty()) return section;
  section.tables.push_back(verdict_table(verdicts));
  bool any_close = false;
  for (const Verdict& verdict : verdicts) {
    any_close = any_close || std::ranges::any_of(verdict.instances, &Expression::Instance::close);
    page::PageDetail detail =
        detail_of(format("{}, {}: {}", verdict.name, name_of(verdict.result),
                         verdict.text.empty() ? verdict.check : verdict.text),
                  verdict.instances.empty() ? missing_table(verdict) : instance_table(verdict));
    detail.notes.push_back(verdict.check);
    detail.file_name = verdict.name;
    if (!detail.table.rows.empty()) section.details.push_back(std::move(detail));
  }
  if (any_close) {
    section.notes.push_back(
        "Undecided because too close to call: other values within the intervals of the figures"
        " would give the opposite.");
  }
  return section;
}

}  // namespace rooflab::study
