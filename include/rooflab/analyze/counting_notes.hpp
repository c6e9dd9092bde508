#pragma once

#include <string>

#include "rooflab/record/counting.hpp"
#include "rooflab/record/kernel_sums.hpp"

/// Sentences about hardware counters.
namespace rooflab::analyze {

/// How counters were collected: `counted on GH100: ...`.
[[nodiscard]] std::string counting_note(const record::Counting& counting);

/// `a whole step, its kernels concurrent: tensor cores 4.5 GFLOP, DRAM 1 MB, ...`; empty where
/// nothing was counted of it.
[[nodiscard]] std::string step_note(const record::KernelSums& step);

/// What counts as a FLOP.
[[nodiscard]] std::string counting_conventions();

}  // namespace rooflab::analyze
