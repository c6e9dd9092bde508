#pragma once

#include <string>

#include "record/counter_metric.hpp"

namespace rooflab::import {

/// The command line that makes Nsight Compute write what read_ncu_log() needs for all of a
/// program's work on a chip; `PROGRAM` stands for the program:
///
///     ncu --csv --page raw --print-units base --metrics A,B,C --log-file run.csv PROGRAM
[[nodiscard]] std::string ncu_command(record::ComputeCapability capability);

}  // namespace rooflab::import
