#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "rooflab/record/record.hpp"

namespace rooflab::import {

/// Completes a record with facts derived from its rows and devices: identity of record and device,
/// blocks and warps per multiprocessor, date, warnings. `first_ns`: earliest time of an event.
void complete(record::Record& record, const std::string& file, std::optional<std::int64_t> first_ns,
              const std::map<int, std::string>& uuids);

}  // namespace rooflab::import
