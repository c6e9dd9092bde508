// What became of a hypothesis, and the sentence that says so.
//
// Where it holds in some cases only, the reader wants to know in which. When the values of one
// attribute part those that hold from those that fail, these are named; otherwise the smaller side
// is listed, by the attributes in which the cases differ at all.

#include "verdict.hpp"

#include <algorithm>
#include <set>

#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

using Instances = std::span<const Expression::Instance>;

/// Cases or values in a sentence.
constexpr std::size_t most_listed = 3;

std::size_t count_holding(Instances instances) {
  return static_cast<std::size_t>(
      std::ranges::count(instances, true, &Expression::Instance::holds));
}

/// What an instance says of an attribute; nullptr: nothing.
const std::string* stated(const Expression::Instance& instance, const std::string& key) {
  const auto found = instance.where.find(key);
  return found == instance.where.end() ? nullptr : &found->second;
}

/// nullopt: an instance that is to be counted lacks the attribute.
std::optional<std::set<std::string>> values_of(const std::string& key, Instances instances,
                                               bool holding) {
  std::set<std::string> values;
  for (const Expression::Instance& each : instances) {
    if (each.holds != holding) continue;
    const std::string* const value = stated(each, key);
    if (value == nullptr) return std::nullopt;
    values.insert(*value);
  }
  return values;
}

std::set<std::string> keys_of(Instances instances) {
  std::set<std::string> keys;
  for (const Expression::Instance& each : instances) {
    for (const auto& [key, value] : each.where) keys.insert(key);
  }
  return keys;
}

/// `device a100 and t4`, where these are exactly the instances that hold, or fail; empty where no
/// single attribute tells them.
std::string parting_attribute(Instances instances, bool holding) {
  for (const std::string& key : keys_of(instances)) {
    const auto these = values_of(key, instances, holding);
    const auto others = values_of(key, instances, !holding);
    if (!these || !others || these->size() > most_listed) continue;
    const bool meet = std::ranges::any_of(
        *these, [&](const std::string& value) { return others->contains(value); });
    if (meet) continue;
    std::vector<std::string> values(these->begin(), these->end());
    const std::string last = values.back();
    values.pop_back();
    return values.empty() ? format("{} {}", key, last)
                          : format("{} {} and {}", key, join(values, ", "), last);
  }
  return "";
}

/// Attributes in which not all instances are alike. That some are published says the mode; a source
/// only tells them from those of others.
std::vector<std::string> differing_keys(Instances instances) {
  std::vector<std::string> keys;
  for (const std::string& key : keys_of(instances)) {
    std::set<std::string> values;
    bool all = true;
    for (const Expression::Instance& each : instances) {
      const std::string* const value = stated(each, key);
      all = all && value != nullptr;
      if (value != nullptr) values.insert(*value);
    }
    if (values.size() > 1 || (!all && key != "source")) keys.push_back(key);
  }
  return keys;
}

/// `device a100, batch 1; device t4, batch 1 and 7 more`.
std::string listed(Instances instances, bool holding) {
  const std::vector<std::string> keys = differing_keys(instances);
  std::vector<std::string> names;
  std::size_t more = 0;
  for (const Expression::Instance& each : instances) {
    if (each.holds != holding) continue;
    std::vector<std::string> parts;
    for (const std::string& key : keys) {
      if (const std::string* const value = stated(each, key)) {
        parts.push_back(format("{} {}", key, *value));
      }
    }
    const std::string name = parts.empty() ? each.numbers : join(parts, ", ");
    if (std::ranges::count(names, name) != 0) continue;
    if (names.size() < most_listed) {
      names.push_back(name);
    } else {
      ++more;
    }
  }
  return join(names, "; ") + (more > 0 ? format(" and {} more", more) : "");
}

/// `, 1 of them too close to call`; empty where none is.
std::string closeness(Instances instances, bool is_mixed) {
  const auto close =
      static_cast<std::size_t>(std::ranges::count(instances, true, &Expression::Instance::close));
  const std::size_t all = instances.size();
  if (close == 0) return "";
  std::string which;
  if (all > 1 && is_mixed) {
    which = close == all ? "all " : format("{} of the {} ", close, all);
  } else if (all > 1) {
    which = close == all ? "all of them " : format("{} of them ", close);
  }
  return format(", {}too close to call", which);
}

std::string decided_sentence(Instances instances) {
  const std::size_t holding = count_holding(instances);
  const std::size_t all = instances.size();
  const std::string close = closeness(instances, holding > 0 && holding < all);
  if (holding == all || holding == 0) {
    return format("{} in {}{}", holding == 0 ? "fails" : "holds",
                  all == 1 ? "the only case" : format("all {} cases", all), close);
  }
  const bool name_holding = 2 * holding < all;
  const std::string parting = parting_attribute(instances, name_holding);
  return format("holds in {} of {} cases{}: {} {}", holding, all, close,
                name_holding ? "only for" : "not for",
                parting.empty() ? listed(instances, name_holding) : parting);
}

std::string missing_sentence(std::span<const Expression::Missing> missing) {
  std::vector<std::string> figures;
  for (const Expression::Missing& each : missing) figures.push_back(each.figure);
  return format("undecided: no case gives {}", join(figures, ", "));
}

}  // namespace

Verdict judge(const Hypothesis& hypothesis, std::span<const StudyCase> cases) {
  const Expression check = Expression::parse(hypothesis.check, hypothesis.check_place);
  Verdict verdict;
  verdict.name = hypothesis.name;
  verdict.text = hypothesis.text;
  verdict.check = hypothesis.check;
  verdict.instances = check.evaluate(cases);
  verdict.missing = check.missing(cases);
  if (verdict.instances.empty()) {
    verdict.sentence = verdict.missing.empty() ? "undecided: " + check.obstacle(cases)
                                               : missing_sentence(verdict.missing);
    return verdict;
  }
  const std::size_t holding = count_holding(verdict.instances);
  verdict.result = holding == verdict.instances.size() ? Verdict::Result::holds
                   : holding == 0                      ? Verdict::Result::fails
                                                       : Verdict::Result::depends;
  verdict.sentence = decided_sentence(verdict.instances);
  return verdict;
}

}  // namespace rooflab::study
