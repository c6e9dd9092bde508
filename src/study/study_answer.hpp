#pragma once

#include <span>
#include <string>
#include <vector>

#include "published_figure.hpp"
#include "verdict.hpp"

namespace rooflab::study {

/// What a study says, a sentence each: how many of the published figures agree with ours and what
/// explains the others, worst first; and what became of the hypotheses, refuted ones first. What
/// the study has not is left out.
[[nodiscard]] std::vector<std::string> answer_of(std::span<const PublishedFigure> figures,
                                                 std::span<const Verdict> verdicts);

}  // namespace rooflab::study
