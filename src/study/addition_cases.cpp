#include "addition_cases.hpp"

#include "rooflab/base/format.hpp"

namespace rooflab::study {
namespace {

std::string text_at(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<double> number_at(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_number() ? std::optional(found->get<double>())
                                                  : std::nullopt;
}

}  // namespace

std::vector<StudyCase> addition_cases(const StudyCase& probe, const Json& result) {
  std::vector<StudyCase> cases;
  const auto rows = result.find("vector_additions");
  if (rows == result.end() || !rows->is_array()) return cases;
  for (const Json& row : *rows) {
    const std::optional<double> elements = number_at(row, "elements");
    const bool correct = row.contains("correct") && row["correct"] == true;
    if (!correct || !elements) continue;
    StudyCase made = probe;
    made.note.clear();
    made.figures.clear();
    made.attributes["launch"] = text_at(row, "launch");
    made.attributes["memory"] = text_at(row, "memory");
    made.attributes["elements"] = format("{:.0f}", *elements);
    made.id = format("{}-{}-{}-{:.0f}", probe.id, made.attributes["launch"],
                     made.attributes["memory"], *elements);
    if (const auto total = number_at(row, "total_s")) made.figures.push_back({"time", *total});
    if (const auto own = number_at(row, "kernel_s")) made.figures.push_back({"device_time", *own});
    cases.push_back(std::move(made));
  }
  return cases;
}

}  // namespace rooflab::study
