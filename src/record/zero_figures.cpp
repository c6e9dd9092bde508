// PyTorch's profiler writes an estimated occupancy of 0 where its calculator has no answer (large
// shared memory, kernels of compilers), and rounds to whole percents. Blocks and warps for each
// multiprocessor are 0 where it does not know how many there are.
// Source: libkineto, CuptiActivity.cpp and DeviceProperties.cpp.

#include "zero_figures.hpp"

#include <string>

#include "record_notes.hpp"

namespace rooflab::record {

void forget_impossible_zeros(Record& record) {
  if (!record.kernels) return;
  for (const KernelFigure figure : values_of<KernelFigure>) {
    if (!facts_of(figure).never_zero) continue;
    const std::size_t zeros = record.kernels->forget_zeros(figure);
    if (zeros == 0) continue;
    record.warnings.push_back(
        {says.never_zero,
         {std::string(facts_of(figure).word.figure().title), zeros, record.kernels->size()}});
  }
}

}  // namespace rooflab::record
