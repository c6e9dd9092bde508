#include "time_series.hpp"

#include <algorithm>
#include <cmath>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

/// Constant parts of half of the shortest time or more make ratios differ by that.
constexpr double most_ratio_spread = 2.0;

}  // namespace

std::optional<OwnTime> own_time_of(const FindingContext& context, const PublishedCase& published) {
  std::optional<OwnTime> best;
  int most = 0;
  for (const OwnCase* own : own_cases_of(context, published.key)) {
    if (own->key.device.empty() || published.key.device.empty()) continue;
    if (!same_case(own->key, published.key)) continue;
    auto seconds = own->figure("time");
    if (!seconds) seconds = own->figure("limit");
    if (!seconds) continue;
    int points = 0;
    if (own->key.precision == published.key.precision) ++points;
    if (own->key.phase == published.key.phase) ++points;
    if (!best || points > most || (points == most && *seconds > best->seconds)) {
      most = points;
      best = OwnTime{*seconds, own};
    }
  }
  return best;
}

std::vector<TimeSeries> time_series_of(const FindingContext& context) {
  std::vector<TimeSeries> all;
  for (const PublishedCase& published : context.published) {
    const auto time = published.value("time");
    const auto own = own_time_of(context, published);
    if (!time || !own) continue;
    const auto is_of = [&](const TimeSeries& series) {
      const PublishedCase& first = *series.front().published;
      return first.row->source == published.row->source && first.key.gpus == published.key.gpus &&
             same_device(first.key, published.key);
    };
    const auto found = std::ranges::find_if(all, is_of);
    TimeSeries& series = found == all.end() ? all.emplace_back() : *found;
    series.push_back({&published, *time, own->own, own->seconds});
  }
  return all;
}

double work_spread(const TimeSeries& series) {
  const auto [least, most] = std::ranges::minmax(series, {}, &TimedRow::own_s);
  return most.own_s / least.own_s;
}

bool is_in_proportion(const TimeSeries& series) {
  const double work = work_spread(series);
  if (work < least_work_spread) return false;
  const auto [least, most] = std::ranges::minmax(series, {}, &TimedRow::ratio);
  return most.ratio() / least.ratio() < std::min(most_ratio_spread, std::sqrt(work));
}

std::string subject_of(const TimeSeries& series) {
  std::vector<std::string> networks;
  for (const TimedRow& row : series) {
    const std::string& network = row.published->row->where.at("model");
    if (!std::ranges::count(networks, network)) networks.push_back(network);
  }
  return format("{} on {}", join(networks, ", "), series.front().published->key.device);
}

}  // namespace rooflab::study
