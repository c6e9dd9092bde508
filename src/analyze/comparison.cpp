// Two results side by side. The speed-up is the ratio of the medians. Its interval joins the worst
// ends of the medians' 95 % intervals: both hold with at least 1 - 2 * 5 % = 90 % (Bonferroni), in
// fact more. Whether there is a difference at all is asked of the steps themselves, by the
// Mann-Whitney test at 5 %: overlapping intervals alone would call too little significant. With n
// and m steps no p-value is below 2 / C(n + m, n): where that exceeds 5 %, nothing can be said.
//
// A prediction is not a distribution of steps. Measured against predicted, what is asked is whether
// the measured median lies within its predicted interval, which it should in nine cases of ten. A
// limit and PALEO's time have no interval: a ratio and no more. Of two predictions the same
// interval of the speed-up says whether the difference counts: it does not where 1 lies within.

#include "rooflab/analyze/comparison.hpp"

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/format.hpp"

namespace rooflab::analyze {
namespace {

/// 1.23x; more digits where the two are close.
std::string ratio(double value) {
  if (value >= 100.0) return format("{:.0f}", value);
  if (value >= 10.0) return format("{:.1f}", value);
  return std::abs(value - 1.0) < 0.1 ? format("{:.3f}", value) : format("{:.2f}", value);
}

/// `1.23x faster (1.21 to 1.25)`, the larger of the two as its base.
std::string how_much(const Comparison& c) {
  const bool faster = *c.speedup >= 1.0;
  std::string text = *c.speedup == 1.0
                         ? "as fast"
                         : format("{}x {}", ratio(faster ? *c.speedup : 1.0 / *c.speedup),
                                  faster ? "faster" : "slower");
  if (c.speedup_low && c.speedup_high) {
    const double low = faster ? *c.speedup_low : 1.0 / *c.speedup_high;
    const double high = faster ? *c.speedup_high : 1.0 / *c.speedup_low;
    text += format(" ({} to {})", ratio(low), ratio(high));
  }
  return text;
}

std::string_view time_name(const Comparand& side) {
  constexpr std::array<std::string_view, values_of<PredictionModel>.size()> names = {
      "limit", "percent-of-peak time", "predicted time"};
  return names[static_cast<std::size_t>(side.time_of)];
}

std::string missing_time(const Comparand& side, std::string_view name) {
  if (!side.measured) return format("{} has no {}", name, time_name(side));
  if (side.status == record::Status::oom) return format("{} ran out of memory", name);
  return format("{} has no time: {}", name, name_of(side.status));
}

/// Two times of which none was measured.
std::string verdict_of_predictions(const Comparison& c) {
  if (c.a.time_of != c.b.time_of) {
    return format("A is a {}, B a {}: B is {}", time_name(c.a), time_name(c.b), how_much(c));
  }
  if (c.a.time_of == PredictionModel::calibrated) {
    const bool counts = !c.speedup_low || *c.speedup_low > 1.0 || *c.speedup_high < 1.0;
    return format("{}B is predicted to be {}",
                  counts ? "" : "no difference that counts: ", how_much(c));
  }
  return format("B's {} is {}; {} no spread", time_name(c.a), how_much(c),
                c.a.time_of == PredictionModel::limit ? "limits have" : "it has");
}

/// `A is as predicted: 1.03x the predicted time, within 28.4 ms to 33.1 ms`.
std::string verdict_beside_prediction(const Comparison& c) {
  const Comparand& measured = c.a.measured ? c.a : c.b;
  const Comparand& predicted = c.a.measured ? c.b : c.a;
  const std::string_view place = c.difference == Difference::as_predicted            ? "within"
                                 : c.difference == Difference::faster_than_predicted ? "below"
                                                                                     : "above";
  return format("{} is {}: {}x the predicted time, {} {} to {}", c.a.measured ? "A" : "B",
                name_of(c.difference), ratio(*measured.time_s / *predicted.time_s), place,
                si(*predicted.time_low_s, "s"), si(*predicted.time_high_s, "s"));
}

std::string verdict_of(const Comparison& c) {
  switch (c.difference) {
    case Difference::faster:
    case Difference::slower:
      return format("B is {}, significant", how_much(c));
    case Difference::insignificant:
      return format("no significant difference (p = {:.2g})", c.test->p_value);
    case Difference::undecided:
      return "too few steps to say whether they differ";
    case Difference::as_predicted:
    case Difference::faster_than_predicted:
    case Difference::slower_than_predicted:
      return verdict_beside_prediction(c);
    case Difference::without_spread:
      if (!c.a.measured && !c.b.measured) return verdict_of_predictions(c);
      return c.a.measured
                 ? format("B is a {}, without spread: it would be {}", time_name(c.b), how_much(c))
                 : format("A is a {}, without spread: B, as measured, is {}", time_name(c.a),
                          how_much(c));
    case Difference::unavailable: {
      std::vector<std::string> reasons;
      if (!c.a.time_s) reasons.push_back(missing_time(c.a, "A"));
      if (!c.b.time_s) reasons.push_back(missing_time(c.b, "B"));
      return join(reasons, "; ");
    }
  }
  return {};
}

Difference beside_prediction(const Comparand& measured, const Comparand& predicted) {
  if (*measured.time_s < *predicted.time_low_s) return Difference::faster_than_predicted;
  if (*measured.time_s > *predicted.time_high_s) return Difference::slower_than_predicted;
  return Difference::as_predicted;
}

Difference difference_of(const Comparison& c) {
  if (!c.speedup) return Difference::unavailable;
  if (c.a.measured && c.b.has_predicted_interval()) return beside_prediction(c.a, c.b);
  if (c.b.measured && c.a.has_predicted_interval()) return beside_prediction(c.b, c.a);
  if (!c.a.measured || !c.b.measured) return Difference::without_spread;
  if (!c.test || least_p_value(c.a.steps_s.size(), c.b.steps_s.size()) > significance_level) {
    return Difference::undecided;
  }
  if (c.test->p_value > significance_level) return Difference::insignificant;
  return *c.speedup >= 1.0 ? Difference::faster : Difference::slower;
}

/// What tells a case apart, by name; `otherwise` where nothing is known of it.
std::string fact_of(const Comparand& side, const std::string& name, const std::string& otherwise) {
  const auto fact = side.facts.find(name);
  return fact == side.facts.end() ? otherwise : fact->second;
}

std::vector<std::string> differences_of(const Comparand& a, const Comparand& b) {
  std::vector<std::string> found;
  const auto add = [&found](std::string_view name, const auto& first, const auto& second) {
    if (first != second) found.push_back(format("{}: {}, {}", name, first, second));
  };
  add("model", a.model, b.model);
  add("batch", a.batch, b.batch);
  add("phase", name_of(a.phase), name_of(b.phase));
  add("precision", name_of(a.precision), name_of(b.precision));
  if (a.measured != b.measured) return found;  // what was predicted has no versions
  if (!a.measured) add("time", time_name(a), time_name(b));
  std::map<std::string, std::string> names = a.facts;
  names.insert(b.facts.begin(), b.facts.end());
  for (const auto& [name, fact] : names) add(name, fact_of(a, name, "-"), fact_of(b, name, "-"));
  return found;
}

/// How much two cases must have in common to be a pair.
enum class Likeness : std::uint8_t { all, but_worker, but_device, case_only };

std::string key_of(const Comparand& side, Likeness likeness) {
  std::string key = format("{}\n{}\n{}\n{}", side.model, side.batch, name_of(side.phase),
                           name_of(side.precision));
  std::vector<std::string> names;
  if (likeness != Likeness::case_only) {
    names = {"context", "optimizer", "variant", "rewrite", "channels_last", "data"};
  }
  if (likeness <= Likeness::but_worker) names.insert(names.end(), {"device", "processor"});
  if (likeness == Likeness::all) names.emplace_back("worker");
  for (const std::string& name : names) key += "\n" + fact_of(side, name, "");
  return key;
}

/// The open cases of a list that have a key.
std::vector<std::size_t> with_key(std::span<const Comparand> list, const std::vector<bool>& taken,
                                  const std::string& key, Likeness likeness) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!taken[i] && key_of(list[i], likeness) == key) found.push_back(i);
  }
  return found;
}

}  // namespace

