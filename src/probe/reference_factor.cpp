// Another framework's kernels for the same op take another time. On a device that was measured both
// ways (published rows, and a calibration by `rooflab probe`), the logarithms of published over
// predicted time give a factor, their median, and a spread, half the distance between the 16th and
// the 84th percentile. Rows of other devices are divided by the factor; the spread stays as an
// uncertainty of the kind.
//
// Where a rule names a size (`factor_by`), the factor is a median for each power of two of that
// size, interpolated in the logarithm between the bins' middles. That is for causal attention: of n
// queries and n keys half of the product is done when n is large, and nearly all of it within one
// tile, and what a serving kernel does beside it (writing the cache) shows where n is small.

#include "reference_factor.hpp"

#include <algorithm>
#include <cmath>

#include "rooflab/base/statistics.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::probe {
namespace {

constexpr std::size_t least_rows_of_bin = 20;

double half_spread(std::span<const double> logs) {
  return 0.5 * (quantile(logs, 0.84) - quantile(logs, 0.16));
}

int bin_of(double size) { return static_cast<int>(std::floor(std::log2(size))); }

}  // namespace

ReferenceFactor::ReferenceFactor(const OpRule& rule, const device::OpTable& table,
                                 double multiprocessors, std::span<const PublishedRow> rows)
    : by_(rule.factor_by), count_(rows.size()) {
  const predict::OpModel model(rule.kind, table, multiprocessors);
  std::vector<double> logs;
  std::map<int, std::vector<double>> by_bin;
  for (const PublishedRow& row : rows) {
    logs.push_back(std::log(row.time_s / model.estimate(row.sizes).time_s));
    if (rule.factor_by) by_bin[bin_of(row.sizes[*rule.factor_by])].push_back(logs.back());
  }
  log_median_ = quantile(logs, 0.5);
  for (const auto& [bin, values] : by_bin) {
    if (values.size() >= least_rows_of_bin) bins_[bin] = quantile(values, 0.5);
  }
  if (!bins_.empty()) {
    applied_ = true;
    for (std::size_t i = 0; i < rows.size(); ++i) logs[i] -= log_at(rows[i].sizes);
    spread_ = half_spread(logs);
    return;
  }
  const double around = half_spread(logs);
  applied_ = std::abs(log_median_) > around;
  spread_ = applied_ ? around : std::hypot(around, log_median_);
}

double ReferenceFactor::median() const { return std::exp(log_median_); }

double ReferenceFactor::at(std::span<const double> sizes) const {
  return applied_ ? std::exp(log_at(sizes)) : 1.0;
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
