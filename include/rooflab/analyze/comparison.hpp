#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::analyze {

/// One case of a comparison, measured or predicted.
struct Comparand {
  std::string source = {};  ///< the file it comes from
  bool measured = true;
  /// Kind of `time_s` of a predicted case: calibrated if available, else PALEO's, else the limit.
  PredictionModel time_of = PredictionModel::limit;
  std::string model = {};
  std::string device = {};  ///< for people: `cuda:0 (NVIDIA H200)`, `h200-sxm`
  std::int64_t batch = 1;
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  record::Status status = record::Status::ok;
  std::optional<double> time_s = {};  ///< median, or for a prediction the time of kind `time_of`
  /// Interval of the median (95 %) or of a calibrated prediction (90 %); nullopt for other times.
  std::optional<double> time_low_s = {};
  std::optional<double> time_high_s = {};
  std::vector<double> steps_s = {};  ///< empty for a prediction
  std::optional<Bytes> allocated_peak = {};
  std::optional<double> energy_j = {};  ///< per step
  /// Other properties that may distinguish two cases: device, driver, versions, rewrite, threads,
  /// ...
  std::map<std::string, std::string> facts = {};
  /// Record of the run with its issue costs; nullptr where these were not measured.
  std::shared_ptr<const record::Record> run = {};
  std::shared_ptr<const CaseResult> prediction = {};  ///< nullptr for a measured case

  /// The worker that measured it, where it is not the usual one; else empty.
  [[nodiscard]] std::string other_worker() const;
  /// Whether this is a prediction with an interval in which a measured time should lie.
  [[nodiscard]] bool has_predicted_interval() const {
    return !measured && time_low_s && time_high_s;
  }
};
/// All members except `facts`, `run` and `prediction`; `steps_s` is written as a count.
[[nodiscard]] std::span<const Field> fields_of(For<Comparand>);

[[nodiscard]] Comparand comparand_of(const record::Record& record, std::string source);
[[nodiscard]] Comparand comparand_of(const CaseResult& predicted, std::string source);

/// Reads the cases of a file (a record, or JSON that `measure` or `predict` wrote with `-o`), or of
/// all records of a folder, sorted by file name. Throws Error (input) for anything else, for a
/// folder without records and for a file without cases.
[[nodiscard]] std::vector<Comparand> read_comparands(const std::filesystem::path& path);

/// The result of a comparison of two times.
enum class Difference : std::uint8_t {
  faster,                 ///< B takes less time, significantly
  slower,                 ///< B takes more time, significantly
  insignificant,          ///< the steps of both may well come from one distribution
  undecided,              ///< too few steps for any difference to be significant
  as_predicted,           ///< the measured median lies in the predicted interval
  faster_than_predicted,  ///< the measured median is below the predicted interval
  slower_than_predicted,  ///< the measured median is above the predicted interval
  without_spread,         ///< no measured side, or no predicted interval: a ratio without a test
  unavailable,            ///< one of them has no time
};
constexpr auto names_in_order(For<Difference>) {
  return names_through<Difference::unavailable>(
      "faster", "slower", "no significant difference", "too few steps", "as predicted",
      "faster than predicted", "slower than predicted", "without spread", "no time");
}

/// B compared with A. `speedup` is A's time over B's: above 1, B is faster.
struct Comparison {
  Comparand a = {};
  Comparand b = {};
  std::optional<double> speedup = {};
  /// [A.low / B.high, A.high / B.low] from the medians' 95 % intervals: at least 90 % confidence;
  /// from the 90 % interval of a prediction.
  std::optional<double> speedup_low = {};
  std::optional<double> speedup_high = {};
  std::optional<RankTest> test = {};  ///< test of the steps of both
  Difference difference = Difference::unavailable;
  std::string verdict = {};                   ///< a sentence
  std::vector<std::string> differences = {};  ///< other than time: `libtorch: 1.13.1, 2.11.0`
  std::vector<Note> notes = {};               ///< subjects: `A`, `B`
};
[[nodiscard]] std::span<const Field> fields_of(For<Comparison>);

[[nodiscard]] Comparison compare(const Comparand& a, const Comparand& b);

/// Repeats the prediction of a pair with the issue costs of the measuring host and adds a note.
/// This needs a calibrated prediction on one side, a measurement of the same case on the other
/// side, and known issue costs. Any other pair, and a prediction without host overhead, is returned
/// unchanged. `calibrations` and errors: see measured_case_of().
[[nodiscard]] Comparison for_the_host_at_hand(Comparison pair, const device::Catalog& catalog,
                                              const CalibrationLookup& calibrations);

/// Pairs of two lists, in the order of the first list, and the cases without a partner.
struct ComparisonList {
  std::vector<Comparison> pairs = {};
  std::vector<Comparand> only_a = {};
  std::vector<Comparand> only_b = {};
};
[[nodiscard]] std::span<const Field> fields_of(For<ComparisonList>);

/// One sentence per case that is unpaired on both sides because one side has it several times:
/// `resnet18, batch 1, training, fp32: cuda:0 versus h200-sxm, t4`.
[[nodiscard]] std::vector<std::string> undecided_pairs(const ComparisonList& list);

/// Pairs the cases of two lists. Two lists of one case are always compared. Otherwise cases of the
/// same model, batch, phase and precision are paired: first those equal in all other facts, then
/// those that differ only in the device, then any. If several candidates fit at a stage, none is
/// chosen.
[[nodiscard]] ComparisonList compare_all(std::span<const Comparand> a,
                                         std::span<const Comparand> b);

}  // namespace rooflab::analyze
