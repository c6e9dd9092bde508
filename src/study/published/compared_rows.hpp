#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/precision.hpp"
#include "rooflab/device/catalog.hpp"
#include "study/figures.hpp"

namespace rooflab::study {

/// The parsed attributes that decide which of our cases a published row is compared with.
struct CaseKey {
  std::string model;   ///< letters and digits in lower case: `resnet18` for `ResNet-18`
  std::string device;  ///< word in the study; empty: none
  std::optional<device::Device> known_device;
  std::optional<double> batch;
  std::optional<Phase> phase;
  std::optional<Precision> precision;
  double gpus = 1.0;
  /// Further attributes that make it another network or other work: `image-size`, `variant`,
  /// `channels-last`. Empty: the plain network.
  Attributes special;
  std::string group;  ///< group of our cases; empty: the row names no group

  [[nodiscard]] bool is_training() const { return phase == Phase::training; }
};

struct PublishedCase {
  const PublishedRow* row = nullptr;
  CaseKey key;
  std::string name;       ///< `resnet18 on a100, training, batch 1`
  std::size_t index = 0;  ///< index of the row in the study

  /// A published figure above zero; nullopt: not printed.
  [[nodiscard]] std::optional<double> value(std::string_view quantity) const;
  /// A figure above zero that the publisher divided by; nullopt: not stated.
  [[nodiscard]] std::optional<double> used(std::string_view quantity) const;
};

struct OwnCase {
  const StudyCase* study_case = nullptr;
  CaseKey key;

  [[nodiscard]] std::optional<double> figure(std::string_view quantity) const;
  /// Origin in words: `our measurement`, `our prediction`, `our count`.
  [[nodiscard]] std::string_view origin() const;
};

/// Input of the rules of explanations: published rows, and our cases with figures. It refers to the
/// study and its cases, which must live longer.
struct ComparedRows {
  std::vector<PublishedCase> published;
  std::vector<OwnCase> own;
};

[[nodiscard]] ComparedRows compared_rows(const Study& study, std::span<const StudyCase> cases,
                                         const device::Catalog& catalog);

/// Our cases of the row's network, on any device and with any batch. Their special attributes must
/// equal those of the row. A row may also name a group, and if no case is equal, cases with more
/// special attributes are used. In both cases the special attributes of the result must be equal,
/// else the list is empty.
[[nodiscard]] std::vector<const OwnCase*> own_cases_of(const ComparedRows& context,
                                                       const CaseKey& row);

/// Whether two keys have one model and number of GPUs; own_cases_of() compares the rest.
[[nodiscard]] bool same_model(const CaseKey& a, const CaseKey& b);
/// Whether the devices do not differ: compared by device file where both have one, else by the
/// word.
[[nodiscard]] bool same_device(const CaseKey& a, const CaseKey& b);
[[nodiscard]] bool same_batch(const CaseKey& a, const CaseKey& b);
/// Whether the passes are equal; inference and forward count as one, because their arithmetic
/// differs only in normalisation.
[[nodiscard]] bool same_pass(const CaseKey& a, const CaseKey& b);
/// Whether model, device, pass and data are all equal.
[[nodiscard]] bool same_case(const CaseKey& a, const CaseKey& b);
/// Whether the data have equal bytes, such as fp32 and TF32.
[[nodiscard]] bool same_data(const CaseKey& a, const CaseKey& b);

/// Other rows of the row's source that differ at most in the device.
[[nodiscard]] std::vector<const PublishedCase*> same_work_elsewhere(const ComparedRows& context,
                                                                    const PublishedCase& published);

/// Name of the pass: `training step`, `forward pass`, or `case` where the phase is not stated.
[[nodiscard]] std::string_view pass_name(const CaseKey& key);

/// Whether a differs from b by at most the share `tolerance` of b.
[[nodiscard]] bool near(double a, double b, double tolerance);

/// Text such as `1 image`, `256 images`.
[[nodiscard]] std::string images_text(double images);

/// A row's time with our time for its case. Among the matching cases those with exactly its
/// precision and phase are preferred, and of these the longest, because unstated attributes may
/// have larger values.
struct TimedRow {
  const PublishedCase* published = nullptr;
  double published_s = 0.0;
  const OwnCase* own = nullptr;
  double own_s = 0.0;

  [[nodiscard]] double ratio() const { return published_s / own_s; }
};
/// Rows of one source, device and number of GPUs for which we have times, in the study's order.
using TimeSeries = std::vector<TimedRow>;
[[nodiscard]] std::vector<TimeSeries> time_series_of(const ComparedRows& context);

/// Smallest ratio of our times at which work counts as different.
inline constexpr double least_work_spread = 1.5;
/// Spread of work in a series: our longest time over our shortest.
[[nodiscard]] double work_spread(const TimeSeries& series);
/// Whether the times grow in proportion to the work, so that they have hardly any constant part:
/// their ratios to ours differ by less than a factor of 2, and by less than the square root of the
/// spread of work (equal times would differ by the whole spread). Our times must differ by a factor
/// of 1.5.
[[nodiscard]] bool is_in_proportion(const TimeSeries& series);
/// Subject of a series: `resnet18, vgg16 on h200`.
[[nodiscard]] std::string subject_of(const TimeSeries& series);

}  // namespace rooflab::study
