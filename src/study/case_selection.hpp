#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflab/study/figures.hpp"

namespace rooflab::study {

/// Whether a case has all of these attributes; `a,b` is either. `named` is not looked at.
[[nodiscard]] bool has_all(const StudyCase& study_case, const Attributes& where);

/// Whether no attribute that both have differs: an own case beside a published row.
[[nodiscard]] bool agrees(const StudyCase& study_case, const Attributes& where);

/// Attributes in which the cases differ, those that everybody knows first: model, device, batch,
/// phase, precision, gpus, mode, then others by name.
[[nodiscard]] std::vector<std::string> differing_attributes(
    std::span<const StudyCase* const> cases);

/// `resnet18, t4, 256`: the values of these attributes.
[[nodiscard]] std::string label_of(const StudyCase& study_case,
                                   std::span<const std::string> attributes);

}  // namespace rooflab::study
