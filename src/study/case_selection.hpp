#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "figures.hpp"

namespace rooflab::study {

/// Whether an attribute only describes the length and accuracy of measuring: `iterations`.
[[nodiscard]] bool is_of_measuring(std::string_view key);

/// Whether a case has all of these attributes; `a,b` means either, `none` means without the
/// attribute. `ResNet-18` and `resnet18` are one model, and a device also matches the study's word
/// for it.
[[nodiscard]] bool has_all(const StudyCase& study_case, const Attributes& where);

/// Rule for phases that have equal work.
enum class SamePass {
  exact,       ///< the phase by its name: memory
  arithmetic,  ///< inference and forward are one pass: time, FLOPs
};

/// Whether a published row is about an own case: every attribute that the row states is equal in
/// the case. For a missing attribute the case counts as having
///
///   model      the stem of its `file`, so that a log of another network, or a layer, does not
///   match device     any for a `summary`, whose counts have no device; otherwise none precision
///   `fp32`, the default of commands; none for a recording gpus       1 others     none: a search
///   without `batch` does not match printed batches
///
/// A row that names the case's `group`, or a recording by the network in its file's name, is about
/// the case regardless of missing attributes.
[[nodiscard]] bool agrees(const StudyCase& study_case, const Attributes& where, SamePass pass);

/// Attributes in which the cases differ, the common ones first: model, device, batch, phase,
/// precision, gpus, mode, then others by name, without those of measuring; `source` and `group`
/// only where cases differ in nothing else.
[[nodiscard]] std::vector<std::string> telling_attributes(std::span<const StudyCase* const> cases);

/// Values of these attributes as text: `resnet18, t4, batch 256`.
[[nodiscard]] std::string label_of(const StudyCase& study_case,
                                   std::span<const std::string> attributes);

/// Title of a case from its common attributes: `vgg16, gtx-1080, batch 256, training, fp32`; else
/// its id.
[[nodiscard]] std::string title_of(const StudyCase& study_case);

/// The letters (in lower case) and digits of a text: `ResNet-18` and `resnet18` are one network,
/// `A100 SXM4` and `a100-sxm4` one word. Letters outside ASCII are not changed.
[[nodiscard]] std::string bare_name(std::string_view text);

}  // namespace rooflab::study
