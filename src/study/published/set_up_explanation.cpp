// Times that are not the network's.
//
// The first use of a device makes its context, loads the libraries and tries their algorithms: some
// tenths of a second to several seconds, whatever the network. Two signs, both against our time of
// the case (time, else limit; of several that fit a row those of its very precision and phase, of
// these the longest):
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
// training run of many steps, which a single row cannot tell from set-up; its sentence names both,
// and within 10 % of 1000 times ours the third reading, milliseconds that were printed as seconds.
//
// Rows of one source and device whose times grow as the work does (is_in_proportion) have no set-up
// in them, whatever their ratio to ours: many steps, or another unit (slip_explanation.cpp).

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "explanation_rules.hpp"

namespace rooflab::study {
namespace {

constexpr double least_set_up_s = 0.05;
constexpr double most_set_up_s = 60.0;
constexpr double most_own_share = 0.05;
constexpr double most_off_unit = 0.10;
constexpr double most_growth = 0.25;
constexpr double least_constant_share = 0.5;
/// What a time is in.
constexpr auto of_times =
    std::to_array<std::string_view>({"time", "throughput", "counted_throughput"});

/// T = constant + slope * t.
struct FittedLine {
  double constant_s = 0.0;
  double slope = 0.0;
};

FittedLine fit(const TimeSeries& rows) {
  const auto count = static_cast<double>(rows.size());
  double mean_own = 0.0;
  double mean_published = 0.0;
  for (const TimedRow& row : rows) {
    mean_own += row.own_s / count;
    mean_published += row.published_s / count;
  }
  double above = 0.0;
  double below = 0.0;
  for (const TimedRow& row : rows) {
    const double distance = row.own_s - mean_own;
    above += distance * (row.published_s - mean_published);
    below += distance * distance;
  }
  const double slope = below > 0.0 ? std::max(above / below, 0.0) : 0.0;
  return {mean_published - slope * mean_own, slope};
}

bool is_set_up(double seconds) { return seconds >= least_set_up_s && seconds <= most_set_up_s; }

std::string row_evidence(const TimedRow& row) {
  const double percent = row.own_s / row.published_s * 100.0;
  return format("{}: published {}, {} {} ({} %)", row.published->name, si(row.published_s, "s"),
                row.own->origin(), si(row.own_s, "s"),
                percent < 99.5 ? format("{:.2g}", percent) : format("{:.0f}", percent));
}

/// What we measured of the same: how long a first call takes here.
void add_first_calls(Explanation& explanation, const TimeSeries& rows) {
  for (const TimedRow& row : rows) {
    for (const std::string_view quantity : {"first_call", "setup"}) {
      if (const auto seconds = row.own->figure(quantity)) {
        add_evidence(explanation, "{} of {}: {} {}", row.own->origin(), row.published->name,
                     quantity == "setup" ? "set-up" : "first call", si(*seconds, "s"));
      }
    }
  }
}

std::optional<Explanation> series_explanation(const TimeSeries& rows) {
  if (rows.size() < 2) return std::nullopt;
  const auto [shortest, longest] = std::ranges::minmax(rows, {}, &TimedRow::published_s);
  const double work = work_spread(rows);
  const double times = longest.published_s / shortest.published_s;
  if (work < least_work_spread || times - 1.0 > most_growth * (work - 1.0)) return std::nullopt;
  const FittedLine line = fit(rows);
  if (!is_set_up(line.constant_s) ||
      line.constant_s < least_constant_share * shortest.published_s) {
    return std::nullopt;
  }
  Explanation explanation{.kind = Explanation::Kind::set_up, .subject = subject_of(rows)};
  explanation.sentence = format(
      "{:.3g} times the work takes only {:.3g} times as long: about {} of each time are set-up, "
      "which does not depend on the network",
      work, times, si(line.constant_s, "s", 3));
  for (const TimedRow& row : rows) {
    explanation.evidence.push_back(row_evidence(row));
    add_figures(explanation, *row.published, of_times);
  }
  add_evidence(explanation, "least squares: published time = {} + {:.3g} times ours",
               si(line.constant_s, "s", 3), line.slope);
  add_first_calls(explanation, rows);
  return explanation;
}

bool is_hardly_ours(const TimedRow& row) {
  return row.own_s <= most_own_share * row.published_s && is_set_up(row.published_s - row.own_s);
}

Explanation row_explanation(const TimedRow& row) {
  Explanation explanation{
      Explanation::Kind::set_up,
      row.published->name,
      format("{} is {:.3g} times {} of {}: nearly all of it is set-up, or it is the time of more "
             "than one {}{}",
             si(row.published_s, "s"), row.ratio(), row.own->origin(), si(row.own_s, "s"),
             pass_name(row.published->key),
             near(row.ratio(), 1000.0, most_off_unit) ? ", or milliseconds were printed as seconds"
                                                      : ""),
      {row_evidence(row)}};
  add_figures(explanation, *row.published, of_times);
  add_first_calls(explanation, {row});
  return explanation;
}

}  // namespace

bool is_mostly_set_up(const ComparedRows& context, const PublishedCase& published) {
  for (const TimeSeries& series : time_series_of(context)) {
    const auto row = std::ranges::find(series, &published, &TimedRow::published);
    if (row != series.end()) return is_hardly_ours(*row) && !is_in_proportion(series);
  }
  return false;
}

void add_set_ups(const ComparedRows& context, std::vector<Explanation>& found) {
  for (const TimeSeries& series : time_series_of(context)) {
    if (auto explanation = series_explanation(series)) {
      found.push_back(std::move(*explanation));
      continue;
    }
    if (is_in_proportion(series)) continue;
    for (const TimedRow& row : series) {
      if (is_hardly_ours(row)) found.push_back(row_explanation(row));
    }
  }
}

}  // namespace rooflab::study
