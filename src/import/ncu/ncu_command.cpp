#include "import/ncu_command.hpp"

#include "base/format.hpp"

namespace rooflab::import {

std::string ncu_command(record::ComputeCapability capability) {
  return format("ncu --csv --page raw --print-units base --metrics {} --log-file run.csv PROGRAM",
                join(record::collection_metrics(capability), ","));
}

}  // namespace rooflab::import
