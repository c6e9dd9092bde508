#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "rooflab/describe/parameter.hpp"
#include "study/run.hpp"

namespace rooflab::cli {

/// A part of a study as a word of the command line: `1/4`.
struct ShardChoice {
  study::Shard shard;

  static ShardChoice from_word(std::string_view word, const Parameter& parameter) {
    const std::vector<std::string> parts = split(word, '/');
    const std::optional<std::int64_t> index = parse_integer(parts.front());
    const std::optional<std::int64_t> count =
        parts.size() == 2 ? parse_integer(parts.back()) : std::nullopt;
    if (!index || !count || *index < 1 || *count < *index || *count > 100000) {
      parameter.refuse("I/N", word);
    }
    return {{static_cast<int>(*index), static_cast<int>(*count)}};
  }
  [[nodiscard]] std::string word() const { return format("{}/{}", shard.index, shard.count); }
};

}  // namespace rooflab::cli
