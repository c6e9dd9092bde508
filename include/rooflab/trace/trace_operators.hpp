#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/base/quotient.hpp"

namespace rooflab::trace {

/// An operator of the framework: all its calls, or those with the same arguments.
struct OperatorRow {
  std::string name;
  std::string arguments;  ///< text of record::RangeTable; empty: all calls, or not recorded
  std::int64_t calls = 0;
  std::int64_t host_total_ns = 0;
  /// Without the operators that it called; by the plugin's rule also without calls of the runtime.
  std::int64_t host_self_ns = 0;
  std::int64_t device_total_ns = 0;  ///< kernels and copies that it and those it called launched
  std::int64_t device_self_ns = 0;   ///< that it launched itself
  /// Work of all calls, modelled from shapes (trace_op_work.hpp); nullopt when one of them has
  /// none.
  std::optional<double> flops;
  std::optional<double> bytes;

  /// Modelled work over the device's time; nullopt without either.
  [[nodiscard]] std::optional<double> flops_per_s() const { return quotient(flops, device_s()); }
  [[nodiscard]] std::optional<double> bytes_per_s() const { return quotient(bytes, device_s()); }
  [[nodiscard]] std::optional<std::string> known_arguments() const {
    return arguments.empty() ? std::nullopt : std::optional(arguments);
  }

 private:
  [[nodiscard]] double device_s() const { return static_cast<double>(device_total_ns) * 1e-9; }
};

/// Both lists by the device's self time (a trace without device work: by the host's), most first.
struct OperatorTable {
  std::vector<OperatorRow> by_name;
  std::vector<OperatorRow> by_arguments;  ///< empty where no shapes are recorded
  /// Device work that no operator launched: a step, an optimizer or an unknown caller did.
  std::int64_t unattributed_ns = 0;
  /// Modelled work, counted once: only for operators that no other operator with a rule called.
  /// nullopt where none has a rule.
  std::optional<double> flops;
  std::int64_t flops_device_ns = 0;  ///< device time of those
};

[[nodiscard]] std::span<const Field> fields_of(For<OperatorRow>);
[[nodiscard]] std::span<const Field> fields_of(For<OperatorTable>);

}  // namespace rooflab::trace
