#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/quantity.hpp"
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

  /// A time with an interval that a measured one should lie in.
  [[nodiscard]] bool has_predicted_interval() const {
    return !measured && time_low_s && time_high_s;
  }
};
/// All but `facts`, of `steps_s` their number.
[[nodiscard]] std::span<const Field> fields_of(For<Comparand>);

[[nodiscard]] Comparand comparand_of(const record::Record& record, std::string source);
[[nodiscard]] Comparand comparand_of(const CaseResult& predicted, std::string source);

/// The cases of a file: a record, or what `measure` or `predict` wrote with `-o x.json`; or those
/// of all records of a folder, by file name. Throws Error (input) for anything else, for a folder
/// without records and for a file without cases.
[[nodiscard]] std::vector<Comparand> read_comparands(const std::filesystem::path& path);

}  // namespace rooflab::analyze
