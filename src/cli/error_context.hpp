#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"

namespace rooflab::cli {

/// Runs `work`; an error that has no place in a file is said to be of that case.
template <class Work>
auto in_case(const std::string& model, std::optional<std::int64_t> batch, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input || !error.location().file.empty()) throw;
    const std::string of_batch = batch ? format(", batch {}", *batch) : "";
    throw Error(error.kind(), format("{}{}: {}", model, of_batch, error.what()), error.hint());
  }
}

/// Runs `work`; an error that has no hint gets this one.
template <class Work>
auto with_hint(const std::string& hint, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!error.hint().empty()) throw;
    throw Error(error.kind(), error.what(), hint, error.location());
  }
}

}  // namespace rooflab::cli
