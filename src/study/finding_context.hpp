#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "figures.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/device/catalog.hpp"

namespace rooflab::study {

/// The attributes that decide which of our cases stands beside a published row, read.
struct CaseKey {
  std::string model;   ///< letters and digits in lower case: `resnet18` of `ResNet-18`
  std::string device;  ///< the study's word; empty: none
  std::optional<device::Device> known_device;
  std::optional<double> batch;
  std::optional<Phase> phase;
  std::optional<Precision> precision;
  double gpus = 1.0;
  /// What else makes it another network or other work: `image-size`, `variant`, `channels-last`.
  /// Empty: the plain network.
  Attributes special;
  std::string group;  ///< a group of our cases; empty: a row names no group

  [[nodiscard]] bool is_training() const { return phase == Phase::training; }
};

struct PublishedCase {
  const PublishedRow* row = nullptr;
  CaseKey key;
  std::string name;       ///< `resnet18 on a100, training, batch 1`
  std::size_t index = 0;  ///< the row's place in the study

  /// A published figure above zero; nullopt: not printed.
  [[nodiscard]] std::optional<double> value(std::string_view quantity) const;
  /// The same of what the publisher divided by.
  [[nodiscard]] std::optional<double> used(std::string_view quantity) const;
};

struct OwnCase {
  const StudyCase* study_case = nullptr;
  CaseKey key;

  [[nodiscard]] std::optional<double> figure(std::string_view quantity) const;
  /// `our measurement`, `our prediction`, `our count`.
  [[nodiscard]] std::string_view origin() const;
};

/// What the rules of findings look at: published rows, and our cases that have figures. It refers
/// to the study and its cases, which must live longer.
struct FindingContext {
  std::vector<PublishedCase> published;
  std::vector<OwnCase> own;
};

[[nodiscard]] FindingContext finding_context(const Study& study, std::span<const StudyCase> cases,
                                             const device::Catalog& catalog);

/// Our cases of the row's network, on any device and of any batch. What makes it special must be
/// what the row says and nothing more. A row may also say it by the name of a group; and where no
/// case is so, cases with more serve. In both the special attributes must be alike, else
/// the list is empty.
[[nodiscard]] std::vector<const OwnCase*> own_cases_of(const FindingContext& context,
                                                       const CaseKey& row);

/// The same model on as many GPUs; own_cases_of() looks at the rest.
[[nodiscard]] bool same_model(const CaseKey& a, const CaseKey& b);
/// Nothing that both state differs. By device file where both have one, else by the word.
[[nodiscard]] bool same_device(const CaseKey& a, const CaseKey& b);
[[nodiscard]] bool same_batch(const CaseKey& a, const CaseKey& b);
/// Inference and forward do the same arithmetic up to normalisation, so they are one pass.
[[nodiscard]] bool same_pass(const CaseKey& a, const CaseKey& b);
/// All four.
[[nodiscard]] bool same_case(const CaseKey& a, const CaseKey& b);
/// Data of as many bytes: fp32 and TF32 hold the same.
[[nodiscard]] bool same_data(const CaseKey& a, const CaseKey& b);

/// Rows of one source that differ in the device at most; not the row itself.
[[nodiscard]] std::vector<const PublishedCase*> same_work_elsewhere(const FindingContext& context,
                                                                    const PublishedCase& published);

/// `training step` or `forward pass`; `case` where the phase is not stated.
[[nodiscard]] std::string_view pass_name(const CaseKey& key);

/// Whether a is b but for that share of b.
[[nodiscard]] bool near(double a, double b, double tolerance);

/// `1 image`, `256 images`.
[[nodiscard]] std::string images_text(double images);

/// A row's time with ours of its case beside it: of those that fit it the ones of its very
/// precision and phase, of these the longest, since what the row does not state may be the larger.
struct TimedRow {
  const PublishedCase* published = nullptr;
  double published_s = 0.0;
  const OwnCase* own = nullptr;
  double own_s = 0.0;

  [[nodiscard]] double ratio() const { return published_s / own_s; }
};
/// Rows of one source, device and number of GPUs that have times of ours, in the study's order.
using TimeSeries = std::vector<TimedRow>;
[[nodiscard]] std::vector<TimeSeries> time_series_of(const FindingContext& context);

/// Work differs when our times do by that.
inline constexpr double least_work_spread = 1.5;
/// How much the work differs within a series: our longest time over our shortest.
[[nodiscard]] double work_spread(const TimeSeries& series);
/// Whether the times grow as the work does, so that hardly anything in them is constant. The ratios
/// to ours differ less than 2-fold, and by less than the square root of what the work differs by,
/// where equal times would have it differ by all of that. Our times must differ 1.5-fold to tell.
[[nodiscard]] bool is_in_proportion(const TimeSeries& series);
/// `resnet18, vgg16 on h200`.
[[nodiscard]] std::string subject_of(const TimeSeries& series);

}  // namespace rooflab::study
