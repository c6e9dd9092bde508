#include "case_selection.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

constexpr std::array<std::string_view, 7> known = {"model",     "device", "batch", "phase",
                                                   "precision", "gpus",   "mode"};
/// What tells nothing that the known ones do not, and how long was measured.
constexpr std::array<std::string_view, 11> silent = {
    "group",     "named",     "source",     "iterations", "min-time",    "max-time",
    "no-layers", "per-layer", "steps-only", "timeout",    "data-workers"};

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

}  // namespace

bool has_all(const StudyCase& study_case, const Attributes& where) {
  return std::ranges::all_of(where, [&](const auto& wanted) {
    if (wanted.first == "named") return true;
    const std::string own = lowercase(study_case.attribute(wanted.first));
    const std::string value = lowercase(wanted.second);
    const std::vector<std::string> either = split(value, ',');
    return own == value || std::ranges::find(either, own) != either.end();
  });
}

bool agrees(const StudyCase& study_case, const Attributes& where) {
  return std::ranges::all_of(where, [&](const auto& wanted) {
    const std::string_view own = study_case.attribute(wanted.first);
    return wanted.first == "named" || own.empty() || lowercase(own) == lowercase(wanted.second);
  });
}

std::vector<std::string> differing_attributes(std::span<const StudyCase* const> cases) {
  std::map<std::string, std::set<std::string>> values;
  for (const StudyCase* each : cases) {
    for (const auto& [key, value] : each->attributes) values[key];
  }
  for (auto& [key, seen] : values) {
    for (const StudyCase* each : cases) seen.insert(std::string(each->attribute(key)));
  }
  std::vector<std::string> differing;
  for (const std::string_view key : known) {
    const auto found = values.find(std::string(key));
    if (found != values.end() && found->second.size() > 1) differing.emplace_back(key);
  }
  for (const auto& [key, seen] : values) {
    if (seen.size() > 1 && !contains(known, key) && !contains(silent, key)) {
      differing.push_back(key);
    }
  }
  return differing;
}

std::string label_of(const StudyCase& study_case, std::span<const std::string> attributes) {
  std::vector<std::string> parts;
  for (const std::string& key : attributes) {
    const std::string value(study_case.attribute(key));
    if (value.empty()) continue;
    parts.push_back(key == "batch"  ? "batch " + value
                    : key == "gpus" ? format("{} GPU{}", value, value == "1" ? "" : "s")
                                    : value);
  }
  return join(parts, ", ");
}

}  // namespace rooflab::study
