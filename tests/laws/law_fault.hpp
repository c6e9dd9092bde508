#pragma once

#include <cstdlib>
#include <cstring>

// Whether the fault of that name is put back in this run: `put_back` writes it into a copy of the
// code.
inline bool rooflab_law_fault(const char* name) {
  const char* const asked = std::getenv("ROOFLAB_LAW_FAULT");
  return asked != nullptr && std::strcmp(asked, name) == 0;
}
