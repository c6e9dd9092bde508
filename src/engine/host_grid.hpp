#pragma once

#include <span>
#include <string>
#include <vector>

#include "probe.hpp"
#include "rooflab/record/host_costs.hpp"

/// What the host's issue costs are measured on, by a probe and behind the steps of a case.
namespace rooflab::engine {

/// Chains of tiny ops of every host class, and optimizer steps: for the host's time to issue them.
struct HostItem {
  std::string host_class;  ///< `conv2d`, ...; an optimizer's name for its steps
  ProbeItem item;
  double tensors = 0.0;  ///< number of tensors of an optimizer step
};
[[nodiscard]] std::vector<HostItem> host_grid();

/// Issue costs of rooflab-torch from the results of host_grid(), whose items begin at `first` of
/// the request.
[[nodiscard]] record::HostCosts host_costs(std::span<const HostItem> items, std::size_t first,
                                           std::span<const ProbeResult> results);

/// The same with the framework's version and the CPU of the run.
[[nodiscard]] record::HostCosts measured_in(record::HostCosts costs,
                                            const record::Environment& environment);

}  // namespace rooflab::engine
