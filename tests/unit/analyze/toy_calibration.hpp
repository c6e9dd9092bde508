#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyze/analyze_notes.hpp"
#include "rooflab/analyze/case_result.hpp"
#include "rooflab/device/catalog.hpp"

/// A calibration whose ops take equally long whatever their size, and a prediction by it.
namespace rooflab::analyze {

/// A curve that is a floor: exp(-1000) is nothing. Rows on the curve correct nothing.
inline device::OpTable constant_time(std::vector<std::string> columns, std::size_t parameters,
                                     double time_s, std::vector<double> sizes) {
  device::OpTable table;
  table.columns = std::move(columns);
  table.curve.assign(parameters, -1000.0);
  table.curve.front() = std::log(time_s);
  table.lengths.assign(table.columns.size(), 2.0);
  table.noise = 0.01;
  table.amplitude = 0.1;
  table.error = 0.1;
  table.rows = {{std::move(sizes), time_s, 0.0}};
  return table;
}

/// Convolutions 100 us, biases 4 us, ReLU 10 us; the host takes 1 us for each node.
inline device::Calibration toy_calibration() {
  device::Calibration calibration;
  calibration.id = "toy";
  calibration.device = "h200-sxm";
  calibration.device_name = "Toy";
  calibration.figures = {{"launch.issue", "s", 1e-6, 1e-6, 1e-6, 1, ""},
                         {"memory.context", "B", 5e8, 5e8, 5e8, 1, ""}};
  calibration.ops["conv2d.forward.fp32.nchw"] = constant_time(
      {"batch", "pixels", "in_channels", "out_channels", "groups", "kernel", "stride"}, 7, 1e-4,
      {1, 64, 3, 4, 1, 9, 1});
  calibration.ops["add_broadcast.forward.f32"] = constant_time({"elements"}, 3, 4e-6, {256});
  calibration.ops["relu.forward.f32"] = constant_time({"elements"}, 3, 1e-5, {256});
  device::HostCosts host;
  host.issuer = "pytorch";
  host.ops["conv2d"] = host.ops["unary"] = {1e-6, 1e-6, 1e-6};
  calibration.hosts = {host};
  return calibration;
}

/// The model of `target` by the toy calibration; `with_host`: behind its host.
inline CalibratedModel toy_model(const std::string& target, bool with_host) {
  const device::Catalog catalog = device::Catalog::built_in();
  CalibratedModel model{.times = predict::TimeModel({{device::LazyCalibration(toy_calibration()),
                                                      catalog.find("h200-sxm")}},
                                                    catalog.find(target)),
                        .relation = target == "h200-sxm" ? Relation::own : Relation::relative,
                        .host = nullptr,
                        .note = with_host ? std::nullopt : std::optional(Note{says.host_left_out})};
  if (with_host) model.host = &model.times.calibration().hosts.front();
  return model;
}

}  // namespace rooflab::analyze
