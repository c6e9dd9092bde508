#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "rooflab/record/counter_metric.hpp"

/// What differs between chips in the names of their metrics.
namespace rooflab::record {

enum class DramNames : std::uint8_t {
  bytes_read,     ///< dram__bytes_read
  bytes_op_read,  ///< dram__bytes_op_read
  none,           ///< shares its memory with the CPU: no DRAM unit to ask
};

struct CounterChip {
  ComputeCapability capability;
  std::string_view name;  ///< CUPTI's; a digit that differs within the family is written `?`
  /// Metrics of its floating-point types: what follows `sm__ops_path_tensor_src_`.
  std::span<const std::string_view> tensor;
  bool packed_fp32 = false;
  DramNames dram = DramNames::bytes_read;
};

/// nullptr: not in the table. By capability: the first of several chips, one with tensor cores.
[[nodiscard]] const CounterChip* counter_chip(ComputeCapability capability);
[[nodiscard]] const CounterChip* counter_chip(std::string_view name);

}  // namespace rooflab::record
