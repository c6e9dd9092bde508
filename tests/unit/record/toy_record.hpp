#pragma once

#include <utility>
#include <vector>

#include "rooflab/record/record.hpp"

namespace rooflab::record {

/// A record of a toy network on a toy device, without steps yet.
inline Record toy_record() {
  Record record;
  record.identity.model = "relus";
  record.identity.device = "cuda:0";
  record.identity.batch = 2;
  record.identity.command = "rooflab measure relus --device cuda:0";
  record.environment.date = "2026-01-02T03:04:05Z";
  record.environment.device.kind = "cuda";
  record.environment.device.name = "Toy";
  record.environment.libraries = {{"libtorch", "2.0.0"}};
  return record;
}

inline Record with_steps(Record record, std::vector<double> steps_s) {
  record.timing = Timing{};
  record.timing->steps_s = std::move(steps_s);
  record.timing->clock = "device events";
  return record;
}

inline Record toy_record(std::vector<double> steps_s) {
  return with_steps(toy_record(), std::move(steps_s));
}

}  // namespace rooflab::record
