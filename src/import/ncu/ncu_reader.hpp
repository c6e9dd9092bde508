#pragma once

#include <string>

#include "rooflab/import/readers.hpp"
#include "system/byte_source.hpp"

namespace rooflab::import::ncu {

/// Reads an open log like read_ncu_log(); `file` names it in messages and in the record.
[[nodiscard]] record::Record read_log(ByteSource& source, const std::string& file,
                                      const ImportOptions& options);

}  // namespace rooflab::import::ncu
