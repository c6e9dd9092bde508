// Reads a trace of the PyTorch profiler and says where the time of a step goes:
// usage: read_trace TRACE.json[.gz]

#include <algorithm>
#include <iomanip>
#include <iostream>

#include "rooflab/errors.hpp"
#include "rooflab/imports.hpp"
#include "rooflab/traces.hpp"
#include "rooflab/units.hpp"

using namespace rooflab;  // NOLINT(google-build-using-namespace): short, as in a program of yours

namespace {

void show(const analyze::ImportedCase& recorded) {
  std::cout << recorded.title << ", " << recorded.record.environment.device.name << ": "
            << recorded.totals.launches << " kernels\n";

  std::cout << std::fixed << std::setprecision(1);
  // The mean step; a moment counts as the first of these that goes on.
  const trace::RoleTimes& step = recorded.trace->ours.breakdown.mean;
  for (std::size_t i = 0; i < step.role_ns.size(); ++i) {
    if (step.role_ns[i] == 0.0) continue;
    std::cout << std::left << std::setw(14) << name_of(static_cast<trace::StepRole>(i))
              << std::right << std::setw(10) << si(step.role_ns[i] * 1e-9, "s") << std::setw(8)
              << 100.0 * step.role_ns[i] / step.total_ns << " %\n";
  }

  std::cout << "the kernels that take longest:\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(3, recorded.kernels.size()); ++i) {
    const analyze::KernelGroup& kernel = recorded.kernels[i];
    std::cout << std::setw(6) << 100.0 * kernel.time_share.value_or(0.0) << " % " << std::setw(5)
              << kernel.sums.launches << " x " << kernel.name.substr(0, 60) << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw Error(ErrorKind::usage, "usage: read_trace TRACE.json");
  // Traces that were merged hold several processes.
  for (trace::TracePart& part : trace::parts_of(import::read_kineto_trace(argv[1]))) {
    show(analyze::imported_case_of(std::move(part.record), argv[1], device::Catalog::built_in()));
  }
} catch (const Error& error) {
  std::cerr << error.full_message() << "\n" << error.hint() << "\n";
  return 2;
}
