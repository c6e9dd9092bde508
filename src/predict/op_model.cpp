// The time of one op from measurements of others of its kind.
//
// The curve (op_curve.cpp) says what the amount of work alone would take. What is left, the
// logarithm of measured over curve, varies smoothly over the logarithms of the sizes, apart from
// jumps where a library takes another algorithm. It is interpolated by kriging: a Gaussian process
// with the Matern 3/2 covariance
//
//     k(d) = a^2 (1 + sqrt(3) d) exp(-sqrt(3) d),   d^2 = sum_j (log2 x_j - log2 y_j)^2 / l_j^2,
//
// with the kind's features (op_work.cpp: misalignment and padding of sizes) as further x_j, since a
// library has other kernels there: 50,257 columns are far from 50,264. A feature that no row tells
// (told_features) is left out here and in the curve: its cost would be that of another size. It is
// conditioned on the 32 nearest measured ops only, so that a query costs one 32 x 32 system. Far
// from every measurement the correction fades and the curve remains; the variance of the process
// says how far that is. Source: Rasmussen and Williams, "Gaussian processes for machine learning",
// 2006, chapters 2 and 4.2; local conditioning: Vecchia 1988.
//
// table_fit.cpp finds the lengths, the noise and the amplitude.

#include "rooflab/predict/op_model.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "base/memo.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::predict {
namespace {

constexpr std::size_t neighbour_count = 32;
constexpr std::size_t most_estimates = 2048;
constexpr double repetition = 0.02;  // sd of a repeated measurement, in log time
/// Published rows answer for sizes within this factor of theirs.
constexpr double margin = 2.0;
constexpr double alike = 1.0 / 12.0;  // octaves within which a library runs ops alike
constexpr double longest = 64.0;

double covariance(double distance) {
  const double scaled = std::sqrt(3.0) * distance;
  return (1.0 + scaled) * std::exp(-scaled);
}

/// Gives more noise to measurements that the others contradict, so that one shape for which a
/// library has another algorithm does not decide about its neighbours. What the others say of
/// measurement i follows from the inverse of the covariances: it errs by e = (C^-1 z)_i / C^-1_ii
/// with the variance v = 1 / C^-1_ii (Rasmussen and Williams, 5.12). Beyond `bearable` deviations
/// the noise is raised until e is that many. The first `trusted` measurements stay as they are. The
/// result is the factor of the covariances with that noise.
Eigen::LLT<Eigen::MatrixXd> factor_without_outliers(Eigen::MatrixXd among,
                                                    const Eigen::VectorXd& residuals,
                                                    Eigen::Index trusted) {
  constexpr double bearable = 2.0;
  Eigen::LLT<Eigen::MatrixXd> factor(among);
  const Eigen::Index count = residuals.size();
  if (count < 3) return factor;
  const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(count, count));
  const Eigen::VectorXd weighted = inverse * residuals;
  bool raised = false;
  for (Eigen::Index i = trusted; i < count; ++i) {
    const double variance = 1.0 / inverse(i, i);
    const double error = weighted[i] * variance;
    const double missing = error * error / (bearable * bearable) - variance;
    if (missing <= 0.0) continue;
    among(i, i) += missing;
    raised = true;
  }
  if (raised) factor.compute(among);
  return factor;
}

/// Areas of the kernel and the stride of a convolution.
std::pair<double, double> kernel_of(std::string_view op, std::span<const double> sizes) {
  const auto size = [columns = columns_of(op), sizes](std::string_view name) {
    return sizes[static_cast<std::size_t>(std::ranges::find(columns, name) - columns.begin())];
  };
  return {size("kernel"), size("stride")};
}

/// The parameters of a table's curve, in which features that no row tells have the value that most
/// rows have: a depthwise convolution has one channel of a group in all of them.
std::vector<double> told_parameters(const OpShape& kind, const device::OpTable& table,
                                    const std::vector<bool>& told) {
  std::vector<double> parameters = table.curve;
  const std::size_t first = OpCurve::basic_parameters(kind);
  double exponent = 0.0;
  for (std::size_t j = 0; first + j < parameters.size() && j < told.size(); ++j) {
    if (told[j]) continue;
    std::vector<double> values;
    for (const device::OpRow& row : table.rows) values.push_back(feature(kind, row.sizes, j));
    exponent += parameters[first + j] * median_of(values).value_or(0.0);
    parameters[first + j] = 0.0;
  }
  return exponent == 0.0 ? parameters : OpCurve::slowed_by(kind, exponent, std::move(parameters));
}

}  // namespace