std::string Comparand::other_worker() const {
  const auto worker = facts.find("worker");
  return worker == facts.end() || worker->second == record::usual_worker ? "" : worker->second;
}

Comparison compare(const Comparand& a, const Comparand& b) {
  Comparison result;
  result.a = a;
  result.b = b;
  if (a.time_s && b.time_s && *a.time_s > 0.0 && *b.time_s > 0.0) {
    result.speedup = *a.time_s / *b.time_s;
    // A time without an interval: the other side's is all there is.
    const double a_low = a.time_low_s.value_or(*a.time_s);
    const double a_high = a.time_high_s.value_or(*a.time_s);
    const double b_low = b.time_low_s.value_or(*b.time_s);
    const double b_high = b.time_high_s.value_or(*b.time_s);
    const bool spread = a.measured || b.measured || a.time_low_s || b.time_low_s;
    if (spread && b_low > 0.0 && b_high > 0.0) {
      result.speedup_low = a_low / b_high;
      result.speedup_high = a_high / b_low;
    }
  }
  if (!a.steps_s.empty() && !b.steps_s.empty()) result.test = rank_test(a.steps_s, b.steps_s);
  result.difference = difference_of(result);
  result.verdict = verdict_of(result);
  result.differences = differences_of(a, b);
  return result;
}

