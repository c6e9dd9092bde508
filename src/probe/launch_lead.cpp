// Times of one call between two events hold a part of the launch. The first event is recorded on an
// idle device, so it is reached at once; the kernel starts when the host has issued it, `lead`
// later; the second event is reached when the kernel is done, but not before the host has issued
// it:
//
//     t = max(plateau, lead + kernel),   plateau = lead + what the host does after the launch.
//
// So short ops stand on a plateau that says nothing about their kernels, and all others are longer
// by the lead, which is about half the plateau. Where a kind's kernels are known to be linear in
// bytes (elementwise ops), the lead is the intercept of the line through the rows above the
// plateau; from 2.5 plateaus on, since shorter ops may find their operands in a cache, which bends
// the line. All other kinds take the median lead of their device's elementwise kinds; a device
// without elementwise ops takes the other devices' median.
//
// Seen on a V100's additions: plateau 32.4 us up to 0.9 million elements; above it 17.0 us and 14.4
// us a million, which is 83 % of its memory bandwidth. Subtracting the plateau would make every
// addition of 2 million elements half as long as it is. That products have the lead of elementwise
// ops, though their plateau is up to twice as high, shows on an H100: its shortest batched products
// (60 below 32 us) and linears (19 below 100 us) are 16 us longer than an H200, which has the same
// multiprocessors, takes for them without launches (medians of 15.9 to 16.9 us).

#include "launch_lead.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rooflab/base/statistics.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::probe {
namespace {

using Kinds = std::map<std::string, std::vector<PublishedRow>>;

constexpr double low_quantile = 0.02;
constexpr double plateau_width = 1.3;   // over the low quantile: some hosts waver
constexpr double plateau_share = 0.05;  // of all rows at least
constexpr std::size_t rows_of_plateau = 20;
constexpr double shortest_in_line = 2.5;  // plateaus: below, operands may lie in a cache
constexpr double longest_in_line = 12.0;  // plateaus: beyond, the lead is too small a part

std::optional<double> plateau_of(const std::vector<PublishedRow>& rows) {
  std::vector<double> times;
  for (const PublishedRow& row : rows) times.push_back(row.time_s);
  const double low = quantile(times, low_quantile);
  std::vector<double> near;
  for (const double time : times) {
    if (time <= low * plateau_width) near.push_back(time);
  }
  const double share = static_cast<double>(near.size()) / static_cast<double>(times.size());
  if (near.size() < rows_of_plateau || share < plateau_share) return std::nullopt;
  return quantile(near, 0.5);
}

struct Line {
  double at_zero = 0.0;
  double slope = 0.0;
};

/// Least squares of relative errors; nullopt: too few rows, or all of one size.
std::optional<Line> line_through(const std::vector<const PublishedRow*>& rows) {
  double w = 0.0;
  double wx = 0.0;
  double wt = 0.0;
  double wxx = 0.0;
  double wxt = 0.0;
  for (const PublishedRow* row : rows) {
    const double weight = 1.0 / (row->time_s * row->time_s);
    const double x = row->sizes.front();
    w += weight;
    wx += weight * x;
    wt += weight * row->time_s;
    wxx += weight * x * x;
    wxt += weight * x * row->time_s;
  }
  const double determinant = w * wxx - wx * wx;
  if (rows.size() < rows_of_plateau || determinant <= 0.0) return std::nullopt;
  return Line{(wt * wxx - wx * wxt) / determinant, (w * wxt - wx * wt) / determinant};
}

/// A line that up to a quarter of outliers do not bend, to find them by: the median slope of all
/// pairs of rows (Theil 1950, Sen 1968).
Line middle_line(const std::vector<const PublishedRow*>& rows) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const double run = rows[i]->sizes.front() - rows[k]->sizes.front();
      if (run != 0.0) slopes.push_back((rows[i]->time_s - rows[k]->time_s) / run);
    }
  }
  Line line;
  if (slopes.empty()) return line;
  line.slope = quantile(slopes, 0.5);
  std::vector<double> rests;
  for (const PublishedRow* row : rows) {
    rests.push_back(row->time_s - line.slope * row->sizes.front());
  }
  line.at_zero = quantile(rests, 0.5);
  return line;
}

/// Where the line through times over elements meets zero elements, rows far from it left out.
std::optional<double> intercept_of(const std::vector<PublishedRow>& rows,
                                   const std::optional<double>& plateau) {
  std::vector<double> times;
  for (const PublishedRow& row : rows) times.push_back(row.time_s);
  const double from = plateau ? *plateau * shortest_in_line : 0.0;
  const double to = longest_in_line * (plateau ? *plateau : quantile(times, plateau_share));
  std::vector<const PublishedRow*> used;
  for (const PublishedRow& row : rows) {
    if (row.time_s > from && row.time_s <= to) used.push_back(&row);
  }
  const Line middle = middle_line(used);
  std::vector<double> deviations;
  for (const PublishedRow* row : used) {
    const double expected = middle.at_zero + middle.slope * row->sizes.front();
    deviations.push_back(std::abs(expected / row->time_s - 1.0));
  }
  if (used.empty()) return std::nullopt;
  const double limit = std::max(3.0 * 1.4826 * quantile(deviations, 0.5), 0.02);
  std::vector<const PublishedRow*> kept;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (deviations[i] <= limit) kept.push_back(used[i]);
  }
  const std::optional<Line> line = line_through(kept);
  return line && line->at_zero > 0.0 ? std::optional(line->at_zero) : std::nullopt;
}

bool is_elementwise(const std::string& kind) {
  return predict::columns_of(predict::shape_of_kind(kind).op).size() == 1;
}

std::optional<double> median_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(quantile(values, 0.5));
}

/// What one device's own rows say.
struct Seen {
  std::map<std::string, std::optional<double>> plateaus;
  std::map<std::string, double> leads;  ///< leads of elementwise kinds
  std::optional<double> usual;          ///< their median
};

Seen seen_on(const Kinds& kinds) {
  Seen seen;
  std::vector<double> leads;
  for (const auto& [kind, rows] : kinds) {
    const std::optional<double>& plateau = seen.plateaus[kind] = plateau_of(rows);
    if (!is_elementwise(kind)) continue;
    const std::optional<double> lead = intercept_of(rows, plateau);
    if (!lead || (plateau && *lead >= *plateau)) continue;
    leads.push_back(*lead);
    seen.leads[kind] = *lead;
  }
  seen.usual = median_of(leads);
  return seen;
}

}  // namespace

std::map<std::string, LaunchLead> launch_leads(const PublishedOps& table,
                                               const std::string& device) {
  std::map<std::string, LaunchLead> leads;
  const auto own = table.ops.find(device);
  if (own == table.ops.end()) return leads;
  const Seen seen = seen_on(own->second);
  std::optional<double> usual = seen.usual;
  if (!usual) {
    std::vector<double> of_others;
    for (const auto& [other, kinds] : table.ops) {
      if (const std::optional<double> lead = seen_on(kinds).usual) of_others.push_back(*lead);
    }
    usual = median_of(of_others);
  }
  for (const auto& [kind, plateau] : seen.plateaus) {
    const auto lead = seen.leads.find(kind);
    leads[kind] = {plateau, lead != seen.leads.end() ? lead->second : usual.value_or(0.0)};
  }
  return leads;
}

}  // namespace rooflab::probe
