#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "rooflab/record/record.hpp"

/// Owners (processes or threads) of all events of a trace. Not a public header.
namespace rooflab::trace {

/// Owners by number; `nobody`: not known.
struct WorkOwners {
  static constexpr int nobody = -1;

  int count = 0;             ///< number of owners
  std::vector<int> ranges;   ///< owner of each range of the host
  std::vector<int> kernels;  ///< owner of each row
  std::vector<int> copies;
  std::vector<int> messages;
  std::vector<int> allocations;

  /// Number of kernels and copies of each owner.
  [[nodiscard]] std::vector<std::int64_t> work_of_owners() const;
};

/// Assigns owners. `thread_owner`: owner of each thread of the ranges, from 0 to `count` - 1. Work
/// belongs to the owner of the call that launched it.
[[nodiscard]] WorkOwners work_owners(const record::Record& record,
                                     const std::vector<int>& thread_owner, int count);

/// Whether ranges of this kind are on a thread of the host.
[[nodiscard]] bool is_of_host(record::RangeKind kind);

/// Process in a thread's label: `417` in `417/442`.
[[nodiscard]] std::string_view process_of_thread(std::string_view label);

/// Whether a kernel table's label of a process names this one: `python3 (417 on host)`.
[[nodiscard]] bool names_process(std::string_view label, std::string_view process);

}  // namespace rooflab::trace
