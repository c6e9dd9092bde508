#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/page/document.hpp"

/// The head of a page: a title with its subject, the answer in sentences, and every case on one
/// axis of time.
namespace rooflab::report {

/// Names that a sentence lists; more are counted.
inline constexpr std::size_t most_names = 3;

/// Figures of a predicted, measured or recorded case for the head. Times are seconds per step.
struct HeadCase {
  std::string model;
  std::string device;
  std::vector<std::string> settings;  ///< batch, phase, precision, worker of others: for people
  std::int64_t batch = 0;             ///< 0: not known
  std::optional<double> limit_s = {};
  std::optional<double> predicted_s = {};
  std::optional<double> low_s = {};
  std::optional<double> high_s = {};
  std::optional<double> measured_s = {};
  std::string verdict = {};  ///< whether it fits, or the status of a measurement
  const analyze::CaseResult* expected = nullptr;  ///< source of the expected times
  /// Whether most of the expected time is scaled from another architecture or another maker.
  bool carried_far = false;
  bool is_measurement = false;  ///< the expected time then does not replace the measured one

  /// The measured time, else the predicted one, else the limit.
  [[nodiscard]] std::optional<double> time_s() const;
  [[nodiscard]] std::optional<double> samples_per_s() const;
  /// Whether the measured time lies in the predicted interval; nullopt without one of them.
  [[nodiscard]] std::optional<bool> is_inside() const;
};
[[nodiscard]] HeadCase head_case(const analyze::CaseResult& result);
[[nodiscard]] HeadCase head_case(const analyze::MeasuredCase& measured);
/// Head of a trace or profile; without steps it has no time.
[[nodiscard]] HeadCase head_case(const analyze::ImportedCase& imported);

/// Adds limit, expected time and interval of a prediction, which must outlive the head.
void add_expected(HeadCase& head, const analyze::CaseResult& result);

/// Title of a page: `resnet18, vgg16 on a100-pcie-40gb, t4: batch 64, inference, fp32`; long lists
/// become numbers.
[[nodiscard]] std::string head_title(std::span<const HeadCase> cases);
/// Answer of a page in a few sentences: times, the faster ones, what fits. Devices with
/// `carried_far` times come last.
[[nodiscard]] std::vector<std::string> head_answer(std::span<const HeadCase> cases);
/// Dots of the cases, grouped by network in the order of the cases, then by time.
[[nodiscard]] std::vector<chart::Dot> head_dots(std::span<const HeadCase> cases);

/// Sets title, answer and dots of the document, and the sources of predictions in its foot:
/// `Predictions for t4: calibration h200-sxm, measured 2026-11-19.`
void show_head(page::Document& document, std::span<const HeadCase> cases);

}  // namespace rooflab::report
