#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/device/calibration.hpp"
#include "rooflab/predict/op_model.hpp"

/// Tables of measured ops that tests make up.
namespace rooflab::predict {

using Tables = std::map<std::string, device::OpTable>;

/// Numbers between 0 and 1 that are the same on every machine: the fractional parts of multiples of
/// the golden ratio, which fill the interval evenly. `stream` begins elsewhere.
class EvenNumbers {
 public:
  explicit EvenNumbers(double stream) : at_(stream) {}
  double next() {
    at_ += 0.6180339887498949;
    at_ -= std::floor(at_);
    return at_;
  }

 private:
  double at_;
};

/// Multiprocessors of the devices that the tables stand for.
inline constexpr double table_multiprocessors = 100.0;
inline constexpr double ms = 1e-3;
inline constexpr double us = 1e-6;

inline std::vector<std::string> column_names(std::string_view op) {
  std::vector<std::string> names;
  for (const std::string_view column : columns_of(op)) names.emplace_back(column);
  return names;
}

/// Rows of a kind whose times `time` makes up, sizes powers of two to `most_log2[j]`.
inline std::vector<device::OpRow> made_up_rows(
    std::size_t count, const std::vector<double>& most_log2,
    const std::function<double(const std::vector<double>&)>& time) {
  std::vector<EvenNumbers> numbers;
  for (std::size_t j = 0; j < most_log2.size(); ++j) {
    numbers.emplace_back(0.1 + 0.37 * static_cast<double>(j));
  }
  std::vector<device::OpRow> rows;
  for (std::size_t i = 0; i < count; ++i) {
    device::OpRow row;
    for (std::size_t j = 0; j < most_log2.size(); ++j) {
      // A different step for each column, so that columns do not run side by side.
      double number = 0.0;
      for (std::size_t step = 0; step <= j * j; ++step) number = numbers[j].next();
      row.sizes.push_back(std::round(std::exp2(number * most_log2[j])));
    }
    row.time_s = time(row.sizes);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// A fitted table of an op that moves data: floor + bytes * per_byte, and that exactly. With an
/// amplitude of 0 the deviation is the noise everywhere.
inline device::OpTable plain_table(std::string_view op, double floor_s, double s_per_byte,
                                   double deviation = 1e-6) {
  device::OpTable table;
  table.columns = column_names(op);
  table.curve = {std::log(floor_s), std::log(s_per_byte), -200.0};  // nothing for a row
  table.lengths.assign(table.columns.size(), 2.0);
  table.noise = deviation;
  table.amplitude = 0.0;
  OpShape shape{std::string(op), "forward", "f32", "", {}};
  shape.sizes.assign(table.columns.size(), 1024.0);
  const double time = floor_s + work_of(shape).bytes * s_per_byte;
  table.rows = {{shape.sizes, time, std::nullopt}};
  return table;
}

/// Table of a product, whose time is floor + FLOPs * s_per_flop + bytes * s_per_byte. With `half_tiles` that
/// many tiles fill half of the device; else no extent is too small.
inline device::OpTable product_table(std::string_view kind, double floor_s, double s_per_flop,
                                     double s_per_byte, double deviation = 1e-6,
                                     double half_tiles = 1e-80) {
  OpShape shape = shape_of_kind(kind);
  device::OpTable table;
  table.columns = column_names(shape.op);
  constexpr double none = -200.0;
  table.curve = {std::log(floor_s),
                 std::log(s_per_flop),
                 std::log(s_per_byte),
                 none,
                 none,
                 std::log(half_tiles),
                 none};
  table.lengths.assign(table.columns.size(), 2.0);
  table.noise = deviation;
  table.amplitude = 0.0;
  shape.sizes.assign(table.columns.size(), 64.0);
  const OpWork work = work_of(shape);
  table.rows = {{shape.sizes, floor_s + work.matrix_flops * s_per_flop + work.bytes * s_per_byte,
                 std::nullopt}};
  return table;
}

/// A calibration of the device `id` with these tables.
inline device::Calibration calibration_of(std::string id, Tables tables) {
  device::Calibration calibration;
  calibration.id = id;
  calibration.device = std::move(id);
  calibration.ops = std::move(tables);
  return calibration;
}

}  // namespace rooflab::predict
