#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/report/document.hpp"

/// The head of a page: a title that says what it is about, the answer in sentences, and every case
/// on one axis of time.
namespace rooflab::report {

/// What the head needs of a case, predicted, measured or recorded. Times are seconds of a step.
struct HeadCase {
  std::string model;
  std::string device;
  std::vector<std::string> settings;  ///< batch, phase, precision, as a reader says them
  std::int64_t batch = 0;             ///< 0: not known
  std::optional<double> limit_s = {};
  std::optional<double> predicted_s = {};
  std::optional<double> low_s = {};
  std::optional<double> high_s = {};
  std::optional<double> measured_s = {};
  std::string verdict = {};  ///< whether it fits, or the status of a measurement
  const analyze::CaseResult* expected = nullptr;  ///< what the expected times are of
  /// Most of the expected time is carried over from another architecture or another maker.
  bool carried_far = false;
  bool is_measurement = false;  ///< then the expected time does not stand for the measured one

  /// The measured time; of what was not measured the predicted one, else the limit.
  [[nodiscard]] std::optional<double> time_s() const;
  [[nodiscard]] std::optional<double> samples_per_s() const;
  /// Whether the measured time lies in the predicted interval; nullopt without one of them.
  [[nodiscard]] std::optional<bool> is_inside() const;
};
[[nodiscard]] HeadCase head_case(const analyze::CaseResult& result);
[[nodiscard]] HeadCase head_case(const analyze::MeasuredCase& measured);
/// A trace or profile with steps; without, it has no time.
[[nodiscard]] HeadCase head_case(const analyze::ImportedCase& imported);

/// Limit, expected time and interval of a prediction, which has to outlive the head.
void add_expected(HeadCase& head, const analyze::CaseResult& result);

/// `resnet18, vgg16 on a100-pcie-40gb, t4: batch 64, inference, fp32`; long lists are counted.
[[nodiscard]] std::string head_title(std::span<const HeadCase> cases);
/// A few sentences: how long it takes, what is faster, what fits. Devices whose times are carried
/// far stand behind the others.
[[nodiscard]] std::vector<std::string> head_answer(std::span<const HeadCase> cases);
/// Grouped by network in the order of the cases, then by time.
[[nodiscard]] std::vector<PageDot> head_dots(std::span<const HeadCase> cases);

/// All three, and in the foot what the predictions rest on:
/// `Predictions for t4: calibration h200-sxm, measured 2026-11-19.`
void show_head(Document& document, std::span<const HeadCase> cases);

}  // namespace rooflab::report
