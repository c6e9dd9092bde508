#pragma once

#include <string>

#include "rooflab/base/json.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/record/kernel_sums.hpp"

namespace rooflab::record {

/// One launch as docs/formats/record.md describes it: its identity, what follows from its counters
/// (work by arithmetic path, DRAM bytes, intensity; null where they are missing, and left out where
/// no kernel of the table has any) and the counters themselves. `tensor_cores`: the chip may have
/// them (may_have_tensor_cores()).
[[nodiscard]] Json kernel_json(const KernelTable& kernels, std::size_t row, bool tensor_cores);

/// Puts every figure that people see into an object, and the tensor cores' operations by type; null
/// for what is not known. docs/formats/import.md has the keys.
void put_sums(Json& json, const KernelSums& sums);

/// Of a list of such objects. Throws Error (input) that names the key at fault.
[[nodiscard]] KernelTable kernels_from_json(const std::vector<JsonFields>& entries);

}  // namespace rooflab::record
