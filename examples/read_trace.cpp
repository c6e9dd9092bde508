// Reads a trace of the PyTorch profiler and says where the time of a step goes:
// usage: read_trace TRACE.json[.gz]

#include <algorithm>
#include <iostream>

#include "rooflab/base/format.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/import/kineto_reader.hpp"

using namespace rooflab;

int main(int argc, char** argv) try {
  if (argc != 2) throw Error(ErrorKind::usage, "usage: read_trace TRACE.json");
  const analyze::ImportedCase recorded = analyze::imported_case_of(
      import::read_kineto_trace(argv[1]), argv[1], device::Catalog::built_in());
  std::cout << recorded.title << ", " << recorded.record.environment.device.name << ": "
            << recorded.totals.kernels << " kernels\n";

  // The mean step; a moment counts as the first of these that goes on.
  const trace::MeanStepCosts& step = recorded.trace->ours.breakdown.mean;
  for (std::size_t i = 0; i < step.role_ns.size(); ++i) {
    if (step.role_ns[i] == 0.0) continue;
    std::cout << format("{:<14}{:>10}{:>8.1f} %\n", name_of(static_cast<trace::StepRole>(i)),
                        si(step.role_ns[i] * 1e-9, "s"), 100.0 * step.role_ns[i] / step.total_ns);
  }

  std::cout << "the kernels that take longest:\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(3, recorded.kernels.size()); ++i) {
    const analyze::KernelGroup& kernel = recorded.kernels[i];
    std::cout << format("{:>6.1f} % {:>5} x {:.60}\n", 100.0 * kernel.time_share, kernel.launches,
                        kernel.name);
  }
} catch (const Error& error) {
  std::cerr << error.full_message() << "\n" << error.hint() << "\n";
  return 2;
}
