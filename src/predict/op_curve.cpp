// The curve of a kind of op: what its time would be if only its amount of work mattered.
//
//     matrix ops   t = t0 + flops * f * q / u + bytes * b
//                  1 / u = (1 + k0 / K) (1 + n0 / N) (1 + w0 / w)
//     recurrent    the same + steps * s
//     others       t = t0 + bytes * b + rows * r
//
// Both are multiplied, t0 apart, by exp(sum_j m_j a_j) over the features j of the kind (feature()):
// how far sizes are from multiples of 16 bytes, and how much they grow when they are filled up to
// whole tiles. NVIDIA's "Matrix multiplication background" names both; the costs m_j are fitted.
//
// t0 is what a kernel takes however small, f and b are seconds per FLOP and per byte, r seconds per
// independent row (short rows of a norm cost per row, not per byte). u falls where the inner
// extent K, the width N of the product or the number of tiles w = M / 128 * max(1, N / 64) is too
// small to fill the units: saturation with half-points k0, n0, w0. q = (ceil(v) / v)^a is wave
// quantisation, v the tiles of 128 x 128 over the multiprocessors: the last wave is paid in full.
// Recurrent layers pay s for each step of each layer, which waits for the one before; M, N, K are
// those of one step, of all directions, and in gradients of weights those of all steps.
//
// Parameters are logarithms, found by damped least squares (Levenberg-Marquardt, numeric
// derivatives) on log t with Huber's weights, so that the few shapes for which a library takes
// another algorithm do not bend the curve; a weak pull towards the starting values keeps what the
// rows do not determine where it was. A floor that is known from elsewhere is held: rows of large
// ops alone would put it at the time of the smallest of them. Source of the form: the saturation
// and wave arguments of "GPU performance background" and "Matrix multiplication background" (NVIDIA
// deep learning performance guide); Huber, "Robust statistics", 1981; Marquardt 1963.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "rooflab/base/statistics.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {
namespace {

enum MatrixParameter : std::size_t {
  floor_s,
  per_flop,
  per_byte,
  half_k,
  half_n,
  half_w,
  waves,
  per_step
};
enum OtherParameter : std::size_t { other_floor_s, other_per_byte, per_row };
constexpr std::size_t matrix_parameters = waves + 1;
constexpr std::size_t other_parameters = per_row + 1;

/// M, N, K of one of `count` products that an op makes, in the roles of its pass: a gradient is a
/// product of the same extents with other ones inside.
struct Product {
  double count;
  double m;
  double n;
  double k;
};

Product product_of(const OpShape& kind, std::span<const double> s) {
  Product product{1.0, 1.0, 1.0, 1.0};
  if (kind.op.starts_with("conv")) {
    product = {s[4], s[0] * s[1], s[3], s[2] * s[5]};
  } else if (kind.op == "linear") {
    product = {1.0, s[0], s[2], s[1]};
  } else if (kind.op == "attention_module") {  // most of it is two projections
    product = {1.0, s[0] * s[1], 4.0 * s[2] * s[3], s[2] * s[3]};
  } else if (kind.op == "matmul") {
    product = {s[0], s[1], s[3], s[2]};
  } else if (kind.op == "grouped_matmul") {
    product = {s[0], s[1] / s[0], s[3], s[2]};
  } else if (names_group(kind.op)) {
    // The heads of a group are rows of one product.
    product = {s[0] / s[1], s[1] * s[2], s[3], s[4]};
  } else if (is_recurrent(kind.op)) {
    const bool at_once = kind.pass == "weight_gradient";
    product = {s[5], s[0] * (at_once ? s[1] : 1.0), gates_of(kind.op) * s[3], s[3]};
  } else {
    product = {s[0], s[1], s[2], s[3]};
  }
  if (kind.pass == "data_gradient") std::swap(product.n, product.k);
  if (kind.pass == "weight_gradient") product = {product.count, product.n, product.k, product.m};
  return product;
}

/// What the features cost. Curves fitted without these parameters know nothing of them.
double slowed(const OpShape& kind, std::span<const double> p, std::span<const double> sizes) {
  double exponent = 0.0;
  const std::size_t first = OpCurve::basic_parameters(kind);
  for (std::size_t j = 0; first + j < p.size(); ++j) {
    exponent += p[first + j] * feature(kind, sizes, j);
  }
  return std::exp(exponent);
}

double curve_time(const OpShape& kind, std::span<const double> p, std::span<const double> sizes,
                  double multiprocessors) {
  OpShape shape = kind;
  shape.sizes.assign(sizes.begin(), sizes.end());
  const OpWork work = work_of(shape);
  const double slower = slowed(kind, p, sizes);
  if (!is_product(kind.op)) {
    return std::exp(p[other_floor_s]) +
           slower * (work.bytes * std::exp(p[other_per_byte]) + work.rows * std::exp(p[per_row]));
  }
  const Product product = product_of(kind, sizes);
  const double tiles = product.count * product.m / 128.0 * std::max(1.0, product.n / 64.0);
  const double idle = (1.0 + std::exp(p[half_k]) / product.k) *
                      (1.0 + std::exp(p[half_n]) / product.n) * (1.0 + std::exp(p[half_w]) / tiles);
  const double filled =
      product.count * std::ceil(product.m / 128.0) * std::ceil(product.n / 128.0) / multiprocessors;
  const double exponent = 1.0 / (1.0 + std::exp(-p[waves]));
  const double quantised = std::pow(std::ceil(filled) / filled, exponent);
  const double steps = is_recurrent(kind.op) ? sizes[1] * sizes[4] * std::exp(p[per_step]) : 0.0;
  return std::exp(p[floor_s]) + steps +
         slower * (work.matrix_flops * std::exp(p[per_flop]) * idle * quantised +
                   work.bytes * std::exp(p[per_byte]));
}

std::vector<double> starting_values(const OpShape& kind, std::span<const device::OpRow> rows) {
  std::vector<double> times;
  std::vector<double> by_flop;
  std::vector<double> by_byte;
  for (const device::OpRow& row : rows) {
    OpShape shape = kind;
    shape.sizes = row.sizes;
    const OpWork work = work_of(shape);
    times.push_back(row.time_s);
    if (work.matrix_flops > 0.0) by_flop.push_back(row.time_s / work.matrix_flops);
    by_byte.push_back(row.time_s / work.bytes);
  }
  const double least = std::log(quantile(times, 0.02));
  std::vector<double> start = {least, std::log(quantile(by_byte, 0.2)), std::log(1e-11)};
  if (is_product(kind.op)) {
    start = {least,
             std::log(quantile(by_flop, 0.1)),
             std::log(0.5 * quantile(by_byte, 0.1)),
             std::log(32.0),
             std::log(32.0),
             std::log(32.0),
             -1.0};
  }
  if (is_recurrent(kind.op)) {
    std::vector<double> by_step;
    for (const device::OpRow& row : rows) {
      by_step.push_back(row.time_s / (row.sizes[1] * row.sizes[4]));
    }
    start.push_back(std::log(0.5 * quantile(by_step, 0.1)));
  }
  start.resize(start.size() + feature_count(kind), 0.0);
  return start;
}

/// The rows of a kind that a curve is fitted to, by squares that Huber's weights bound.
struct RowFit {
  const OpShape& kind;
  std::span<const device::OpRow> rows;
  double multiprocessors;
  const std::vector<double>& start;
  const std::vector<double>& pulls;  ///< weight that pulls each parameter towards its start

