#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rooflab/device/calibration.hpp"
#include "rooflab/predict/op_shape.hpp"

namespace rooflab::predict {

/// The typical time of a kind of op as a formula of its work, with parameters fitted to
/// measurements. The essay is at the head of op_curve.cpp.
class OpCurve {
 public:
  /// `parameters` as OpTable::curve holds them; `multiprocessors` of the measured device.
  OpCurve(const OpShape& kind, std::vector<double> parameters, double multiprocessors);

  /// Seconds on the measured device.
  [[nodiscard]] double time(std::span<const double> sizes) const;
  /// Time of the smallest op.
  [[nodiscard]] double floor() const;

  /// Parameters that fit the rows best; at least one row. `known_floor` is the time of the smallest
  /// op, for rows that are too large to show it.
  [[nodiscard]] static std::vector<double> fit(const OpShape& kind,
                                               std::span<const device::OpRow> rows,
                                               double multiprocessors,
                                               std::optional<double> known_floor = {});

 private:
  OpShape kind_;
  std::vector<double> parameters_;
  double multiprocessors_;
};

/// Time of ops of one kind: the curve, corrected by the measured neighbours.
class OpModel {
 public:
  struct Estimate {
    double time_s = 0.0;
    double deviation = 0.0;  ///< sd of log(time)
    double distance = 0.0;   ///< to the nearest measured op, in lengths of the correction
  };

  /// The table must outlive the model and be fitted.
  OpModel(std::string_view kind, const device::OpTable& table, double multiprocessors);

  [[nodiscard]] Estimate estimate(std::span<const double> sizes) const;
  [[nodiscard]] double floor() const { return curve_.floor(); }

  /// Bytes of workspace, from the nearest measured ops: the expected amount, the largest that any
  /// of them would take, and the smaller amount that is requested if the expected one finds no room
  /// (0: nothing). nullopt: nothing was observed.
  struct Workspace {
    double expected = 0.0;
    double most = 0.0;
    double less = 0.0;
  };
  [[nodiscard]] std::optional<Workspace> workspace(std::span<const double> sizes) const;

 private:
  friend void fit_table(std::string_view kind, device::OpTable& table, double multiprocessors,
                        std::optional<double> known_floor);
  struct Neighbour {
    std::size_t row;
    double distance;
  };
  [[nodiscard]] std::vector<double> coordinates(std::span<const double> sizes) const;
  [[nodiscard]] std::vector<Neighbour> neighbours(const std::vector<double>& at, std::size_t count,
                                                  const std::vector<bool>* left_out) const;
  [[nodiscard]] Estimate estimate_without(std::span<const double> sizes,
                                          const std::vector<bool>* left_out) const;

  OpShape kind_;
  const device::OpTable& table_;
  OpCurve curve_;
  std::vector<double> residuals_;    ///< log(measured / curve) by row
  std::vector<double> coordinates_;  ///< coordinates of all rows, row by row, in lengths
};

/// Fits a table's curve, lengths, noise and amplitude to its rows, and finds its error with whole
/// regions left out. `known_floor` as for OpCurve::fit.
void fit_table(std::string_view kind, device::OpTable& table, double multiprocessors,
               std::optional<double> known_floor = {});

}  // namespace rooflab::predict
