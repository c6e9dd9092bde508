#include "device_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "base/format.hpp"

namespace rooflab::report {
namespace {

/// `2.7`, or `2.7 to 3.3`.
std::string ratio_range(double least, double most) {
  const std::string low = format("{:.2g}", least);
  const std::string high = format("{:.2g}", most);
  return low == high ? low : format("{} to {}", low, high);
}

/// What tells a case from others on the same device: network and settings.
std::string work_key(const HeadCase& each) {
  return format("{}\n{}", each.model, join(each.settings, "\n"));
}

/// What the devices are compared by: all measured times, or all expected ones, or all limits.
struct ComparedTimes {
  std::optional<double> HeadCase::*time_s = nullptr;  ///< nullptr: they are of different kinds
  std::string_view before;
  std::string_view verb;
};
ComparedTimes compared_times(std::span<const HeadCase> cases) {
  const auto all = [cases](auto member) {
    return std::ranges::all_of(
        cases, [member](const HeadCase& each) { return (each.*member).has_value(); });
  };
  if (all(&HeadCase::measured_s)) return {&HeadCase::measured_s, "", "is"};
  const bool any_measured =
      std::ranges::any_of(cases, [](const HeadCase& each) { return each.is_measurement; });
  if (any_measured) return {};
  if (all(&HeadCase::predicted_s)) return {&HeadCase::predicted_s, "", "is expected to be"};
  return {&HeadCase::limit_s, "By its limit ", "is"};
}

/// Times by work, then by device: of the work that all devices have a time of.
using TimesOfWork = std::map<std::string, std::map<std::string, double>>;

/// From the fastest to the slowest.
chart::Names by_speed(chart::Names devices, const TimesOfWork& times) {
  const auto sum_of_logarithms = [&](const std::string& device) {
    double sum = 0.0;
    for (const auto& [work, of] : times) sum += std::log(of.at(device));
    return sum;
  };
  std::ranges::stable_sort(devices, {}, sum_of_logarithms);
  return devices;
}

/// `2.7 to 3.3 times as fast as t4`; `as fast as t4`.
std::string times_as_fast(const std::string& one, const std::string& other,
                          const TimesOfWork& times) {
  double least = INFINITY;
  double most = 0.0;
  for (const auto& [work, of] : times) {
    const double ratio = of.at(other) / of.at(one);
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  const std::string ratio = ratio_range(least, most);
  return format("{}as fast as {}", ratio == "1" ? "" : ratio + " times ", other);
}

/// The first of several devices before the others.
std::string ranking_of(const chart::Names& devices, const TimesOfWork& times,
                       const ComparedTimes& compared) {
  const chart::Names ordered = by_speed(devices, times);
  const bool all_named = ordered.size() <= most_names + 1;
  chart::Names others;
  if (all_named) {
    for (std::size_t i = 1; i < ordered.size(); ++i) {
      others.push_back(times_as_fast(ordered.front(), ordered[i], times));
    }
  } else {
    others = {times_as_fast(ordered.front(), ordered[1], times),
              times_as_fast(ordered.front(), ordered.back(), times)};
  }
  return format(
      "{}{} {} {}{}.", compared.before, ordered.front(), compared.verb, join(others, ", "),
      all_named ? ""
                : format(", the second fastest and the slowest of {} devices", ordered.size()));
}

/// Those whose times rest on measurements of other architectures, and the first of the others.
std::string far_sentence(const chart::Names& far, const std::string& first,
                         const TimesOfWork& times, const ComparedTimes& compared) {
  if (first.empty()) return "All are carried far, from measurements on other architectures.";
  const std::string fastest = by_speed(far, times).front();
  return format("Carried far, from measurements on other architectures: {}{} {} {}.",
                far.size() > 1 ? format("{} devices, of which ", far.size()) : "", fastest,
                compared.verb, times_as_fast(fastest, first, times));
}

}  // namespace

std::vector<std::string> device_sentences(std::span<const HeadCase> cases,
                                          const chart::Names& devices) {
  const ComparedTimes compared = compared_times(cases);
  if (compared.time_s == nullptr) return {};
  TimesOfWork times;
  chart::Names far;
  for (const HeadCase& each : cases) {
    if (const auto& time_s = each.*compared.time_s) {
      times[work_key(each)].emplace(each.device, *time_s);
    }
    const bool carried_far = each.carried_far && compared.time_s == &HeadCase::predicted_s;
    if (carried_far) chart::add_known(far, each.device);
  }
  std::erase_if(times, [&](const auto& entry) { return entry.second.size() < devices.size(); });
  if (times.empty()) return {};
  chart::Names near = devices;
  std::erase_if(
      near, [&](const std::string& device) { return std::ranges::find(far, device) != far.end(); });
  std::vector<std::string> sentences;
  if (near.empty()) {
    sentences.push_back(ranking_of(far, times, compared));
  } else if (near.size() > 1) {
    sentences.push_back(ranking_of(near, times, compared));
  }
  if (!far.empty()) {
    const std::string first = near.empty() ? "" : by_speed(near, times).front();
    sentences.push_back(far_sentence(far, first, times, compared));
  }
  return sentences;
}

}  // namespace rooflab::report
