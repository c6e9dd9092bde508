// Counters of one step out of several steps that did the same.
//
// The hardware counts only so many metrics at a time. Instead of replaying a kernel, consecutive
// steps are counted, each with another set of metrics. What belongs together is found in two ways:
//
//   by place        where the counted step launched just what the reference step did, launch i is
//                   launch i
//   by fingerprint  else, launch number n with a signature is the reference's number n with it: a
//                   kernel more or less, for a log, shifts nothing else
//
// A launch without its like is dropped and counted. Where the values are not as many as the
// launches, ranges were lost without anybody telling which ones, and the whole set is dropped.
//
// Metrics become figures as record::counter_metric() says: times its factor, nanoseconds in
// seconds, per cent in fractions (CUPTI gives everything else in base units). Those that are no
// figure are left out, as is the time: counting makes a kernel slow, so that times come from steps
// that are not counted. Of the same total summed over two units of the chip, one is taken.
//
// Some figures are sums of metrics, which may be of different sets: fp8 accumulated in fp16 and in
// fp32; fp16 on GH100, counted in three parts because the whole takes more than one pass. Where one
// of those has no value the sum is not known. Where a whole was counted, its parts are not added.

#include "rooflab/counters/step_merge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "rooflab/record/counter_metric.hpp"

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
  std::string_view base;  ///< of the metric itself or of the whole that it is a part of
  std::string_view part;  ///< empty: the whole
  std::size_t parts = 0;  ///< that make the whole
  double scale = 1.0;
};

std::string_view base_of(std::string_view metric) { return metric.substr(metric.find("__") + 2); }

/// The tensor metric that `metric` is a part of, as a base name.
std::optional<Part> tensor_part(std::string_view metric, std::string_view chip,
                                const CounterMetric& meaning) {
  std::vector<std::string_view> wholes = record::tensor_metrics_of(chip);
  for (const std::string_view whole : record::tensor_integer_metrics_of(chip)) {
    wholes.push_back(whole);
  }
  for (const std::string_view whole : wholes) {
    const std::vector<std::string_view> parts = record::tensor_parts_of(chip, whole);
    for (const std::string_view part : parts) {
      if (metric.starts_with(part) && metric.substr(part.size()) == ".sum") {
        return Part{meaning.figure, meaning.form, base_of(whole),
                    part,           parts.size(), meaning.factor};
      }
    }
  }
  return std::nullopt;
}

std::optional<Part> part_of(std::string_view name, std::string_view chip) {
  const std::optional<CounterMetric> metric = record::counter_metric(name, chip);
  if (!metric || metric->figure == KernelFigure::time_s) return std::nullopt;
  if (metric->form != MetricForm::total && metric->form != MetricForm::total_elsewhere) {
    return std::nullopt;
  }
  if (!record::counter_metric(name)) return tensor_part(name, chip, *metric);
  constexpr double percent = 100.0;
  const double unit = metric->dimension == MetricDimension::fraction ? 1.0 / percent : 1.0;
  return Part{metric->figure, metric->form, metric->base, {}, 0, metric->factor * unit};
}

/// Figures of rows. Forms of a figure are alternatives, base names add up.
class Figures {
 public:
  explicit Figures(std::size_t rows) : rows_(rows) {}

  /// Where values of a metric go; the metric is expected to have some from now on.
  std::vector<double>& column(const Part& part) {
    Total& total = figures_[part.figure][part.form][part.base];
    total.parts_of_whole = std::max(total.parts_of_whole, part.parts);
    std::vector<double>& values = part.part.empty() ? total.whole : total.parts[part.part];
    if (values.empty()) values.resize(rows_, absent);
    return values;
  }

  void write(record::KernelTable& kernels, std::size_t first_row) const {
    for (const auto& [figure, forms] : figures_) {
      for (std::size_t row = 0; row < rows_; ++row) {
        for (const auto& [form, totals] : forms) {
          double sum = 0.0;
          for (const auto& [base, total] : totals) sum += total.at(row);
          if (!std::isfinite(sum)) continue;
          kernels.set(figure, first_row + row, sum);
          break;
        }
      }
    }
  }

 private:
  struct Total {
    std::vector<double> whole;
    std::map<std::string_view, std::vector<double>> parts;
    std::size_t parts_of_whole = 0;

    [[nodiscard]] double at(std::size_t row) const {
      if (!whole.empty() && !std::isnan(whole[row])) return whole[row];
      if (parts.empty() || parts.size() < parts_of_whole) return absent;
      double sum = 0.0;
      for (const auto& [name, values] : parts) sum += values[row];
      return sum;
    }
  };

  std::size_t rows_;
  std::map<KernelFigure, std::map<MetricForm, std::map<std::string_view, Total>>> figures_;
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

std::vector<Target> targets_of(std::span<const std::string> metrics, std::string_view chip,
                               Figures& figures) {
  std::vector<Target> targets;
  for (const std::string& metric : metrics) {
    const std::optional<Part> part = part_of(metric, chip);
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
                                    std::span<const CountedLaunches> sets, std::string_view chip) {
  Figures figures(reference.size());
  std::vector<MergeCount> counts;
  for (const CountedLaunches& set : sets) {
    const std::size_t width = set.metrics.size();
    const std::vector<Target> targets = targets_of(set.metrics, chip, figures);
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

void merge_totals(record::KernelTable& kernels, std::size_t row, std::span<const CountedStep> sets,
                  std::string_view chip) {
  Figures figures(1);
  for (const CountedStep& set : sets) {
    const std::vector<Target> targets = targets_of(set.metrics, chip, figures);
    for (std::size_t metric = 0; metric < std::min(targets.size(), set.values.size()); ++metric) {
      targets[metric].put(0, set.values[metric]);
    }
  }
  figures.write(kernels, row);
}

}  // namespace rooflab::counters
