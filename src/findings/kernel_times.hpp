#pragma once

#include <functional>
#include <optional>
#include <string>

#include "rooflab/record/kernel_table.hpp"

namespace rooflab::findings {

/// How long kernels with counters run alone: what their end would save of the time in which a
/// kernel runs, on the device with most of it.
class KernelTimes {
 public:
  /// The kernels must outlive it.
  explicit KernelTimes(const record::KernelTable& kernels) : kernels_(kernels) {}

  using Chosen = std::function<bool(const std::string& kernel)>;
  /// Time of those of the chosen names while no other kernel of their device runs. nullopt: a
  /// device has several streams, and nobody knows what runs beside what.
  [[nodiscard]] std::optional<double> alone_s(const Chosen& chosen) const;
  /// Time in which a kernel runs; nullopt likewise.
  [[nodiscard]] std::optional<double> all_s() const;

 private:
  const record::KernelTable& kernels_;
};

}  // namespace rooflab::findings
