// Kernels that only convert layouts.
//
//   trace   kernels whose names say so (trace/kernel_purpose.cpp), over the time of all kernels.
//           Worth: their time, which channels-last data would save.
//
// Source: NVIDIA, "Deep Learning Performance: Convolutional Layers User's Guide", tensor layouts.
// When it is wrong: convolutions with few channels are faster channels-first, and ops without a
// channels-last kernel convert once more.

#include <algorithm>

#include "rooflab/base/text.hpp"
#include "rules.hpp"
#include "trace/kernel_purpose.hpp"

namespace rooflab::findings {

void add_layout_conversion(const TraceFacts& trace, FindingList& found) {
  const double conversion_ns = total_ns(trace.work.conversions);
  if (trace.kernel_share(conversion_ns) < row_of(FindingKind::layout_conversion).least) return;
  std::vector<std::pair<std::string, double>> kinds;  // the longest kernel's first
  for (const trace::StepKernel& kernel : trace.work.conversions) {
    const std::string name(trace::layout_conversion_of(kernel.name));
    const auto known = std::ranges::find(kinds, name, [](const auto& kind) { return kind.first; });
    if (known == kinds.end()) {
      kinds.emplace_back(name, kernel.time_ns);
    } else {
      known->second += kernel.time_ns;
    }
  }
  std::vector<std::string> names;
  for (const auto& kind : kinds) {
    names.push_back(format("{} {:.1f} %", kind.first, 100.0 * trace.kernel_share(kind.second)));
  }
  found.add(FindingKind::layout_conversion, {trace.kernel_share(conversion_ns), names, {}},
            conversion_ns * seconds_per_ns);
}

}  // namespace rooflab::findings
