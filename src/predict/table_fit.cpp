// The model of a table from its rows (op_model.cpp says what it is).
//
// The lengths l_j and the noise come from leaving out one row after another: coordinate descent on
// the mean absolute error. The amplitude is then scaled so that errors are as large as the process
// says. `error` is what is left when whole regions are missing: for each size the rows are cut into
// quarters by that size, each quarter predicted from the other three.

#include "table_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/assert.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {
namespace {

constexpr std::size_t cross_validated_rows = 320;
constexpr double starting_length = 2.0;  // a factor of four in a size
constexpr double starting_padding_length = 0.5;
constexpr double longest = 64.0;
constexpr double robust_limit = 1.5;  // an error beyond a factor of 4.5 counts as that

double mean(std::span<const double> values) {
  return values.empty() ? 0.0
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

double root_mean_square(const std::vector<double>& values) {
  double square = 0.0;
  for (const double value : values) square += value * value;
  return std::sqrt(square / static_cast<double>(values.size()));
}

}  // namespace

TableFit::TableFit(std::string_view kind, device::OpTable& table, double multiprocessors)
    : kind_(kind), table_(table), multiprocessors_(multiprocessors) {
  const std::size_t stride = std::max<std::size_t>(1, table.rows.size() / cross_validated_rows);
  for (std::size_t i = 0; i < table.rows.size(); i += stride) chosen_.push_back(i);
}

void TableFit::begin(std::optional<double> known_floor) {
  const OpShape shape = shape_of_kind(kind_);
  table_.curve = OpCurve::fit(shape, table_.rows, multiprocessors_, known_floor);
  table_.lengths.assign(table_.columns.size() + aligned_columns_of(shape).size(), starting_length);
  table_.lengths.resize(table_.columns.size() + feature_count(shape), starting_padding_length);
  const OpCurve curve(shape, table_.curve, multiprocessors_);
  std::vector<double> spread;
  for (const device::OpRow& row : table_.rows) {
    const double residual = std::log(row.time_s / curve.time(row.sizes));
    spread.push_back(std::min(residual * residual, robust_limit * robust_limit));
  }
  table_.amplitude = std::max(std::sqrt(mean(spread)), 0.02);
  table_.noise = 0.1 * table_.amplitude;
}

double TableFit::error_of(std::size_t row, const OpModel::Estimate& estimate) const {
  const double error = std::abs(std::log(estimate.time_s / table_.rows[row].time_s));
  return std::min(error, robust_limit);
}

TableFit::Errors TableFit::errors_of_one_out() const {
  const OpModel model(kind_, table_, multiprocessors_);
  std::vector<bool> left_out(table_.rows.size(), false);
  std::vector<double> absolute;
  std::vector<double> standard;
  for (const std::size_t i : chosen_) {
    left_out[i] = true;
    const OpModel::Estimate estimate = model.estimate_without(table_.rows[i].sizes, &left_out);
    left_out[i] = false;
    absolute.push_back(error_of(i, estimate));
    standard.push_back(std::min(absolute.back() / estimate.deviation, 4.0));
  }
  return {mean(absolute), root_mean_square(standard)};
}

bool TableFit::attempt(double& parameter, double value) {
  const double before = parameter;
  parameter = value;
  const double error = errors_of_one_out().absolute;
  if (error < least_ - 1e-5) {
    least_ = error;
    return true;
  }
  parameter = before;
  return false;
}

bool TableFit::sweep(double factor) {
  bool moved = false;
  for (double& length : table_.lengths) {
    while (length < longest && attempt(length, length * factor)) moved = true;
    while (length > 0.1 && attempt(length, length / factor)) moved = true;
  }
  while (table_.noise > 0.01 * table_.amplitude && attempt(table_.noise, table_.noise / 2.0)) {
    moved = true;
  }
  while (table_.noise < table_.amplitude && attempt(table_.noise, table_.noise * 2.0)) moved = true;
  return moved;
}

void TableFit::descend() {
  constexpr int sweeps = 3;
  least_ = errors_of_one_out().absolute;
  for (int i = 0; i < sweeps; ++i) {
    if (!sweep(i == 0 ? 2.0 : 1.4)) break;
  }
  const double scale = errors_of_one_out().scale;
  table_.amplitude *= scale;
  table_.noise = std::max(table_.noise * scale, 0.003);
}

std::vector<double> TableFit::errors_without_quarters(std::size_t column,
                                                      const OpModel& model) const {
  std::vector<double> values;
  for (const device::OpRow& row : table_.rows) values.push_back(row.sizes[column]);
  const double cuts[] = {quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)};
  if (cuts[0] == cuts[2]) return {};
  const auto quarter = [&](double value) {
    return std::ranges::count_if(cuts, [value](double cut) { return value > cut; });
  };
  std::vector<double> errors;
  for (std::ptrdiff_t q = 0; q < 4; ++q) {
    std::vector<bool> left_out(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) left_out[i] = quarter(values[i]) == q;
    for (const std::size_t i : chosen_) {
      if (!left_out[i]) continue;
      errors.push_back(error_of(i, model.estimate_without(table_.rows[i].sizes, &left_out)));
    }
  }
  return errors;
}

void TableFit::find_error() {
  const OpModel model(kind_, table_, multiprocessors_);
  std::vector<double> errors;
  for (std::size_t j = 0; j < table_.columns.size(); ++j) {
    const std::vector<double> more = errors_without_quarters(j, model);
    errors.insert(errors.end(), more.begin(), more.end());
  }
  table_.error = errors.empty() ? table_.amplitude : root_mean_square(errors);
}

void fit_table(std::string_view kind, device::OpTable& table, double multiprocessors,
               std::optional<double> known_floor) {
  ROOFLAB_ASSERT(!table.rows.empty());
  constexpr std::size_t too_few_rows = 3;
  TableFit fit(kind, table, multiprocessors);
  fit.begin(known_floor);
  if (table.rows.size() > too_few_rows) fit.descend();
  fit.find_error();
}

}  // namespace rooflab::predict