struct OpModel::Known {
  Memo<std::vector<double>, Estimate> estimates{most_estimates};
  Memo<std::vector<double>, std::optional<Workspace>> workspaces{most_estimates};
};

OpModel::OpModel(std::string_view kind, const device::OpTable& table, double multiprocessors)
    : kind_(shape_of_kind(kind)),
      table_(table),
      multiprocessors_(multiprocessors),
      told_(told_features(kind_, table.rows)),
      curve_(kind_, told_parameters(kind_, table, told_), multiprocessors),
      plain_(curve_.plain()),
      known_(std::make_shared<Known>()) {
  const std::size_t basic = OpCurve::basic_parameters(kind_);
  const auto fits = [this](std::size_t count, std::size_t least) {
    return count >= least && is_feature_count(kind_, count - least);
  };
  if (!fits(table.curve.size(), basic) || !fits(table.lengths.size(), table.columns.size())) {
    throw Error(ErrorKind::input,
                format("the calibration's model of {} has {} parameters and {} lengths", kind,
                       table.curve.size(), table.lengths.size()),
                "rooflab probe --add FILE --save FILE fits it again");
  }
  // The probe's grid has all common kernels.
  const bool has_few_kernels = kind_.op.starts_with("conv") && table.published;
  for (const device::OpRow& row : table.rows) {
    residuals_.push_back(std::log(row.time_s / curve_.time(row.sizes)));
    if (has_feature(row.sizes)) {
      most_slowed_ = std::max(most_slowed_, std::log(row.time_s / plain_.time(row.sizes)));
    }
    const std::vector<double> place = coordinates(row.sizes);
    coordinates_.insert(coordinates_.end(), place.begin(), place.end());
    if (table.published) {
      extents_.resize(row.sizes.size());
      for (std::size_t j = 0; j < row.sizes.size(); ++j) {
        auto& [least, most] = extents_[j];
        least = most == 0.0 ? row.sizes[j] : std::min(least, row.sizes[j]);
        most = std::max(most, row.sizes[j]);
      }
    }
    if (has_few_kernels) kernels_.insert(kernel_of(kind_.op, row.sizes));
  }
}

bool OpModel::covers(std::span<const double> sizes) const {
  if (kernels_.empty()) return true;
  const std::pair<double, double> asked = kernel_of(kind_.op, sizes);
  return std::ranges::any_of(kernels_, [&asked](const auto& known) {
    return std::abs(std::log2(known.first / asked.first)) < 1.0 &&
           std::abs(std::log2(known.second / asked.second)) < 1.0;
  });
}

std::vector<double> OpModel::nearest_inside(std::span<const double> sizes) const {
  std::vector<double> inside(sizes.begin(), sizes.end());
  for (std::size_t j = 0; j < extents_.size(); ++j) {
    const auto& [least, most] = extents_[j];
    inside[j] =
        std::clamp(inside[j], std::min(least, std::max(1.0, least / margin)), most * margin);
  }
  return inside;
}

bool OpModel::has_feature(std::span<const double> sizes) const {
  for (std::size_t j = 0; j < told_.size(); ++j) {
    if (told_[j] && feature(kind_, sizes, j) > 0.0) return true;
  }
  return false;
}

std::vector<double> OpModel::coordinates(std::span<const double> sizes) const {
  std::vector<double> result(table_.lengths.size());
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    result[j] = std::log2(sizes[j]) / table_.lengths[j];
  }
  for (std::size_t j = sizes.size(); j < result.size(); ++j) {
    const std::size_t of = j - sizes.size();
    result[j] = told_[of] ? feature(kind_, sizes, of) / table_.lengths[j] : 0.0;
  }
  return result;
}

std::vector<OpModel::Neighbour> OpModel::neighbours(const std::vector<double>& at,
                                                    std::size_t count,
                                                    const std::vector<bool>* left_out) const {
  std::vector<Neighbour> all;
  all.reserve(table_.rows.size());
  const std::size_t width = at.size();
  for (std::size_t i = 0; i < table_.rows.size(); ++i) {
    if (left_out != nullptr && (*left_out)[i]) continue;
    double square = 0.0;
    for (std::size_t j = 0; j < width; ++j) {
      const double difference = at[j] - coordinates_[i * width + j];
      square += difference * difference;
    }
    all.push_back({i, square});
  }
  const std::size_t kept = std::min(count, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(kept), {},
                            &Neighbour::distance);
  all.resize(kept);
  for (Neighbour& neighbour : all) neighbour.distance = std::sqrt(neighbour.distance);
  return all;
}

