#pragma once

#include <string>

#include "random_source.hpp"

namespace mutator {

/// Changes a value, a key or the structure of a JSON text, or of one line of a journal; false if it
/// is neither.
bool damage_json(std::string& content, RandomSource& random);

}  // namespace mutator
