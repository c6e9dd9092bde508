#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/counted_layers.hpp"
#include "rooflab/analyze/measured_layers.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/record/sample_summary.hpp"

namespace rooflab::analyze {

/// How `rooflab predict` lowers what was run.
[[nodiscard]] schedule::LoweringOptions lowering_of(const record::CaseIdentity& identity);

/// What a record says, beside what the device could do. FLOPs, bytes and the limit are modelled
/// from the record's network; times, memory and energy are measured.
struct MeasuredCase {
  record::Record record;
  std::string source;  ///< where the record was read: a file, or a case of a study; may be empty
  /// Counts, limit, predicted memory and time; nullopt where the record holds no network. Its limit
  /// has no time where no device file describes the device, and it has no prediction where no
  /// calibration fits that.
  std::optional<CaseResult> model;
  std::optional<Statistics> steps;    ///< the timed steps; nullopt unless some ran
  std::optional<double> with_data_s;  ///< their median with waiting for data and copying it
  std::optional<record::SampleSummary> samples;  ///< the device (on a CPU the worker) meanwhile
  bool host_bound = false;
  MeasuredLayers layers;
  std::optional<CountedLayers> counted;  ///< where hardware counters were collected
  std::vector<Note> warnings;            ///< the worker's, then those of suspicion.hpp
  std::vector<Note> notes;               ///< what a reader must know about the model

  [[nodiscard]] std::optional<double> median_s() const;
  /// Half the width of the median's interval, over the median.
  [[nodiscard]] std::optional<double> median_spread_share() const;
  /// The limit, where there is one.
  [[nodiscard]] std::optional<double> limit_s() const;
  [[nodiscard]] std::optional<double> limit_ratio() const;     ///< 2: twice the limit's time
  [[nodiscard]] std::optional<double> headroom_share() const;  ///< what is left to gain, at most
  [[nodiscard]] std::optional<double> samples_per_s() const;
  [[nodiscard]] std::optional<double> flop_per_s() const;  ///< modelled FLOPs over the median
  /// That over the peak of the path that does most of the matrix work.
  [[nodiscard]] std::optional<double> peak_share() const;
  [[nodiscard]] std::optional<double> peak_ratio() const;  ///< allocated, measured over predicted
};

/// A case of the JSON of `measure`, but its counters. What is read back is its record: the rest
/// follows from that.
[[nodiscard]] std::span<const Field> fields_of(For<MeasuredCase>);
// What stands in objects of a case beside the fields of the record, the limit and the prediction.
[[nodiscard]] std::span<const Field> timing_fields();
[[nodiscard]] std::span<const Field> expected_memory_fields();
[[nodiscard]] std::span<const Field> limit_fields();
[[nodiscard]] std::span<const Field> issue_fields();  ///< the model's, in `prediction`

/// The device file for a device as it names itself; nullopt where no file, or more than one, fits
/// (`note` then says so).
[[nodiscard]] std::optional<device::Device> find_device(const device::Catalog& catalog,
                                                        const record::DeviceIdentity& identity,
                                                        std::optional<Note>& note);

/// Joins a record with the limit of its network on `limit_device`, or on the device that the
/// catalog has for the record's own; on the latter with its prediction too, by what `calibrations`
/// finds for it. Throws Error (input) when the record's network cannot be read.
[[nodiscard]] MeasuredCase measured_case_of(
    record::Record record, const device::Catalog& catalog,
    const std::optional<device::Device>& limit_device = std::nullopt,
    const CalibrationLookup& calibrations = {});

}  // namespace rooflab::analyze
