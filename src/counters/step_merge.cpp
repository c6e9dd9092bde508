// Counters of one step out of several steps that did the same.
//
// The hardware counts only a few metrics at a time. Instead of replaying a kernel, consecutive
// steps are counted, each with another set of metrics or another pass of one. CUPTI combines
// the passes of a set, first launch with first launch: the caller ensures that they launched the
// same. This file matches the launches of several sets, in two ways:
//
//   by place        if the counted step launched exactly the same as the reference step, launch i
//   is
//                   launch i
//   by fingerprint  else, launch number n with a signature is the reference's number n with it: a
//                   kernel more or less, for a log, shifts nothing else
//
// A launch without its like is dropped and counted. If the number of values differs from that
// of the launches, unknown ranges were lost, and the whole set is dropped.
//
// Metrics become figures as record::counter_metric() says: times its factor, nanoseconds in
// seconds, per cent in fractions (CUPTI gives everything else in base units). Metrics that are
// not figures are left out, and so is the time: counting makes a kernel slow, so times come from
// steps that are not counted. If a total is summed over two units of the chip, one of them is used.
//
// Some figures are sums of metrics, which may be of different sets: fp8 accumulated in fp16 and in
// fp32. Where one of those has no value the sum is not known.

#include "step_merge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "record/counter_metric.hpp"

namespace rooflab::counters {
namespace {

using record::CounterMetric;
using record::KernelFigure;
using record::MetricDimension;
using record::MetricForm;

constexpr double absent = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

/// The figure that a metric is, or a part of.
struct Part {
  KernelFigure figure = KernelFigure::time_s;
  MetricForm form = MetricForm::total;
  std::string_view base;
  double scale = 1.0;
};

std::optional<Part> part_of(std::string_view name) {
  const std::optional<CounterMetric> metric = record::counter_metric(name);
  if (!metric || metric->figure == KernelFigure::time_s) return std::nullopt;
  if (metric->form != MetricForm::total && metric->form != MetricForm::total_elsewhere) {
    return std::nullopt;
  }
  constexpr double percent = 100.0;
  const double unit = metric->dimension == MetricDimension::fraction ? 1.0 / percent : 1.0;
  return Part{metric->figure, metric->form, metric->base, metric->factor * unit};
}

/// Figures of rows. Forms of a figure are alternatives, base names add up.
class Figures {
 public:
  explicit Figures(std::size_t rows) : rows_(rows) {}

  /// Where values of a metric go; the metric is expected to have some from now on.
  std::vector<double>& column(const Part& part) {
    std::vector<double>& values = figures_[part.figure][part.form][part.base];
    if (values.empty()) values.resize(rows_, absent);
    return values;
  }

  void write(record::KernelTable& kernels, std::size_t first_row) const {
    for (const auto& [figure, forms] : figures_) {
      for (std::size_t row = 0; row < rows_; ++row) {
        for (const auto& [form, bases] : forms) {
          double sum = 0.0;
          for (const auto& [base, values] : bases) sum += values[row];
          if (!std::isfinite(sum)) continue;
          kernels.set(figure, first_row + row, sum);
          break;
        }
      }
    }
  }

 private:
  using Columns = std::map<std::string_view, std::vector<double>>;

  std::size_t rows_;
  std::map<KernelFigure, std::map<MetricForm, Columns>> figures_;
};

/// One metric of a set: where its values go, and as how much.
struct Target {
  std::vector<double>* column = nullptr;  ///< nullptr: no figure
  double scale = 1.0;

  /// The first set that has a value is the one that counts.
  void put(std::size_t row, double value) const {
    if (column == nullptr || !std::isfinite(value)) return;
    if (std::isnan((*column)[row])) (*column)[row] = value * scale;
  }
};

std::vector<Target> targets_of(std::span<const std::string> metrics, Figures& figures) {
  std::vector<Target> targets;
  for (const std::string& metric : metrics) {
    const std::optional<Part> part = part_of(metric);
    targets.push_back(part ? Target{&figures.column(*part), part->scale} : Target{});
  }
  return targets;
}

/// Row of each counted launch in the reference; `nowhere` for a stranger.
std::vector<std::size_t> places(std::span<const std::uint32_t> reference,
                                std::span<const std::uint32_t> launches) {
  std::vector<std::size_t> rows(launches.size(), nowhere);
  if (std::ranges::equal(reference, launches)) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
    return rows;
  }
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> known;
  for (std::size_t row = 0; row < reference.size(); ++row) known[reference[row]].push_back(row);
  std::unordered_map<std::uint32_t, std::size_t> before;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto same = known.find(launches[i]);
    const std::size_t number = before[launches[i]]++;
    if (same != known.end() && number < same->second.size()) rows[i] = same->second[number];
  }
  return rows;
}

}  // namespace

std::vector<MergeCount> merge_steps(record::KernelTable& kernels,
                                    std::span<const std::uint32_t> reference,
                                    std::span<const CountedLaunches> sets) {
  Figures figures(reference.size());
  std::vector<MergeCount> counts;
  for (const CountedLaunches& set : sets) {
    const std::size_t width = set.metrics.size();
    const std::vector<Target> targets = targets_of(set.metrics, figures);
    const bool whole = set.values.size() == set.launches.size() * width;
    const std::vector<std::size_t> rows =
        whole ? places(reference, set.launches)
              : std::vector<std::size_t>(set.launches.size(), nowhere);
    MergeCount count;
    for (std::size_t launch = 0; launch < rows.size(); ++launch) {
      if (rows[launch] == nowhere) {
        ++count.strange;
        continue;
      }
      ++count.matched;
      for (std::size_t metric = 0; metric < width; ++metric) {
        targets[metric].put(rows[launch], set.values[launch * width + metric]);
      }
    }
    count.missing = static_cast<std::int64_t>(reference.size()) - count.matched;
    counts.push_back(count);
  }
  figures.write(kernels, 0);
  return counts;
}

void merge_totals(record::KernelTable& kernels, std::size_t row,
                  std::span<const CountedStep> sets) {
  Figures figures(1);
  for (const CountedStep& set : sets) {
    const std::vector<Target> targets = targets_of(set.metrics, figures);
    for (std::size_t metric = 0; metric < std::min(targets.size(), set.values.size()); ++metric) {
      targets[metric].put(0, set.values[metric]);
    }
  }
  figures.write(kernels, row);
}

}  // namespace rooflab::counters
