#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/device/calibration.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {

/// Fits the model of a table to its rows, of which there is one at least.
class TableFit {
 public:
  /// `multiprocessors`: of the measured device. The table must outlive the fit.
  TableFit(std::string_view kind, device::OpTable& table, double multiprocessors);

  /// Fits the curve, and sets lengths, amplitude and noise to where the descent begins.
  void begin(std::optional<double> known_floor);
  /// Finds lengths, noise and amplitude by leaving out one row after another.
  void descend();
  /// Finds the error that is left when whole regions are missing.
  void find_error();

 private:
  struct Errors {
    double absolute = 0.0;  ///< mean of |log(predicted / measured)|
    double scale = 1.0;     ///< root mean square of errors over the deviations of the process
  };

  [[nodiscard]] double error_of(std::size_t row, const OpModel::Estimate& estimate) const;
  [[nodiscard]] Errors errors_of_one_out() const;
  /// Gives a parameter of the table this value if the error falls by it.
  bool attempt(double& parameter, double value);
  /// Tries each parameter larger and smaller by the factor; whether one moved.
  bool sweep(double factor);
  /// Errors of the chosen rows, each predicted without its quarter of the rows by that size.
  [[nodiscard]] std::vector<double> errors_without_quarters(std::size_t column,
                                                            const OpModel& model) const;

  std::string kind_;
  device::OpTable& table_;
  double multiprocessors_;
  std::vector<std::size_t> chosen_;  ///< rows that are predicted
  double least_ = 0.0;               ///< the least mean error that the descent has found
};

}  // namespace rooflab::predict