  static constexpr double huber = 0.3;  ///< deviation of log time beyond which a row counts less

  [[nodiscard]] Eigen::VectorXd residuals(const std::vector<double>& p) const {
    const auto row_count = static_cast<Eigen::Index>(rows.size());
    Eigen::VectorXd r(row_count);
    for (Eigen::Index i = 0; i < row_count; ++i) {
      const device::OpRow& row = rows[static_cast<std::size_t>(i)];
      r[i] = std::log(curve_time(kind, p, row.sizes, multiprocessors) / row.time_s);
    }
    return r;
  }
  [[nodiscard]] double cost(const std::vector<double>& p, const Eigen::VectorXd& r) const {
    double sum = 0.0;
    for (Eigen::Index i = 0; i < r.size(); ++i) {
      const double a = std::abs(r[i]);
      sum += a <= huber ? a * a : huber * (2.0 * a - huber);
    }
    for (std::size_t j = 0; j < p.size(); ++j) {
      sum += pulls[j] * (p[j] - start[j]) * (p[j] - start[j]);
    }
    return sum;
  }

  /// The step from the best parameters so far, of residuals `r`.
  [[nodiscard]] Eigen::VectorXd change(const std::vector<double>& best, const Eigen::VectorXd& r,
                                       double damping) const {
    const auto count = static_cast<Eigen::Index>(start.size());
    const Eigen::Index row_count = r.size();
    Eigen::MatrixXd jacobian(row_count, count);
    for (Eigen::Index j = 0; j < count; ++j) {
      constexpr double step = 1e-4;
      std::vector<double> moved = best;
      moved[static_cast<std::size_t>(j)] += step;
      jacobian.col(j) = (residuals(moved) - r) / step;
    }
    Eigen::VectorXd weights(row_count);
    for (Eigen::Index i = 0; i < row_count; ++i) {
      weights[i] = std::abs(r[i]) <= huber ? 1.0 : huber / std::abs(r[i]);
    }
    Eigen::VectorXd gradient = jacobian.transpose() * weights.cwiseProduct(r);
    Eigen::MatrixXd hessian = jacobian.transpose() * weights.asDiagonal() * jacobian;
    for (Eigen::Index j = 0; j < count; ++j) {
      const auto index = static_cast<std::size_t>(j);
      gradient[j] += pulls[index] * (best[index] - start[index]);
      hessian(j, j) += pulls[index] + damping;
    }
    return hessian.ldlt().solve(-gradient);
  }
};

}  // namespace

