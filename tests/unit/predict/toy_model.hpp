#pragma once

#include <utility>

#include "calibrated_device.hpp"
#include "op_tables.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {

/// The times of these tables, measured on one device and carried to another.
inline TimeModel model_of(Tables tables,
                          const device::Device& target = calibrated_device("source")) {
  return TimeModel({{device::LazyCalibration(calibration_of("source", std::move(tables))),
                     calibrated_device("source")}},
                   target);
}

}  // namespace rooflab::predict
