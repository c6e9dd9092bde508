#pragma once

#include <string>

#include "base/byte_source.hpp"
#include "rooflab/import/readers.hpp"

namespace rooflab::import::ncu {

/// What read_ncu_log() does, of a log that is open; `file` names it in messages and in the record.
[[nodiscard]] record::Record read_log(ByteSource& source, const std::string& file,
                                      const ImportOptions& options);

}  // namespace rooflab::import::ncu
