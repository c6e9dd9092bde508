// What became of a hypothesis, and the sentence that says so.
//
// Each case supports or refutes the check, or is undecided where its figures' intervals leave both
// open. Of all cases together it is what three-valued logic (Kleene) makes of "and":
//
//     refuted     a case refutes it
//     undecided   no case does, but one is undecided, or no case exists
//     supported   every case supports it
//
// Cases with a published figure that has an explanation are left out of that: the figure is
// not what it claims to be, so that it neither supports nor refutes anything.
//
// Where not all cases are alike, the reader wants to know which are not. When the values of one
// attribute part them from the others, these are named; otherwise the smaller side is listed, by
// the attributes in which the cases differ at all.

#include "verdict.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/format.hpp"

namespace rooflab::study {
namespace {

using Instance = Expression::Instance;
using Instances = std::span<const Instance>;

/// Cases or values in a sentence.
constexpr std::size_t most_listed = 3;

std::size_t count_of(Instances instances, Judgement judgement) {
  return static_cast<std::size_t>(std::ranges::count(instances, judgement, &Instance::judgement));
}

/// The cases of one judgement, or with `others` all that are not.
struct Part {
  Judgement judgement;
  bool others = false;

  [[nodiscard]] bool has(const Instance& each) const {
    return (each.judgement() == judgement) != others;
  }
  [[nodiscard]] Part rest() const { return {judgement, !others}; }
};

/// What an instance says of an attribute; nullptr: nothing.
const std::string* stated(const Expression::Instance& instance, const std::string& key) {
  const auto found = instance.where.find(key);
  return found == instance.where.end() ? nullptr : &found->second;
}

/// nullopt: an instance that is to be counted lacks the attribute.
std::optional<std::set<std::string>> values_of(const std::string& key, Instances instances,
                                               const Part& part) {
  std::set<std::string> values;
  for (const Expression::Instance& each : instances) {
    if (!part.has(each)) continue;
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

/// `device a100 and t4`, where these are exactly the instances of the part; empty where no single
/// attribute tells them.
std::string parting_attribute(Instances instances, const Part& part) {
  for (const std::string& key : keys_of(instances)) {
    const auto these = values_of(key, instances, part);
    const auto others = values_of(key, instances, part.rest());
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
std::string listed(Instances instances, const Part& part) {
  const std::vector<std::string> keys = differing_keys(instances);
  std::vector<std::string> names;
  std::size_t more = 0;
  for (const Expression::Instance& each : instances) {
    if (!part.has(each)) continue;
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

/// `for device a100`, or where these are the most `not for` the others.
std::string places_text(Instances instances, const Part& part) {
  const auto count = static_cast<std::size_t>(
      std::ranges::count_if(instances, [&](const Instance& each) { return part.has(each); }));
  const bool is_most = 2 * count > instances.size();
  const Part named = is_most ? part.rest() : part;
  const std::string parting = parting_attribute(instances, named);
  return format("{} {}", is_most ? "not for" : "for",
                parting.empty() ? listed(instances, named) : parting);
}

/// `the only case`, `both cases`, `all 4 cases`.
std::string all_text(std::size_t all) {
  return all == 1 ? "the only case" : all == 2 ? "both cases" : format("all {} cases", all);
}

std::string close_clause(std::size_t close, std::size_t all) {
  return format("{} {} too close to call",
                close == all ? all_text(all) : format("{} of {} cases", close, all),
                close == 1 ? "is" : "are");
}

std::string reason_of(Judgement result, Instances instances) {
  const std::size_t all = instances.size();
  const std::size_t count = count_of(instances, result);
  const std::size_t close = count_of(instances, Judgement::undecided);
  if (result == Judgement::undecided) {
    std::string reason = close_clause(close, all);
    if (count < all) {
      reason += format(", {}; the others support it", places_text(instances, {result}));
    }
    return reason;
  }
  if (count == all) return format("in {}", all_text(all));
  std::string reason =
      format("in {} of {} cases: {}", count, all, places_text(instances, {result}));
  if (close > 0) reason += format("; {}", close_clause(close, all));
  return reason;
}

Judgement judgement_of(Instances instances) {
  if (count_of(instances, Judgement::refuted) > 0) return Judgement::refuted;
  return count_of(instances, Judgement::undecided) > 0 ? Judgement::undecided
                                                       : Judgement::supported;
}

std::string missing_reason(std::span<const Expression::Missing> missing) {
  std::vector<std::string> figures;
  for (const Expression::Missing& each : missing) figures.push_back(each.figure);
  return format("no case gives {}", join(figures, ", "));
}

/// Marks the instances with published figures that have an explanation.
void add_doubts(std::vector<Instance>& instances, const std::set<std::string>& quantities,
                std::span<const Explanation> explanations) {
  for (const Explanation& explanation : explanations) {
    for (const Explanation::Printed& printed : explanation.figures) {
      if (!quantities.contains(printed.quantity)) continue;
      for (Instance& each : instances) {
        if (std::ranges::count(each.cases, id_of_published(printed.row)) == 0) continue;
        if (each.doubt.empty()) each.doubt = meaning_of(explanation.kind);
      }
    }
  }
}

/// `both cases rest on doubtful published figures: work of tensor cores is missing`; `left`: others
/// count.
std::string doubt_clause(Instances doubtful, bool left) {
  std::vector<std::string> doubts;
  for (const Instance& each : doubtful) {
    if (std::ranges::count(doubts, each.doubt) == 0) doubts.push_back(each.doubt);
  }
  const std::size_t all = doubtful.size();
  return format("{} {} on doubtful published figures: {}",
                left ? format("{} more", all) : all_text(all), all == 1 ? "rests" : "rest",
                join(doubts, "; "));
}

}  // namespace

std::string Verdict::sentence() const {
  return format("{}{} {}", name_of(result), result == Judgement::undecided ? ":" : "", reason);
}

Verdict judge(const Hypothesis& hypothesis, std::span<const StudyCase> cases,
              std::span<const Explanation> explanations) {
  const Expression check = Expression::parse(hypothesis.check, hypothesis.check_place);
  Verdict verdict;
  verdict.name = hypothesis.name;
  verdict.text = hypothesis.text;
  verdict.check = hypothesis.check;
  verdict.instances = check.evaluate(cases);
  verdict.missing = check.missing(cases);
  if (verdict.instances.empty()) {
    verdict.reason =
        verdict.missing.empty() ? check.obstacle(cases) : missing_reason(verdict.missing);
    return verdict;
  }
  add_doubts(verdict.instances, check.quantities(), explanations);
  const auto has_doubt = [](const Instance& each) { return !each.doubt.empty(); };
  std::vector<Instance> counted;
  std::vector<Instance> doubtful;
  std::ranges::remove_copy_if(verdict.instances, std::back_inserter(counted), has_doubt);
  std::ranges::copy_if(verdict.instances, std::back_inserter(doubtful), has_doubt);
  if (!counted.empty()) {
    verdict.result = judgement_of(counted);
    verdict.reason = reason_of(verdict.result, counted);
  }
  if (!doubtful.empty()) {
    if (!counted.empty()) verdict.reason += "; ";
    verdict.reason += doubt_clause(doubtful, !counted.empty());
  }
  return verdict;
}

}  // namespace rooflab::study
