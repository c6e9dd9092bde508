#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/quantity.hpp"
#include "rooflab/predict/capacity.hpp"

namespace rooflab::cli {

/// Counts that `fit` varies, by name.
struct CountRanges {
  std::vector<std::string> names;
  std::vector<predict::CountRange> ranges;
};

/// `batch`, `batch=1..4096`, `conv=1..,fc=1..`, `conv=..64`: from 1 and without an end where not
/// said. Throws Error (usage).
[[nodiscard]] CountRanges count_ranges(std::string_view text);

/// `8GB`, `80 GiB`, `500MB`, `8000000000`. Throws Error (usage) that names the flag.
[[nodiscard]] Bytes byte_size(std::string_view text, std::string_view flag);

}  // namespace rooflab::cli
