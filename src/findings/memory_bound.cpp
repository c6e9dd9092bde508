// Work that the memory bounds, and what fusing could save.
//
//   predicted, measured   rows whose limit the memory bounds, over the whole limit L; with I, the
//           limit of the whole network as one fused op, which reads weights and caches once, the
//           worth is the time of these rows that no other finding has, at most the step times
//           1 - I / L.
//
// Source: Williams et al., "Roofline", CACM 52(4), 2009; I: docs/methods/limit.md. When it is
// wrong: no compiler fuses a whole network; what it fuses in practice saves a part.

#include <algorithm>

#include "rules.hpp"

namespace rooflab::findings {

void add_memory_bound(const NetworkFacts& network, FindingList& found) {
  const predict::NetworkLimit& limit = network.result.limit;
  if (!limit.time || !limit.ideal_time || limit.time->value <= 0.0) return;
  double bound_s = 0.0;
  for (const analyze::LayerRow& row : network.result.layers) {
    if (row.bound != predict::Bound::memory || !row.time) continue;
    bound_s += row.time->value;
  }
  const double share = bound_s / limit.time->value;
  if (share < row_of(FindingKind::memory_bound).least) return;
  const double fused = 1.0 - limit.ideal_time->value / limit.time->value;
  double left_s = network.above_ideal_s(fused * network.step_s);
  double worth_s = 0.0;
  for (const analyze::LayerRow& row : network.result.layers) {
    if (row.bound != predict::Bound::memory || !row.time) continue;
    const double taken_s = network.take(row, left_s);
    worth_s += taken_s;
    left_s -= taken_s;
  }
  found.add(FindingKind::memory_bound, {share, limit.ideal_time->value, limit.time->value}, worth_s)
      .besides = network.has_wide_data();
}

}  // namespace rooflab::findings
