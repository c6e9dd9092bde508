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
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::analyze {

/// One case of a comparison, from whichever file: measured or predicted.
struct Comparand {
  std::string source;  ///< the file it comes from
  bool measured = true;
  /// Which time of a predicted case `time_s` is: the calibrated one where there is one, else
  /// PALEO's, else the limit.
  PredictionModel time_of = PredictionModel::limit;
  std::string model;
  std::string device;  ///< for people: `cuda:0 (NVIDIA H200)`, `h200-sxm`
  std::int64_t batch = 1;
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  record::Status status = record::Status::ok;
  std::optional<double> time_s;  ///< median, or that of `time_of`
  /// Interval of the median (95 %) or of a calibrated prediction (90 %); nullopt for other times.
  std::optional<double> time_low_s;
  std::optional<double> time_high_s;
  std::vector<double> steps_s;  ///< nothing for what was predicted
  std::optional<Bytes> allocated_peak;
  std::optional<double> energy_j;  ///< per step
  /// What else may tell two cases apart: device, driver, versions, variant, rewrite, threads, ...
  std::map<std::string, std::string> facts;
  /// What was run, where and at what issue costs; nullptr where those were not measured.
  std::shared_ptr<const record::Record> run;
  std::shared_ptr<const CaseResult> prediction;  ///< nullptr for what was measured

  /// A time with an interval that a measured one should lie in.
  [[nodiscard]] bool has_predicted_interval() const {
    return !measured && time_low_s && time_high_s;
  }
};
/// All but `facts`, `run` and `prediction`, of `steps_s` their number.
[[nodiscard]] std::span<const Field> fields_of(For<Comparand>);

[[nodiscard]] Comparand comparand_of(const record::Record& record, std::string source);
[[nodiscard]] Comparand comparand_of(const CaseResult& predicted, std::string source);

/// The cases of a file: a record, or what `measure` or `predict` wrote with `-o x.json`; or those
/// of all records of a folder, by file name. Throws Error (input) for anything else, for a folder
/// without records and for a file without cases.
[[nodiscard]] std::vector<Comparand> read_comparands(const std::filesystem::path& path);

/// The result of a comparison of two times.
enum class Difference : std::uint8_t {
  faster,                 ///< B takes less time, significantly
  slower,                 ///< B takes more time, significantly
  insignificant,          ///< the steps of both may well come from one distribution
  undecided,              ///< too few steps for any difference to be significant
  as_predicted,           ///< the measured median lies in the predicted interval
  faster_than_predicted,  ///< it lies below
  slower_than_predicted,  ///< it lies above
  without_spread,  ///< nothing was measured, or the other time has no interval: a ratio and no test
  unavailable,     ///< one of them has no time
};
constexpr auto names_in_order(For<Difference>) {
  return names_through<Difference::unavailable>(
      "faster", "slower", "no significant difference", "too few steps", "as predicted",
      "faster than predicted", "slower than predicted", "without spread", "no time");
}

/// B beside A. `speedup` is A's time over B's: above 1, B is faster.
struct Comparison {
  Comparand a;
  Comparand b;
  std::optional<double> speedup;
  /// [A.low / B.high, A.high / B.low] from the medians' 95 % intervals: at least 90 % confidence;
  /// from the 90 % interval of a prediction.
  std::optional<double> speedup_low;
  std::optional<double> speedup_high;
  std::optional<RankTest> test;  ///< test of the steps of both
  Difference difference = Difference::unavailable;
  std::string verdict;                   ///< a sentence
  std::vector<std::string> differences;  ///< beside time: `libtorch: 1.13.1, 2.11.0`
  std::vector<Note> notes;               ///< subjects: `A`, `B`
};
[[nodiscard]] std::span<const Field> fields_of(For<Comparison>);

[[nodiscard]] Comparison compare(const Comparand& a, const Comparand& b);

/// The pair again, where one side is a calibrated prediction of what the other side measured and
/// the issue costs of the measuring host are known: the prediction is made anew with those, by the
/// same calibration, and a note says so. Any other pair, and a prediction that leaves the host out,
/// stays as it is. `calibrations` as for measured_case_of(), whose errors it throws.
[[nodiscard]] Comparison for_the_host_at_hand(Comparison pair, const device::Catalog& catalog,
                                              const CalibrationLookup& calibrations);

/// Pairs of two lists, in the order of the first, and what found no partner.
struct ComparisonList {
  std::vector<Comparison> pairs;
  std::vector<Comparand> only_a;
  std::vector<Comparand> only_b;
};
[[nodiscard]] std::span<const Field> fields_of(For<ComparisonList>);

/// A sentence for each case that both sides of a list have left over, because it occurs on one of
/// them several times: `resnet18, batch 1, training, fp32: cuda:0 beside h200-sxm, t4`.
[[nodiscard]] std::vector<std::string> undecided_pairs(const ComparisonList& list);

/// One case each: they are compared, whatever they are. Several: cases of the same model, batch,
/// phase and precision are, those alike in everything else first, then those alike but for the
/// device, then any; where several fit at a stage none is guessed.
[[nodiscard]] ComparisonList compare_all(std::span<const Comparand> a,
                                         std::span<const Comparand> b);

}  // namespace rooflab::analyze
