#pragma once

#include <vector>

#include "log_facts.hpp"
#include "number_reader.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::import::ncu {

/// What a reader of the figures must know: work that was not collected, counts
/// that are not arithmetic, bytes that differ from a free run, figures that were derived, losses.
[[nodiscard]] std::vector<Note> warnings_of(const record::KernelTable& kernels,
                                            const LogFacts& facts, const NumberReader& numbers);

}  // namespace rooflab::import::ncu
