#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/network_count.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::analyze {

/// One point of the boundary between counts that fit and counts that do not.
struct FitPoint {
  std::string varied = {};  ///< `batch`, `together`, `conv further`, `conv alone`
  /// Largest counts without the verdict `oom`, in the order of FitResult::names; empty: none fits.
  std::vector<std::int64_t> counts = {};
  bool end_of_range = false;  ///< the range asked for ends before the boundary
  /// Counts up to which all runs are expected to end; empty: none.
  std::vector<std::int64_t> expected = {};
  /// Larger counts expected to end; empty: none found
  std::vector<std::int64_t> expected_further = {};
  /// Counts up to which all have the verdict `fits`; empty: none, or nothing bounds them.
  std::vector<std::int64_t> comfortable = {};
  /// Larger counts that are `fits`; empty: none found
  std::vector<std::int64_t> fits_further = {};
  bool comfortable_end_of_range = false;
  std::vector<std::int64_t> likely = {};  ///< counts up to which all are `likely` or `fits`
  std::vector<std::int64_t> likely_further = {};
  std::vector<predict::AssumedMemory> assumed = {};    ///< in the memory at `comfortable`
  std::optional<predict::MemoryEstimate> memory = {};  ///< at `counts`
  std::vector<std::int64_t> beyond = {};  ///< one more than `counts`; empty: the range ends before
  std::optional<predict::MemoryEstimate> beyond_memory = {};  ///< memory that `beyond` needs
  std::optional<Seconds> step = {};          ///< predicted at `counts`, or its limit
  bool is_limit = false;                     ///< whether `step` is a limit
  std::optional<double> samples_per_s = {};  ///< measured, else predicted; nullopt: neither

  bool searched = false;                 ///< whether the boundary was searched on the device
  std::vector<std::int64_t> found = {};  ///< found on the device; empty: the smallest failed
  bool found_end_of_range = false;
  std::optional<double> found_step_s = {};
  /// Sum of the expected counts over the sum of the found counts.
  std::optional<double> ratio = {};

  [[nodiscard]] std::optional<Seconds> predicted() const { return is_limit ? std::nullopt : step; }
  [[nodiscard]] std::optional<Seconds> limit() const { return is_limit ? step : std::nullopt; }
};

/// The boundary under other circumstances, which may explain a boundary found elsewhere.
struct FitCircumstance {
  std::string circumstance = {};            ///< `results kept`
  std::vector<std::int64_t> counts = {};    ///< all grown together; empty: the smallest is `oom`
  std::vector<std::int64_t> expected = {};  ///< largest counts expected to end; empty: none
  bool end_of_range = false;
  std::optional<predict::MemoryEstimate> memory = {};  ///< at `counts`
};

/// One case that was run to find out whether it fits.
struct FitTry {
  std::vector<std::int64_t> counts = {};
  record::Status status = record::Status::ok;
  std::optional<double> step_s = {};  ///< median
  std::optional<Bytes> allocated_peak = {};
  std::optional<Bytes> reserved_peak = {};
  std::string message = {};
};

/// Sizes of a network that fit on a device.
struct FitResult {
  std::string model = {};
  std::string device = {};
  Bytes memory = {};     ///< memory of the device, or the limit where one was given
  bool limited = false;  ///< the user gave the limit
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  std::string prediction = {};          ///< kind of `step`: `predicted`, `limit`
  std::vector<std::string> names = {};  ///< names of the counts: `batch`, or pieces of a chain
  std::vector<FitPoint> points = {};
  std::vector<FitCircumstance> circumstances = {};  ///< the first is the one asked for
  std::vector<FitTry> tries = {};                   ///< in the order in which they were run
  /// Ops of unknown work and memory: nothing is predicted with them, and `points` has only
  /// boundaries that were searched. Empty: all ops are counted.
  std::vector<UncountedOp> uncounted = {};
  std::vector<Note> notes = {};
  std::string command = {};
};

/// Fills `is_limit`, and `ratio` where both boundaries are known.
void add_ratios(FitResult& result);

[[nodiscard]] std::span<const Field> fields_of(For<FitPoint>);
[[nodiscard]] std::span<const Field> fields_of(For<FitCircumstance>);
[[nodiscard]] std::span<const Field> fields_of(For<FitTry>);
[[nodiscard]] std::span<const Field> fields_of(For<FitResult>);

}  // namespace rooflab::analyze
