#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "figures.hpp"

namespace rooflab::study {

/// Whether an attribute says only how long and how thoroughly was measured: `iterations`.
[[nodiscard]] bool is_of_measuring(std::string_view key);

/// Whether a case has all of these attributes; `a,b` is either, `none` is without the attribute.
/// `ResNet-18` and `resnet18` are one model, and a device answers to the study's word for it too.
[[nodiscard]] bool has_all(const StudyCase& study_case, const Attributes& where);

/// What must be equal for figures to be of the same work.
enum class SamePass {
  exact,       ///< the phase by its name: memory
  arithmetic,  ///< inference and forward are one pass: time, FLOPs
};

/// Whether a published row is about an own case: every attribute that the row states is equal in
/// the case. What a case lacks is
///
///   model      the stem of its `file`, so that a log of another network, or a layer, is not meant
///   device     any, of a `summary`: counts are of no device; otherwise none
///   precision  `fp32`, what commands do by themselves; of a recording none
///   gpus       1
///   others     none: a search without `batch` is of no batch that anybody prints
///
/// A row that names the case's `group`, or a recording by the network in its file's name, means it:
/// then it is about the case whatever else the case lacks.
[[nodiscard]] bool agrees(const StudyCase& study_case, const Attributes& where, SamePass pass);

/// Attributes in which the cases differ, those that everybody knows first: model, device, batch,
/// phase, precision, gpus, mode, then others by name, not how was measured; `source` and `group`
/// where cases differ in nothing else.
[[nodiscard]] std::vector<std::string> telling_attributes(std::span<const StudyCase* const> cases);

/// `resnet18, t4, batch 256`: the values of these attributes.
[[nodiscard]] std::string label_of(const StudyCase& study_case,
                                   std::span<const std::string> attributes);

/// `vgg16, gtx-1080, batch 256, training, fp32`: what everybody knows of it; the id where that is
/// nothing.
[[nodiscard]] std::string title_of(const StudyCase& study_case);

/// Letters and digits alone, in lower case: `ResNet-18` and `resnet18` are one network, `A100 SXM4`
/// and `a100-sxm4` one word. Letters outside ASCII stay as they are.
[[nodiscard]] std::string bare_name(std::string_view text);

}  // namespace rooflab::study
