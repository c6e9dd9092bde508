// One kernel that takes much of the time of all.
//
//   trace   all launches of one name, over the time of all kernels; conversions of layouts and
//           communication have separate findings. It has no worth: what the kernel could be is
//           not known from its time.
//
// When it is wrong: one name may serve ops that have nothing in common (elementwise kernels).

#include "rules.hpp"
#include "trace/kernel_purpose.hpp"
#include "trace/trace_timeline.hpp"

namespace rooflab::findings {

void add_long_kernel(const TraceFacts& trace, FindingList& found) {
  if (trace.work.kernels.empty()) return;
  const trace::StepKernel& longest = trace.work.kernels.front();
  if (trace.kernel_share(longest.time_ns) < row_of(FindingKind::long_kernel).least ||
      !trace::layout_conversion_of(longest.name).empty() ||
      trace::is_collective_kernel(longest.name)) {
    return;
  }
  found.add(FindingKind::long_kernel,
            {trace.kernel_share(longest.time_ns), short_name(longest.name)});
}

}  // namespace rooflab::findings
