// Memory of several devices compared with that of one: why in all they take more, as much or less.
//
// A rank of data-parallel training holds a replica of the model: parameters, buffers, gradients,
// optimizer state, buckets (a copy of the gradients), the driver's context, R bytes in all. The
// rest are activations A and workspaces, which grow with a rank's batch. On n devices
//
//     weak scaling     n (R + A)      each has its own batch
//     strong scaling   n R + A        the batch is divided: activations halve on two devices
//
// so where A is much larger than R, n devices take hardly more than one. Compared is what is used
// on the devices, else what was reserved, else what was allocated: the first that both have.
//
// Source: Li et al., "PyTorch Distributed", VLDB 2020, sections 3 and 4. When it is wrong: buffers
// of the communication library are not in the predicted memory; workspaces do not halve with a
// batch.

#include <algorithm>

#include "rules.hpp"

namespace rooflab::findings {
namespace {

using analyze::ScalingMemory;
using analyze::ScalingRow;
using analyze::ScalingStep;

struct Compared {
  Bytes all;
  Bytes one;
};

std::optional<Compared> compared(const ScalingMemory& all, const ScalingMemory& one) {
  for (const auto figure : {&ScalingMemory::device_used, &ScalingMemory::reserved_peak,
                            &ScalingMemory::allocated_peak}) {
    const std::optional<Bytes>& of_all = all.*figure;
    const std::optional<Bytes>& of_one = one.*figure;
    if (of_all && of_one && *of_one > Bytes(0)) return Compared{*of_all, *of_one};
  }
  return std::nullopt;
}

}  // namespace

void add_memory_of_ranks(const analyze::ScalingSeries& series, FindingList& found) {
  if (series.kind == analyze::ScalingKind::mixed) return;
  const auto one = std::ranges::find(series.rows, 1, &ScalingRow::devices);
  const auto last = std::ranges::max_element(series.rows, {}, &ScalingRow::devices);
  if (one == series.rows.end() || last->devices == 1) return;
  const bool measured = one->measured && last->measured;
  if (!measured && !(one->predicted && last->predicted)) return;
  const ScalingStep& of_one = measured ? *one->measured : *one->predicted;
  const ScalingStep& of_all = measured ? *last->measured : *last->predicted;
  const std::optional<Compared> memory = compared(of_all.all_memory, of_one.all_memory);
  if (!memory) return;
  NoteValue divided;
  NoteValue repeated;
  if (const std::optional<Bytes> replicated = last->replicated_memory()) {
    (series.kind == analyze::ScalingKind::strong ? divided : repeated) = replicated->value();
  }
  found.add(FindingKind::memory_of_ranks, {last->devices, memory->all.as_double(),
                                           memory->all.as_double() / memory->one.as_double(),
                                           memory->one.as_double(), divided, repeated});
}

}  // namespace rooflab::findings
