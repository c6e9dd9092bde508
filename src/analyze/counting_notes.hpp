#pragma once

#include <optional>
#include <vector>

#include "rooflab/describe/note.hpp"
#include "rooflab/record/environment.hpp"
#include "rooflab/record/kernel_sums.hpp"

/// Notes about hardware counters.
namespace rooflab::analyze {

/// Notes on the collection of counters: `counters were read on GH100: ...`.
[[nodiscard]] std::vector<Note> counting_notes(const record::Counting& counting);

/// Note on a whole step: `a whole step was counted with its kernels concurrent: tensor cores 4.5
/// GFLOP, ...
/// ...`; nullopt where the step was not counted.
[[nodiscard]] std::optional<Note> step_note(const record::KernelSums& step);

}  // namespace rooflab::analyze
