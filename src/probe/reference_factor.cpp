// Another framework's kernels for the same op take another time. On a device that was measured both
// ways (published rows, and a calibration by `rooflab probe`), the logarithms of published over
// predicted time give a factor, their median, and a spread, half the distance between the 16th and
// the 84th percentile. Rows of other devices are divided by the factor; the spread stays as an
// uncertainty of the kind.
//
// The reference's own prediction is sure only near what was measured on it: rows within one length
// of its correction are compared, or all where fewer than 100 are so near. Its trains of launches
// leave a gap before each kernel, a replayed graph leaves less: the shortest tenth of the rows
// gives the offset, the median of what the reference takes more, which is added first.
//
// Where a rule names a size (`factor_by`), the factor is a median for each power of two of that
// size, interpolated in the logarithm between the bins' middles. That is for causal attention: of n
// queries and n keys half of the product is done when n is large, and nearly all of it within one
// tile (so no offset is sought, and far rows count too), and what a serving kernel does in addition
// (writing the cache) shows where n is small.

#include "reference_factor.hpp"

#include <algorithm>
#include <cmath>

#include "rooflab/base/statistics.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::probe {
namespace {

constexpr std::size_t least_rows_of_bin = 20;
constexpr std::size_t least_rows_near = 100;
constexpr double nearest = 1.0;  // in lengths of the reference's correction
constexpr double shortest_share = 0.1;

double half_spread(std::span<const double> logs) {
  return 0.5 * (quantile(logs, 0.84) - quantile(logs, 0.16));
}

/// From the shortest rows, of which it is the largest part.
double offset_of(const std::vector<const PublishedRow*>& rows, std::span<const double> expected) {
  std::vector<double> times;
  for (const PublishedRow* row : rows) times.push_back(row->time_s);
  const double short_s = quantile(times, shortest_share);
  std::vector<double> differences;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (times[i] <= short_s) differences.push_back(expected[i] - times[i]);
  }
  return std::max(quantile(differences, 0.5), -0.5 * *std::ranges::min_element(times));
}

int bin_of(double size) { return static_cast<int>(std::floor(std::log2(size))); }

}  // namespace

ReferenceFactor::ReferenceFactor(const OpRule& rule, const device::OpTable& table,
                                 double multiprocessors, std::span<const PublishedRow> rows)
    : by_(rule.factor_by), count_(rows.size()) {
  const predict::OpModel model(rule.kind, table, multiprocessors);
  std::vector<double> expected;
  std::vector<const PublishedRow*> used;
  for (const bool near : {true, false}) {
    for (const PublishedRow& row : rows) {
      const predict::OpModel::Estimate estimate = model.estimate(row.sizes);
      if (near && (by_ || estimate.distance > nearest)) continue;
      used.push_back(&row);
      expected.push_back(estimate.time_s);
    }
    if (!near || used.size() >= least_rows_near) break;
    used.clear();
    expected.clear();
  }
  count_ = used.size();
  if (!by_) offset_s_ = offset_of(used, expected);
  std::vector<double> logs;
  std::map<int, std::vector<double>> by_bin;
  for (std::size_t i = 0; i < used.size(); ++i) {
    logs.push_back(std::log((used[i]->time_s + offset_s_) / expected[i]));
    if (by_) by_bin[bin_of(used[i]->sizes[*by_])].push_back(logs.back());
  }
  log_median_ = quantile(logs, 0.5);
  for (const auto& [bin, values] : by_bin) {
    if (values.size() >= least_rows_of_bin) bins_[bin] = quantile(values, 0.5);
  }
  if (!bins_.empty()) {
    applied_ = true;
    for (std::size_t i = 0; i < used.size(); ++i) logs[i] -= log_at(used[i]->sizes);
    spread_ = half_spread(logs);
    return;
  }
  const double around = half_spread(logs);
  applied_ = std::abs(log_median_) > around;
  spread_ = applied_ ? around : std::hypot(around, log_median_);
}

double ReferenceFactor::median() const { return std::exp(log_median_); }

double ReferenceFactor::converted(double time_s, std::span<const double> sizes) const {
  return (time_s + offset_s_) / (applied_ ? std::exp(log_at(sizes)) : 1.0);
}

double ReferenceFactor::log_at(std::span<const double> sizes) const {
  if (bins_.empty()) return log_median_;
  // Middles of bins lie at bin + 1/2.
  const double place = std::log2(sizes[*by_]) - 0.5;
  const auto above = bins_.lower_bound(static_cast<int>(std::ceil(place)));
  if (above == bins_.begin()) return above->second;
  const auto below = std::prev(above);
  if (above == bins_.end()) return below->second;
  const double share = (place - below->first) / static_cast<double>(above->first - below->first);
  return below->second + share * (above->second - below->second);
}

}  // namespace rooflab::probe
