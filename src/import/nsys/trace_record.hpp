#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "rooflab/record/record.hpp"

namespace rooflab::import::nsys {

/// What follows from rows and devices that are there: the identity of record and device, blocks and
/// warps for each multiprocessor, the date, warnings. `first_ns`: the earliest time of an event.
void complete(record::Record& record, const std::string& file, std::optional<std::int64_t> first_ns,
              const std::map<int, std::string>& uuids);

}  // namespace rooflab::import::nsys
