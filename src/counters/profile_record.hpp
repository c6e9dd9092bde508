#pragma once

#include <string>

#include "profile_facts.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::counters {

/// Makes a record from a profile; `file` names the model where the profile does not.
[[nodiscard]] record::Record record_of(ProfileFacts facts, const std::string& file);

}  // namespace rooflab::counters
