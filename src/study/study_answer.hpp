#pragma once

#include <span>
#include <string>
#include <vector>

#include "published/published_figure.hpp"
#include "verdict.hpp"

namespace rooflab::study {

/// Answer of a study in sentences: how many of the published figures agree with ours and what
/// explains the others, worst first; then the verdicts on the hypotheses, refuted ones first. Parts
/// that the study does not have are left out.
[[nodiscard]] std::vector<std::string> answer_of(std::span<const PublishedFigure> figures,
                                                 std::span<const Verdict> verdicts);

}  // namespace rooflab::study
