#pragma once

#include <string>

#include "rooflab/record/record.hpp"

namespace rooflab::analyze {

/// A record and what it is called: its file, and which of several in it.
struct Recording {
  record::Record record;
  std::string source;
};

}  // namespace rooflab::analyze
