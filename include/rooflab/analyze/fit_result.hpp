#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/network_count.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::analyze {

/// One point of the boundary of what fits.
struct FitPoint {
  std::string varied;  ///< `batch`, `together`, `conv further`, `conv alone`
  /// The largest without the verdict `oom`, in FitResult::names' order; empty: none fits.
  std::vector<std::int64_t> counts;
  bool end_of_range = false;           ///< the range asked for ends before the boundary
  /// Those up to which all are expected to end; empty: none.
  std::vector<std::int64_t> expected;
  std::vector<std::int64_t> expected_further;  ///< larger ones that are; empty: none found
  /// Those up to which all have the verdict `fits`; empty: none, or nothing bounds it.
  std::vector<std::int64_t> comfortable;
  std::vector<std::int64_t> fits_further;  ///< larger ones with that verdict; empty: none found
  bool comfortable_end_of_range = false;
  std::vector<std::int64_t> likely;  ///< the same with the verdict `likely` or `fits`
  std::vector<std::int64_t> likely_further;
  std::vector<predict::AssumedMemory> assumed;    ///< in the memory at `comfortable`
  std::optional<predict::MemoryEstimate> memory;  ///< at `counts`
  std::vector<std::int64_t> beyond;  ///< one more than `counts`; empty: the range ends before
  std::optional<predict::MemoryEstimate> beyond_memory;  ///< that `beyond` asks for
  std::optional<Seconds> step;                           ///< predicted there, or its limit
  bool is_limit = false;                                 ///< `step` is
  std::optional<double> samples_per_s;  ///< found, else predicted; nullopt: neither

  bool searched = false;            ///< on the device
  std::vector<std::int64_t> found;  ///< there; empty: not even the least
  bool found_end_of_range = false;
  std::optional<double> found_step_s;
  /// Sum of the expected counts over that of the found ones.
  std::optional<double> ratio;

  [[nodiscard]] std::optional<Seconds> predicted() const { return is_limit ? std::nullopt : step; }
  [[nodiscard]] std::optional<Seconds> limit() const { return is_limit ? step : std::nullopt; }
};

/// The boundary in other circumstances: what else may explain where somebody found it.
struct FitCircumstance {
  std::string circumstance;          ///< `results kept`
  std::vector<std::int64_t> counts;  ///< all grown together; empty: the least has the verdict `oom`
  std::vector<std::int64_t> expected;  ///< the largest that are expected to end; empty: none
  bool end_of_range = false;
  std::optional<predict::MemoryEstimate> memory;  ///< at `counts`
};

/// One case that was run to see whether it fits.
struct FitTry {
  std::vector<std::int64_t> counts;
  record::Status status = record::Status::ok;
  std::optional<double> step_s;  ///< median
  std::optional<Bytes> allocated_peak;
  std::optional<Bytes> reserved_peak;
  std::string message;
};

/// What of a network fits a device.
struct FitResult {
  std::string model;
  std::string device;
  Bytes memory;          ///< the device's, or the limit where one was given
  bool limited = false;  ///< the user gave the limit
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  std::string prediction;          ///< what `step` is: `predicted`, `limit`
  std::vector<std::string> names;  ///< names of the counts: `batch`, or pieces of a chain
  std::vector<FitPoint> points;
  std::vector<FitCircumstance> circumstances;  ///< the first as asked for
  std::vector<FitTry> tries;                   ///< in the order in which they were run
  /// Ops of unknown work and memory: nothing is predicted with them, and `points` holds only what
  /// was searched. Empty: all is counted.
  std::vector<UncountedOp> uncounted;
  std::vector<Note> notes;
  std::string command;
};

/// Fills `is_limit`, and `ratio` where both boundaries are there.
void add_ratios(FitResult& result);

[[nodiscard]] std::span<const Field> fields_of(For<FitPoint>);
[[nodiscard]] std::span<const Field> fields_of(For<FitCircumstance>);
[[nodiscard]] std::span<const Field> fields_of(For<FitTry>);
[[nodiscard]] std::span<const Field> fields_of(For<FitResult>);

}  // namespace rooflab::analyze
