#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "random_source.hpp"

namespace mutator {

/// What a copied part may add to a file, so that a test stays quick.
inline constexpr std::size_t most_bytes = 1'000'000;

/// Damages bytes: flips, runs that are cut out, doubled or overwritten, a cut end, parts of
/// `other`.
void damage_bytes(std::string& content, std::string_view other, RandomSource& random);

/// Damages a text by its lines and numbers: lines that are doubled, dropped or swapped, numbers at
/// the edges of their types, bytes that are not UTF-8, deep brackets, keys with many parts.
void damage_text(std::string& content, RandomSource& random);

}  // namespace mutator
