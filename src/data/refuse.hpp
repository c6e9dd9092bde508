#pragma once

#include <string>
#include <utility>

#include "rooflab/base/error.hpp"

namespace rooflab::data {

/// Throws the Error (usage) for an impossible option.
[[noreturn]] inline void refuse(std::string message, std::string hint) {
  throw Error(ErrorKind::usage, std::move(message), std::move(hint));
}

}  // namespace rooflab::data
