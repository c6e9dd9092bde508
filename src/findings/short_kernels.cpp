// Many kernels that do less than their launch costs.
//
//   trace   kernels below 5 us, about what PyTorch needs to issue one; said where they are half of
//           the launches or more, and 10 % of the time of all kernels. Worth: the time in which
//           nothing else runs, which fusing them with others would save at most; without those
//           that convert layouts, run again or could use tensor cores.
//
// Source: docs/methods/prediction.md for what issuing costs. When it is wrong: kernels in a
// captured graph cost the host nothing.

#include <cmath>

#include "rules.hpp"

namespace rooflab::findings {
namespace {

constexpr double many_share = 0.5;

}  // namespace

void add_short_kernels(const TraceFacts& trace, FindingList& found) {
  const trace::StepWork& work = trace.work;
  if (work.short_launches < many_share * work.launches ||
      trace.kernel_share(work.short_ns) < row_of(FindingKind::short_kernels).least) {
    return;
  }
  found.add(FindingKind::short_kernels,
            {std::llround(work.short_launches), std::llround(work.launches),
             trace.kernel_share(work.short_ns)},
            work.alone(trace::LoneKind::short_kernel) * seconds_per_ns,
            trace.seen.compiled ? std::string() : text_of(TryLine::compile));
}

}  // namespace rooflab::findings
