#pragma once

#include <functional>
#include <optional>
#include <string>

#include "rooflab/record/kernel_table.hpp"

namespace rooflab::findings {

/// Time in which kernels with counters run alone, on the device with the most kernel time: an upper
/// bound of the saving if they were removed.
class KernelTimes {
 public:
  /// Takes the kernels, which must outlive this.
  explicit KernelTimes(const record::KernelTable& kernels) : kernels_(kernels) {}

  using Chosen = std::function<bool(const std::string& kernel)>;
  /// Time of the chosen kernels while no other kernel of their device runs. nullopt: a device has
  /// several streams, and their overlap is not known.
  [[nodiscard]] std::optional<double> alone_s(const Chosen& chosen) const;
  /// Time in which any kernel runs; nullopt: the overlap of streams is not known.
  [[nodiscard]] std::optional<double> all_s() const;

 private:
  const record::KernelTable& kernels_;
};

}  // namespace rooflab::findings