OpModel::Alike OpModel::alike_rows(const std::vector<double>& at,
                                   const std::vector<Neighbour>& near) const {
  constexpr double of_a_feature = 4.0;  // octaves
  const std::size_t columns = table_.columns.size();
  Alike rows;
  double weights = 0.0;
  bool exact = false;
  for (const Neighbour& one : near) {  // the nearest first
    if (exact && one.distance > 0.0) break;
    exact = one.distance == 0.0;
    double square = 0.0;
    for (std::size_t j = 0; j < at.size(); ++j) {
      const double octaves = (at[j] - coordinates_[one.row * at.size() + j]) * table_.lengths[j] *
                             (j < columns ? 1.0 : of_a_feature);
      square += octaves * octaves;
    }
    const double likeness = std::exp(-std::sqrt(square) / alike);
    const double weight = exact ? 1.0 : likeness / (1.0 - likeness);
    weights += weight;
    rows.residual += weight * residuals_[one.row];
  }
  if (weights == 0.0) return {};
  return {exact ? 1.0 : weights / (1.0 + weights), rows.residual / weights};
}

OpModel::Estimate OpModel::estimate(std::span<const double> sizes) const {
  return known_->estimates.get({sizes.begin(), sizes.end()}, [&] {
    Estimate estimate = estimate_without(sizes, nullptr);
    // What all rows of the kind have in common is in no residual.
    if (table_.published) {
      estimate.deviation = std::hypot(estimate.deviation, table_.published->spread);
    }
    return estimate;
  });
}

std::optional<Workspace> OpModel::workspace(std::span<const double> sizes) const {
  return known_->workspaces.get({sizes.begin(), sizes.end()}, [&] { return workspace_of(sizes); });
}

OpModel::Estimate OpModel::estimate_without(std::span<const double> sizes,
                                            const std::vector<bool>* left_out) const {
  const double typical = curve_.time(sizes);
  const std::vector<double> at = coordinates(sizes);
  const std::vector<Neighbour> near = neighbours(at, neighbour_count, left_out);
  const double variance = table_.amplitude * table_.amplitude;
  const double noise = table_.noise * table_.noise;
  const double repeated = std::min(noise, repetition * repetition);
  if (near.empty()) return {typical, std::sqrt(variance + noise), longest};
  const auto count = static_cast<Eigen::Index>(near.size());
  const std::size_t width = at.size();
  Eigen::MatrixXd among(count, count);
  Eigen::VectorXd towards(count);
  Eigen::VectorXd residuals(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Neighbour& one = near[static_cast<std::size_t>(i)];
    towards[i] = variance * covariance(one.distance);
    if (one.distance == 0.0) towards[i] += noise - repeated;
    residuals[i] = residuals_[one.row];
    for (Eigen::Index k = 0; k <= i; ++k) {
      const std::size_t other = near[static_cast<std::size_t>(k)].row;
      double square = 0.0;
      for (std::size_t j = 0; j < width; ++j) {
        const double difference =
            coordinates_[one.row * width + j] - coordinates_[other * width + j];
        square += difference * difference;
      }
      among(i, k) = among(k, i) = variance * covariance(std::sqrt(square));
    }
    among(i, i) += noise;
  }
  const Eigen::LLT<Eigen::MatrixXd> factor =
      factor_without_outliers(std::move(among), residuals, near.front().distance == 0.0 ? 1 : 0);
  const double correction = towards.dot(factor.solve(residuals));
  const double explained = towards.dot(factor.solve(towards));
  const double left = std::max(variance + noise - explained, repeated);
  const OpModel::Alike rows = alike_rows(at, near);
  double time_s = typical * std::exp((1.0 - rows.share) * correction + rows.share * rows.residual);
  if (rows.share < 1.0 && has_feature(sizes)) {
    time_s = std::min(time_s, plain_.time(sizes) * std::exp(most_slowed_));
  }
  // Less work in whole vectors takes no longer, unless rows of these sizes show it.
  const std::vector<double> whole = whole_vectors(kind_, sizes);
  if (left_out == nullptr && rows.share < 1.0 && !std::ranges::equal(whole, sizes)) {
    const double less_s = estimate_without(whole, nullptr).time_s;
    time_s = std::max(time_s, std::pow(less_s, 1.0 - rows.share) * std::pow(time_s, rows.share));
  }
  return {time_s, std::sqrt((1.0 - rows.share) * left + rows.share * repeated),
          near.front().distance};
}

}  // namespace rooflab::predict
