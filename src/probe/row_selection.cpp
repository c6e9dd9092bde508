// Which of a kind's published rows a calibration keeps.
//
// Outliers. A model is fitted to all rows; each quarter of them is then predicted from the other
// three. A row is an outlier where its residual log(published / predicted), less the median, is
// beyond both log 2 and eight times the standard deviation that the median absolute deviation
// stands for (1.4826 of it for a normal distribution: Rousseeuw and Croux, "Alternatives to the
// median absolute deviation", 1993). The bound is wide on purpose: a library that takes another
// algorithm for some shapes is what a calibration is to learn.
//
// Thinning. A quarter of the shapes is held out, by a hash. The first 16, 32, 64, ... of the others
// are fitted until the held-out quarter's mean error is within half a percentage point of the error
// with all of them.

#include "row_selection.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "base/fnv1a.hpp"
#include "base/format.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::probe {
namespace {

using device::OpTable;

constexpr std::uint64_t quarters = 4;
constexpr std::size_t first_size = 16;
constexpr double allowed_loss = 0.005;
constexpr double largest_error = 1.0;  // an error beyond 100 % counts as that
constexpr double outlier_deviations = 8.0;

std::uint64_t hash_of(const std::vector<double>& sizes) {
  std::string text;
  for (const double size : sizes) text += format("{} ", size);
  std::uint64_t hash = fnv1a(text);
  // The finalizer of MurmurHash3: the low bits of FNV-1a depend on few bits of the last letters.
  hash = (hash ^ (hash >> 33U)) * 0xff51afd7ed558ccdU;
  hash = (hash ^ (hash >> 33U)) * 0xc4ceb9fe1a85ec53U;
  return hash ^ (hash >> 33U);
}

std::uint64_t quarter_of(const PublishedRow& row) { return hash_of(row.sizes) % quarters; }

OpTable table_of(std::string_view kind) {
  OpTable table;
  for (const std::string_view column : predict::columns_of(predict::shape_of_kind(kind).op)) {
    table.columns.emplace_back(column);
  }
  return table;
}

void set_rows(OpTable& table, std::span<const PublishedRow> rows) {
  table.rows.clear();
  for (const PublishedRow& row : rows) table.rows.push_back({row.sizes, row.time_s, std::nullopt});
}

double mean_error(const predict::OpModel& model, std::span<const PublishedRow> rows) {
  double sum = 0.0;
  for (const PublishedRow& row : rows) {
    const double error = std::abs(model.estimate(row.sizes).time_s / row.time_s - 1.0);
    sum += std::min(error, largest_error);
  }
  return rows.empty() ? 0.0 : sum / static_cast<double>(rows.size());
}

}  // namespace

std::vector<PublishedRow> one_row_a_shape(std::vector<PublishedRow> rows) {
  std::map<std::vector<double>, std::vector<PublishedRow>> shapes;
  for (PublishedRow& row : rows) shapes[row.sizes].push_back(std::move(row));
  std::vector<std::pair<std::uint64_t, PublishedRow>> keyed;
  for (auto& [sizes, equal] : shapes) {
    std::ranges::sort(equal, {}, &PublishedRow::time_s);
    keyed.emplace_back(hash_of(sizes) / quarters, std::move(equal[equal.size() / 2]));
  }
  std::ranges::stable_sort(keyed, {}, [](const auto& each) { return each.first; });
  std::vector<PublishedRow> result;
  for (auto& [key, row] : keyed) result.push_back(std::move(row));
  return result;
}

std::vector<PublishedRow> take_outliers(std::string_view kind, std::vector<PublishedRow>& rows,
                                        double multiprocessors, std::optional<double> floor_s) {
  std::vector<PublishedRow> outliers;
  if (rows.size() < first_size) return outliers;
  OpTable all = table_of(kind);
  set_rows(all, rows);
  predict::fit_table(kind, all, multiprocessors, floor_s);
  std::vector<double> residuals(rows.size());
  for (std::uint64_t quarter = 0; quarter < quarters; ++quarter) {
    OpTable others = all;
    others.rows.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (quarter_of(rows[i]) != quarter) others.rows.push_back(all.rows[i]);
    }
    if (others.rows.empty()) continue;
    const predict::OpModel model(kind, others, multiprocessors);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (quarter_of(rows[i]) != quarter) continue;
      residuals[i] = std::log(rows[i].time_s / model.estimate(rows[i].sizes).time_s);
    }
  }
  const double middle = quantile(residuals, 0.5);
  std::vector<double> deviations;
  for (const double residual : residuals) deviations.push_back(std::abs(residual - middle));
  const double limit =
      std::max(std::log(2.0), outlier_deviations * 1.4826 * quantile(deviations, 0.5));
  std::vector<PublishedRow> kept;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    (deviations[i] > limit ? outliers : kept).push_back(std::move(rows[i]));
  }
  rows = std::move(kept);
  std::ranges::sort(outliers, {}, &PublishedRow::row);
  return outliers;
}

void fit_thinned(std::string_view kind, OpTable& table, const std::vector<PublishedRow>& rows,
                 double multiprocessors, std::optional<double> floor_s) {
  table.columns = table_of(kind).columns;
  std::vector<PublishedRow> held_out;
  std::vector<PublishedRow> others;
  for (const PublishedRow& row : rows) {
    (quarter_of(row) == 0 ? held_out : others).push_back(row);
  }
  if (others.empty()) std::swap(others, held_out);
  const auto error_with = [&](std::size_t count) {
    set_rows(table, std::span(others).first(count));
    predict::fit_table(kind, table, multiprocessors, floor_s);
    return mean_error(predict::OpModel(kind, table, multiprocessors), held_out);
  };
  const double of_all = error_with(others.size());
  double of_kept = of_all;
  bool thinned = false;
  for (std::size_t count = first_size; count < others.size() && !thinned; count *= 2) {
    of_kept = error_with(count);
    thinned = of_kept <= of_all + allowed_loss;
  }
  if (!thinned) of_kept = error_with(others.size());
  table.published->error_of_all = of_all;
  table.published->error_of_kept = of_kept;
  // By size, so that files can be compared line by line.
  std::ranges::sort(table.rows, {}, &device::OpRow::sizes);
}

}  // namespace rooflab::probe
