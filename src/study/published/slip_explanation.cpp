// Printed figures that contradict each other, and times in another unit than they are said to be.
//
// Of one row, where figures of ours are not needed:
//
//   quotients   intensity = FLOPs / bytes, throughput = FLOPs / time. A row may print several
//               counts, bytes and times (estimated, counted, forward and backward); the printed
//               quotient must be one of theirs
//   sums        FLOPs (or bytes) of the step = forward + backward, where all three are printed
//   products    bytes of the parameters = parameters * bytes each
//
// More than 1 % apart is a contradiction: three printed digits round by 0.5 % at most, and both
// sides may have been rounded. A slip in the last digits is not seen. A quotient may also have been
// made of figures that the row does not print; the sentence says only what is there.
//
// Of the rows of one source on one device, compared with our times:
//
//   units       published time / ours is 1000 (1000^2, or one over these) in every row, within the
//               interval of ours or 10 %, and the times grow as the work does (is_in_proportion).
//               One row cannot tell: set-up and runs of many steps have any ratio. Times that are
//               ours for one image of the batch are not in another unit
//
// When it is wrong: times of about a thousand steps each look the same.

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "base/format.hpp"
#include "explanation_rules.hpp"
#include "own_counts.hpp"

namespace rooflab::study {
namespace {

constexpr double least_interval = 0.10;  // machines of one kind, versions, clocks

/// A printed figure, or the sum of two.
struct Term {
  std::string name;
  double value = 0.0;
};

bool agree(double a, double b) {
  return std::abs(a - b) <= most_rounding * std::max(std::abs(a), std::abs(b));
}

std::vector<Term> terms_of(const PublishedCase& published,
                           std::initializer_list<std::string_view> quantities,
                           std::string_view forward, std::string_view backward) {
  std::vector<Term> terms;
  for (const std::string_view quantity : quantities) {
    if (const auto value = published.value(quantity)) {
      terms.push_back({std::string(quantity), *value});
    }
  }
  const auto before = published.value(forward);
  const auto after = published.value(backward);
  if (before && after) terms.push_back({format("({} + {})", forward, backward), *before + *after});
  return terms;
}

void add_quotient(std::vector<Explanation>& found, const PublishedCase& published,
                  std::string_view quantity, std::string_view unit, const std::vector<Term>& above,
                  const std::vector<Term>& below) {
  const auto printed = published.value(quantity);
  if (!printed || above.empty() || below.empty()) return;
  Explanation explanation{.kind = Explanation::Kind::slip, .subject = published.name};
  for (const Term& counter : above) {
    for (const Term& divisor : below) {
      const double value = counter.value / divisor.value;
      if (agree(*printed, value)) return;
      add_evidence(explanation, "{} / {} = {} / {} = {}", counter.name, divisor.name,
                   si(counter.value, ""), si(divisor.value, ""), si(value, unit));
    }
  }
  explanation.sentence =
      format("{} is printed as {}, which is not a quotient of the row's own figures", quantity,
             si(*printed, unit));
  add_figures(explanation, published, {quantity});
  found.push_back(std::move(explanation));
}

void add_sum(std::vector<Explanation>& found, const PublishedCase& published, const OwnCounts& own,
             std::string_view total, std::string_view kind, std::string_view unit) {
  const std::string forward = format("forward_{}", kind);
  const std::string backward = format("backward_{}", kind);
  const auto printed = published.value(total);
  const auto before = published.value(forward);
  const auto after = published.value(backward);
  if (!printed || !before || !after || agree(*printed, *before + *after)) return;
  const std::string sum = si(*before + *after, unit);
  Explanation explanation{
      Explanation::Kind::slip,
      published.name,
      format("{} is printed as {}, but {} and {} add up to {}", total, si(*printed, unit), forward,
             backward, sum),
      {format("{} + {} = {}, not {}", si(*before, unit), si(*after, unit), sum, si(*printed, unit)),
       format("the printed {} would need a {} of {}", total, backward,
              si(*printed - *before, unit))}};
  add_figures(explanation, published, {total, forward, backward});
  const auto& batch = published.key.batch;
  const auto image = own.forward_matrix();
  const auto gradients = batch ? own.backward_matrix(*batch) : std::nullopt;
  if (image && gradients && unit == "FLOP") {
    const double pass = *image * *batch;
    add_evidence(explanation, "our counts of matrix work: forward {}, backward {}, together {}",
                 si(pass, unit), si(*gradients, unit), si(pass + *gradients, unit));
  }
  found.push_back(std::move(explanation));
}

/// Parameters may be in any floating type, so only a size that fits none contradicts.
void add_product(std::vector<Explanation>& found, const PublishedCase& published) {
  const auto count = published.value("parameters");
  const auto bytes = published.value("parameter_memory");
  if (!count || !bytes) return;
  constexpr std::array sizes = {1.0, 2.0, 4.0, 8.0};
  if (std::ranges::any_of(sizes, [&](double size) { return agree(*bytes, *count * size); })) return;
  Explanation explanation{
      Explanation::Kind::slip,
      published.name,
      format("{} of parameters are not {} parameters of 1, 2, 4 or 8 bytes each", si(*bytes, "B"),
             si(*count, "")),
      {format("{} / {} = {:.3f} bytes each", si(*bytes, "B"), si(*count, ""), *bytes / *count)}};
  add_figures(explanation, published, {"parameters", "parameter_memory"});
  found.push_back(std::move(explanation));
}

/// A time that was printed in seconds but is in another unit, or the other way round.
struct UnitSlip {
  double factor = 1.0;  ///< ratio of the printed time to the right one
  std::string_view ratio;
  std::string_view words;
};
constexpr std::array unit_slips = {
    UnitSlip{1e3, "1000 times ours", "milliseconds that were printed as seconds"},
    UnitSlip{1e6, "1000000 times ours", "microseconds that were printed as seconds"},
    UnitSlip{1e-3, "1/1000 of ours", "seconds that were printed as milliseconds"},
    UnitSlip{1e-6, "1/1000000 of ours", "seconds that were printed as microseconds"},
};

/// The interval of our time where it has one.
const Figure* published_interval_of(const TimedRow& row) {
  const Figure* time = row.own->study_case->find("time");
  return time != nullptr && time->low && time->high ? time : nullptr;
}

bool is_ours(const TimedRow& row, double seconds) {
  const Figure* interval = published_interval_of(row);
  if (interval != nullptr && seconds >= *interval->low && seconds <= *interval->high) return true;
  return near(seconds, row.own_s, least_interval);
}

std::optional<Explanation> unit_explanation(const TimeSeries& series) {
  if (!is_in_proportion(series)) return std::nullopt;
  const auto explains_all = [&](const UnitSlip& slip) {
    return std::ranges::all_of(series, [&](const TimedRow& row) {
      const double batch = row.own->key.batch.value_or(1.0);
      return is_ours(row, row.published_s / slip.factor) && !is_ours(row, row.published_s * batch);
    });
  };
  const auto* const slip = std::ranges::find_if(unit_slips, explains_all);
  if (slip == unit_slips.end()) return std::nullopt;
  Explanation explanation{.kind = Explanation::Kind::slip, .subject = subject_of(series)};
  explanation.sentence =
      format("the times are {}, each within our interval or 10 %, and grow as the work does: {}",
             slip->ratio, slip->words);
  for (const TimedRow& row : series) {
    add_figures(explanation, *row.published, {"time"});
    const Figure* interval = published_interval_of(row);
    add_evidence(explanation, "{}: published {}, {} {}{}, ratio {:.3g}", row.published->name,
                 si(row.published_s, "s"), row.own->origin(), si(row.own_s, "s"),
                 interval == nullptr
                     ? ""
                     : format(" ({} to {})", si(*interval->low, "s"), si(*interval->high, "s")),
                 row.ratio());
  }
  const auto [least, most] = std::ranges::minmax(series, {}, &TimedRow::published_s);
  add_evidence(explanation, "the work differs {:.3g}-fold, the times {:.3g}-fold{}",
               work_spread(series), most.published_s / least.published_s,
               slip->factor > 1.0 ? "; as many steps of each would look the same" : "");
  return explanation;
}

}  // namespace

void add_slips(const ComparedRows& context, std::vector<Explanation>& found) {
  for (const PublishedCase& published : context.published) {
    const std::vector<Term> flops =
        terms_of(published, {"flops", "counted_flops", "estimated_flops"}, "forward_flops",
                 "backward_flops");
    const std::vector<Term> bytes = terms_of(published, {"bytes", "dram_bytes", "estimated_bytes"},
                                             "forward_bytes", "backward_bytes");
    const std::vector<Term> times = terms_of(published, {"time", "estimated_time"}, "", "");
    // A quotient of what is held is another kind of explanation.
    std::vector<Term> held = bytes;
    if (const auto memory = published.value("memory")) held.push_back({"memory", *memory});
    add_quotient(found, published, "intensity", "FLOP/B", flops, held);
    add_quotient(found, published, "counted_intensity", "FLOP/B", flops, held);
    add_quotient(found, published, "throughput", "FLOP/s", flops, times);
    add_quotient(found, published, "counted_throughput", "FLOP/s", flops, times);
    const OwnCounts own(context, published.key);
    add_sum(found, published, own, "flops", "flops", "FLOP");
    add_sum(found, published, own, "estimated_flops", "flops", "FLOP");
    add_sum(found, published, own, "bytes", "bytes", "B");
    add_sum(found, published, own, "estimated_bytes", "bytes", "B");
    add_product(found, published);
  }
  for (const TimeSeries& series : time_series_of(context)) {
    add(found, unit_explanation(series));
  }
}

}  // namespace rooflab::study