std::vector<std::string> undecided_pairs(const ComparisonList& list) {
  const auto devices = [](const std::vector<Comparand>& side, const std::string& key) {
    std::vector<std::string> names;
    for (const Comparand& each : side) {
      if (key_of(each, Likeness::case_only) != key) continue;
      const std::string worker = each.other_worker();
      names.push_back(worker.empty() ? each.device : format("{} by {}", each.device, worker));
    }
    return names;
  };
  std::vector<std::string> sentences;
  std::set<std::string> said;
  for (const Comparand& each : list.only_a) {
    const std::string key = key_of(each, Likeness::case_only);
    const std::vector<std::string> theirs = devices(list.only_b, key);
    if (theirs.empty() || !said.insert(key).second) continue;
    sentences.push_back(format("{}, batch {}, {}, {}: {} versus {}", each.model, each.batch,
                               name_of(each.phase), name_of(each.precision),
                               join(devices(list.only_a, key), ", "), join(theirs, ", ")));
  }
  return sentences;
}

ComparisonList compare_all(std::span<const Comparand> a, std::span<const Comparand> b) {
  ComparisonList result;
  if (a.size() == 1 && b.size() == 1) {
    result.pairs.push_back(compare(a.front(), b.front()));
    return result;
  }
  std::vector<bool> a_taken(a.size(), false);
  std::vector<bool> b_taken(b.size(), false);
  std::vector<std::optional<std::size_t>> partner(a.size());
  for (const Likeness likeness :
       {Likeness::all, Likeness::but_worker, Likeness::but_device, Likeness::case_only}) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a_taken[i]) continue;
      const std::string key = key_of(a[i], likeness);
      const std::vector<std::size_t> mine = with_key(a, a_taken, key, likeness);
      const std::vector<std::size_t> theirs = with_key(b, b_taken, key, likeness);
      if (mine.size() != 1 || theirs.size() != 1) continue;
      partner[i] = theirs.front();
      a_taken[i] = b_taken[theirs.front()] = true;
    }
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (partner[i]) {
      result.pairs.push_back(compare(a[i], b[*partner[i]]));
    } else {
      result.only_a.push_back(a[i]);
    }
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!b_taken[i]) result.only_b.push_back(b[i]);
  }
  return result;
}

}  // namespace rooflab::analyze
