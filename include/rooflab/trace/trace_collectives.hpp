#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "rooflab/base/described.hpp"
#include "rooflab/base/quotient.hpp"

namespace rooflab::trace {

/// Messages of one collective, type and group size, as far as the trace describes them.
struct CollectiveRow {
  std::string collective;        ///< `allreduce`, `_allgather_base`, ...
  std::string dtype;             ///< `Float`; as the library prints it
  std::int64_t group_size = -1;  ///< -1: not recorded
  std::int64_t calls = 0;
  /// Time of kernels, where they are described, else of host ops; waiting included.
  std::int64_t time_ns = 0;
  /// The larger of what goes in and comes out of a rank, all calls; nullopt: not recorded of one.
  std::optional<double> bytes;
  /// What the links must carry for it (nccl-tests' "bus bandwidth" times the time).
  std::optional<double> bus_bytes;

  [[nodiscard]] std::optional<std::int64_t> ranks() const {
    return group_size < 0 ? std::nullopt : std::optional(group_size);
  }
  [[nodiscard]] std::optional<double> bytes_per_s() const { return quotient(bytes, time_s()); }
  [[nodiscard]] std::optional<double> bus_bytes_per_s() const {
    return quotient(bus_bytes, time_s());
  }

 private:
  [[nodiscard]] double time_s() const { return static_cast<double>(time_ns) * 1e-9; }
};

[[nodiscard]] std::span<const Field> fields_of(For<CollectiveRow>);

}  // namespace rooflab::trace
