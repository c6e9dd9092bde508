#pragma once

#include <optional>
#include <vector>

#include "profile_facts.hpp"
#include "reference_step.hpp"

namespace rooflab::counters {

/// The op of each kernel of the step: of nodes of graphs as the capture told it, of other launches
/// as a step like the reference did. nullopt: no op is known.
[[nodiscard]] std::optional<record::ToldOps> told_ops_of_step(const ProfileFacts& facts,
                                                              const ReferenceStep& step,
                                                              std::vector<Note>& warnings);
/// Without a step: the launches that told their ops, by their correlation.
[[nodiscard]] std::optional<record::ToldOps> told_ops_of_part(const ProfileFacts& facts);

}  // namespace rooflab::counters
