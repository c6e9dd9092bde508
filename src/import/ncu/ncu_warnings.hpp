#pragma once

#include <vector>

#include "log_facts.hpp"
#include "number_reader.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::import::ncu {

/// Warnings about the figures: work that was not collected, counts that are not arithmetic, bytes
/// that differ from a normal run, derived figures, losses.
[[nodiscard]] std::vector<Note> warnings_of(const record::KernelTable& kernels,
                                            const LogFacts& facts, const NumberReader& numbers);

}  // namespace rooflab::import::ncu
