// Times that are not the network's.
//
// The first use of a device makes its context, loads the libraries and tries their algorithms: some
// tenths of a second to several seconds, whatever the network. Two signs, both against our time of
// the case (measured, else predicted, else the limit; of several that fit a row the longest):
//
//   rows of one source and device   the work differs by half or more by our times, but what the
//                                   published times grow by is at most a quarter of what the work
//                                   grows by. T = c + k t is fitted by least squares (k not below
//                                   0; with two rows the line through them); c is the constant, and
//                                   claimed when it is half of the shortest published time or more
//   a row by itself                 our time is at most 5 % of the published one. Eager frameworks
//                                   reach 10 to 30 % of the limit even where the host is slow
//
// In both the constant must lie between 50 ms and a minute. A step of a thousand ops is issued in
// some 10 ms, so less may be the host's work for each step. Above a minute it is more likely a
// training run of many steps, which a single row cannot tell from set-up; its sentence names both.

#include <algorithm>

#include "finding_rules.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

constexpr double least_set_up_s = 0.05;
constexpr double most_set_up_s = 60.0;
constexpr double most_own_share = 0.05;
constexpr double least_work_ratio = 1.5;
constexpr double most_growth = 0.25;
constexpr double least_constant_share = 0.5;

struct TimedRow {
  const PublishedCase* published = nullptr;
  double published_s = 0.0;
  OwnTime own;
};

/// T = constant + slope * t.
struct Line {
  double constant_s = 0.0;
  double slope = 0.0;
};

Line fit(const std::vector<TimedRow>& rows) {
  const auto count = static_cast<double>(rows.size());
  double mean_own = 0.0;
  double mean_published = 0.0;
  for (const TimedRow& row : rows) {
    mean_own += row.own.seconds / count;
    mean_published += row.published_s / count;
  }
  double above = 0.0;
  double below = 0.0;
  for (const TimedRow& row : rows) {
    const double distance = row.own.seconds - mean_own;
    above += distance * (row.published_s - mean_published);
    below += distance * distance;
  }
  const double slope = below > 0.0 ? std::max(above / below, 0.0) : 0.0;
  return {mean_published - slope * mean_own, slope};
}

bool is_set_up(double seconds) { return seconds >= least_set_up_s && seconds <= most_set_up_s; }

double spread(const std::vector<TimedRow>& rows, double (*time_of)(const TimedRow&)) {
  const auto [least, most] = std::ranges::minmax(rows, {}, time_of);
  return time_of(most) / time_of(least);
}

double published_time(const TimedRow& row) { return row.published_s; }
double own_time(const TimedRow& row) { return row.own.seconds; }

std::string row_evidence(const TimedRow& row) {
  return format("{}: published {}, {} {} ({:.2g} %)", row.published->name, si(row.published_s, "s"),
                row.own.own->origin(), si(row.own.seconds, "s"),
                row.own.seconds / row.published_s * 100.0);
}

/// What we measured of the same: how long a first call takes here.
void add_first_calls(Finding& finding, const std::vector<TimedRow>& rows) {
  for (const TimedRow& row : rows) {
    for (const std::string_view quantity : {"first_call", "setup"}) {
      if (const auto seconds = row.own.own->figure(quantity)) {
        finding.evidence.push_back(
            format("{} of {}: {} {}", row.own.own->origin(), row.published->name,
                   quantity == "setup" ? "set-up" : "first call", si(*seconds, "s")));
      }
    }
  }
}

std::optional<Finding> series_finding(const std::vector<TimedRow>& rows) {
  if (rows.size() < 2) return std::nullopt;
  const double work = spread(rows, own_time);
  const double times = spread(rows, published_time);
  if (work < least_work_ratio || times - 1.0 > most_growth * (work - 1.0)) return std::nullopt;
  const Line line = fit(rows);
  const double shortest = published_time(std::ranges::min(rows, {}, published_time));
  if (!is_set_up(line.constant_s) || line.constant_s < least_constant_share * shortest) {
    return std::nullopt;
  }
  const CaseKey& key = rows.front().published->key;
  std::vector<std::string> networks;
  for (const TimedRow& row : rows) {
    const std::string& network = row.published->row->where.at("model");
    if (!std::ranges::count(networks, network)) networks.push_back(network);
  }
  Finding finding{.kind = Finding::Kind::set_up,
                  .subject = format("{} on {}", join(networks, ", "), key.device)};
  finding.sentence = format(
      "the work differs {:.3g}-fold, the times only {:.3g}-fold: about {} of each time do not "
      "depend on the network, but are set-up",
      work, times, si(line.constant_s, "s", 3));
  for (const TimedRow& row : rows) finding.evidence.push_back(row_evidence(row));
  finding.evidence.push_back(format("least squares: published time = {} + {:.3g} times ours",
                                    si(line.constant_s, "s", 3), line.slope));
  add_first_calls(finding, rows);
  return finding;
}

bool is_hardly_ours(const TimedRow& row) {
  return row.own.seconds <= most_own_share * row.published_s &&
         is_set_up(row.published_s - row.own.seconds);
}

Finding row_finding(const TimedRow& row) {
  Finding finding{.kind = Finding::Kind::set_up, .subject = row.published->name};
  finding.sentence = format(
      "{} is {:.3g} times {} of {}: nearly all of it is set-up, or it is the time of more "
      "than one {}",
      si(row.published_s, "s"), row.published_s / row.own.seconds, row.own.own->origin(),
      si(row.own.seconds, "s"), pass_name(row.published->key));
  finding.evidence.push_back(row_evidence(row));
  add_first_calls(finding, {row});
  return finding;
}

std::optional<TimedRow> timed_row(const FindingContext& context, const PublishedCase& published) {
  const auto time = published.value("time");
  const auto own = own_time_of(context, published);
  if (!time || !own) return std::nullopt;
  return TimedRow{&published, *time, *own};
}

}  // namespace

std::optional<OwnTime> own_time_of(const FindingContext& context, const PublishedCase& published) {
  std::optional<OwnTime> longest;
  for (const OwnCase& own : context.own) {
    if (own.key.device.empty() || published.key.device.empty()) continue;
    if (!same_case(own.key, published.key)) continue;
    auto seconds = own.figure("time");
    if (!seconds) seconds = own.figure("limit");
    if (seconds && (!longest || *seconds > longest->seconds)) longest = OwnTime{*seconds, &own};
  }
  return longest;
}

bool is_mostly_set_up(const FindingContext& context, const PublishedCase& published) {
  const auto row = timed_row(context, published);
  return row && is_hardly_ours(*row);
}

std::vector<Finding> set_up_findings(const FindingContext& context) {
  // In the order of the study: by the first row of a source on a device.
  std::vector<std::vector<TimedRow>> series;
  for (const PublishedCase& published : context.published) {
    const auto row = timed_row(context, published);
    if (!row) continue;
    const auto found = std::ranges::find_if(series, [&](const std::vector<TimedRow>& rows) {
      const PublishedCase& first = *rows.front().published;
      return first.row->source == published.row->source && first.key.gpus == published.key.gpus &&
             same_device(first.key, published.key);
    });
    if (found == series.end()) {
      series.push_back({*row});
    } else {
      found->push_back(*row);
    }
  }
  std::vector<Finding> found;
  for (const std::vector<TimedRow>& rows : series) {
    if (auto finding = series_finding(rows)) {
      found.push_back(std::move(*finding));
      continue;
    }
    for (const TimedRow& row : rows) {
      if (is_hardly_ours(row)) found.push_back(row_finding(row));
    }
  }
  return found;
}

}  // namespace rooflab::study
