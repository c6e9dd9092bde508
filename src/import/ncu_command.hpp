#pragma once

#include <string>

#include "record/counter_metric.hpp"

namespace rooflab::import {

/// Command line with which Nsight Compute writes all metrics that read_ncu_log() needs for a
/// program's work on a chip, with `PROGRAM` as a placeholder:
///
///     ncu --csv --page raw --print-units base --metrics A,B,C --log-file run.csv PROGRAM
[[nodiscard]] std::string ncu_command(record::ComputeCapability capability);

}  // namespace rooflab::import