OpCurve::OpCurve(const OpShape& kind, std::vector<double> parameters, double multiprocessors)
    : kind_(kind), parameters_(std::move(parameters)), multiprocessors_(multiprocessors) {
  kind_.sizes.clear();
}

double OpCurve::time(std::span<const double> sizes) const {
  return curve_time(kind_, parameters_, sizes, multiprocessors_);
}

std::size_t OpCurve::basic_parameters(const OpShape& kind) {
  if (!is_product(kind.op)) return other_parameters;
  return matrix_parameters + (is_recurrent(kind.op) ? 1 : 0);
}

std::vector<double> OpCurve::slowed_by(const OpShape& kind, double exponent,
                                       std::vector<double> parameters) {
  const bool product = is_product(kind.op);
  parameters[product ? std::size_t{per_flop} : std::size_t{other_per_byte}] += exponent;
  parameters[product ? std::size_t{per_byte} : std::size_t{per_row}] += exponent;
  return parameters;
}

double OpCurve::floor() const { return std::exp(parameters_.front()); }

OpCurve OpCurve::plain() const {
  std::vector<double> parameters = parameters_;
  parameters.resize(std::min(parameters.size(), basic_parameters(kind_)));
  return {kind_, std::move(parameters), multiprocessors_};
}

std::vector<double> OpCurve::fit(const OpShape& kind, std::span<const device::OpRow> rows,
                                 double multiprocessors, std::optional<double> known_floor) {
  constexpr double pull = 0.1;  // towards the start, in rows' worth
  constexpr int iterations = 60;
  constexpr double hold = 1e4;  // of a floor that is known from elsewhere, of features without rows
  std::vector<double> start = starting_values(kind, rows);
  std::vector<double> pulls(start.size(), pull);
  if (known_floor) {
    start.front() = std::log(*known_floor);
    pulls.front() = hold;
  }
  const std::vector<bool> told = told_features(kind, rows);
  for (std::size_t j = 0; j < told.size(); ++j) {
    if (!told[j]) pulls[basic_parameters(kind) + j] = hold;
  }
  const RowFit fit{kind, rows, multiprocessors, start, pulls};
  std::vector<double> best = start;
  Eigen::VectorXd r = fit.residuals(best);
  double least = fit.cost(best, r);
  double damping = 1.0;
  for (int iteration = 0; iteration < iterations && damping < 1e8; ++iteration) {
    const Eigen::VectorXd change = fit.change(best, r, damping);
    std::vector<double> moved = best;
    for (Eigen::Index j = 0; j < change.size(); ++j) {
      moved[static_cast<std::size_t>(j)] += std::clamp(change[j], -2.0, 2.0);
    }
    Eigen::VectorXd moved_residuals = fit.residuals(moved);
    const double moved_cost = fit.cost(moved, moved_residuals);
    if (moved_cost < least) {
      const bool settled = least - moved_cost < 1e-7 * least;
      best = std::move(moved);
      r = std::move(moved_residuals);
      least = moved_cost;
      damping *= 0.3;
      if (settled) break;
    } else {
      damping *= 4.0;
    }
  }
  return best;
}

}  // namespace rooflab::predict
