// Which cases a statement is about.
//
// A word fits a case that has its value: in the attribute of its key, or in any when it has no key;
// upper and lower case are the same. The attributes in which words fit are fixed, all others of the
// case are open. Two cases agree when every attribute that both have, and that is open in both, has
// equal values; a combination is one case a figure, all of which agree in pairs. So a figure that
// fixes the device stands beside one that fixes another, while batch and phase are held equal; and
// a published row that lacks the batch stands beside every batch.
//
// Where a case came from is not a factor of an experiment and is not compared: `group`, `place` and
// `source`; the source is kept beside, as it alone may tell two published cases apart. A device
// goes by two names, `device` from the catalog and `named` as the study has it: a word that fits
// either fixes the device, and only the catalog's is compared. A flag without a value is an
// attribute that is `yes`; its name is its word.

#include "figure_join.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

constexpr std::array<std::string_view, 4> never_compared = {"group", "named", "place", "source"};

/// More than a page can show.
constexpr std::size_t most_combinations = 100'000;
/// About a second of comparing.
constexpr std::size_t most_looks = 100'000'000;

bool fits(const CaseWord& word, const Attributes::value_type& attribute) {
  const auto& [key, value] = attribute;
  if (word.key.empty()) return lowercase(word.value) == lowercase(value == "yes" ? key : value);
  const bool is_key = word.key == key || (word.key == "device" && key == "named");
  return is_key && lowercase(word.value) == lowercase(value);
}

/// What a case leaves open, as numbers: equal ones for equal names, in ascending order of keys.
using OpenNumbers = std::vector<std::pair<std::size_t, std::size_t>>;

class Numbering {
 public:
  OpenNumbers operator()(const Attributes& open) {
    OpenNumbers numbers;
    for (const auto& [key, value] : open) {
      numbers.emplace_back(number(key), number(lowercase(value)));
    }
    std::ranges::sort(numbers);
    return numbers;
  }

 private:
  std::size_t number(const std::string& text) {
    return numbers_.try_emplace(text, numbers_.size()).first->second;
  }
  std::map<std::string, std::size_t> numbers_;
};

bool agree(const OpenNumbers& a, const OpenNumbers& b) {
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() && right != b.end()) {
    if (left->first < right->first) {
      ++left;
    } else if (right->first < left->first) {
      ++right;
    } else {
      if (left->second != right->second) return false;
      ++left;
      ++right;
    }
  }
  return true;
}

std::vector<std::vector<OpenNumbers>> open_numbers(
    std::span<const std::vector<FittingCase>> fitting) {
  Numbering numbering;
  std::vector<std::vector<OpenNumbers>> open(fitting.size());
  for (std::size_t figure = 0; figure < fitting.size(); ++figure) {
    for (const FittingCase& each : fitting[figure]) open[figure].push_back(numbering(each.open));
  }
  return open;
}

bool any_agree(const std::vector<OpenNumbers>& these, const std::vector<OpenNumbers>& others) {
  return std::ranges::any_of(these, [&](const OpenNumbers& one) {
    return std::ranges::any_of(others, [&](const OpenNumbers& other) { return agree(one, other); });
  });
}

/// `mode: measure beside predict`, one for each attribute in which the cases disagree.
std::vector<std::string> differences(const Attributes& a, const Attributes& b) {
  std::vector<std::string> found;
  for (const auto& [key, value] : a) {
    const auto other = b.find(key);
    if (other == b.end() || lowercase(other->second) == lowercase(value)) continue;
    found.push_back(format("{}: {} beside {}", key, value, other->second));
  }
  return found;
}

/// The fewest of any two among the first cases; what is far down a long list is not looked at.
std::vector<std::string> least_differences(std::span<const FittingCase> these,
                                           std::span<const FittingCase> others) {
  constexpr std::size_t most = 300;
  std::vector<std::string> least;
  for (const FittingCase& one : these.first(std::min(these.size(), most))) {
    for (const FittingCase& other : others.first(std::min(others.size(), most))) {
      std::vector<std::string> found = differences(one.open, other.open);
      if (least.empty() || found.size() < least.size()) least = std::move(found);
    }
  }
  return least;
}

}  // namespace

bool fits(const CaseWord& word, const StudyCase& study_case) {
  return std::ranges::any_of(study_case.attributes,
                             [&](const auto& attribute) { return fits(word, attribute); });
}

std::optional<FittingCase> fit(const FigureName& figure, const StudyCase& study_case) {
  const bool all = std::ranges::all_of(
      figure.words, [&](const CaseWord& word) { return fits(word, study_case); });
  if (!all) return std::nullopt;
  FittingCase fitting{&study_case, {}, {}};
  for (const auto& attribute : study_case.attributes) {
    const bool is_fixed = std::ranges::any_of(
        figure.words, [&](const CaseWord& word) { return fits(word, attribute); });
    if (is_fixed && attribute.first == "named") fitting.open.erase("device");
    if (!is_fixed && attribute.first == "source") fitting.source = attribute.second;
    if (!is_fixed && std::ranges::count(never_compared, attribute.first) == 0) {
      fitting.open.insert(attribute);
    }
  }
  return fitting;
}

const Figure* figure_in(const StudyCase& study_case, const FigureName& figure) {
  const Figure* found = study_case.find(figure.quantity->name);
  return found != nullptr && std::isfinite(found->value) ? found : nullptr;
}

std::vector<Combination> join_cases(std::span<const std::vector<FittingCase>> fitting,
                                    const Location& place) {
  std::vector<Combination> combinations;
  if (fitting.empty()) return combinations;
  const std::vector<std::vector<OpenNumbers>> open = open_numbers(fitting);
  // The choice of a case for the first figures, of which the last is being looked at.
  std::vector<std::size_t> choice = {0};
  std::size_t looks = 0;
  while (!choice.empty()) {
    const std::size_t last = choice.size() - 1;
    if (choice[last] == fitting[last].size()) {
      choice.pop_back();
      if (!choice.empty()) ++choice.back();
      continue;
    }
    bool agrees = true;
    for (std::size_t i = 0; i < last && agrees; ++i) {
      ++looks;
      agrees = agree(open[i][choice[i]], open[last][choice[last]]);
    }
    if (agrees && choice.size() < fitting.size()) {
      choice.push_back(0);
      continue;
    }
    if (agrees) {
      Combination& combination = combinations.emplace_back();
      for (std::size_t i = 0; i <= last; ++i) combination.push_back(&fitting[i][choice[i]]);
    }
    if (combinations.size() > most_combinations || looks > most_looks) {
      throw Error(ErrorKind::input,
                  format("the check can be made in more than {} ways",
                         with_thousands(static_cast<std::int64_t>(most_combinations))),
                  "more words in the brackets leave fewer cases", place);
    }
    ++choice[last];
  }
  return combinations;
}

std::string disagreement_of(std::span<const std::vector<FittingCase>> fitting) {
  const std::vector<std::vector<OpenNumbers>> open = open_numbers(fitting);
  for (std::size_t i = 0; i < fitting.size(); ++i) {
    for (std::size_t j = i + 1; j < fitting.size(); ++j) {
      if (any_agree(open[i], open[j])) continue;
      return join(least_differences(fitting[i], fitting[j]), "; ");
    }
  }
  return "";
}

}  // namespace rooflab::study
