#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflab/record/host_costs.hpp"
#include "worker_probe.hpp"

/// Work on which the host's issue costs are measured, by a probe and after the steps of a case.
namespace rooflab::engine {

/// A chain of tiny ops of one host class, or optimizer steps, for the host's time to issue them.
struct HostItem {
  std::string host_class;  ///< `conv2d`, ..., or the name of an optimizer
  ProbeItem item;
  double tensors = 0.0;  ///< number of tensors of an optimizer step
};
[[nodiscard]] std::vector<HostItem> host_grid();

/// Issue costs of rooflab-torch from the results of host_grid(), whose items begin at `first` of
/// the request.
[[nodiscard]] record::HostCosts host_costs(std::span<const HostItem> items, std::size_t first,
                                           std::span<const ProbeResult> results);

/// Returns issue costs with the framework's version and the CPU of the run.
[[nodiscard]] record::HostCosts measured_in(record::HostCosts costs,
                                            const record::Environment& environment);

}  // namespace rooflab::engine
