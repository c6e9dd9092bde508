// Steps wait for data.
//
//   trace   the role data_loader of the step: the host is in the data loader's `__next__` while the
//           device does nothing and no call of the runtime runs. Worth: all of it.
//   measured    the median time of waiting for the next batch, over the step with its data. Worth:
//               all of it.
//
// Source: PyTorch records `enumerate(DataLoader)#...__next__` (torch/utils/data/dataloader.py).
// When it is wrong: loaders without such a range (DALI, own loops) count as waiting for the host.

#include <algorithm>

#include "rooflab/base/statistics.hpp"
#include "rules.hpp"

namespace rooflab::findings {

void add_data_loading(const TraceFacts& trace, FindingList& found) {
  const double waiting_ns = trace.role_ns(trace::StepRole::data_loader);
  if (trace.step_share(waiting_ns) < row_of(FindingKind::data_loading).least) return;
  found.add(FindingKind::data_loading, {trace.step_share(waiting_ns)}, waiting_ns * seconds_per_ns);
}

void add_data_loading(const analyze::MeasuredCase& measured, FindingList& found) {
  const auto& timing = measured.record.timing;
  if (!timing || timing->data_s.empty() || !measured.with_data_s) return;
  const double waiting_s = *median_of(timing->data_s);
  if (waiting_s / *measured.with_data_s < row_of(FindingKind::data_loading).least) return;
  const int workers = std::max(4, measured.record.environment.logical_cpus);
  advise(found.add_of(*measured.with_data_s, FindingKind::data_loading,
                      {waiting_s / *measured.with_data_s}, waiting_s, std::string()),
         measured.record.identity.command,
         {{ChangedMember::data_workers, std::to_string(workers)}});
}

}  // namespace rooflab::findings
