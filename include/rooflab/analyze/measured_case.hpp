#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/counted_layers.hpp"
#include "rooflab/analyze/measured_layers.hpp"
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
  std::optional<Statistics> steps;            ///< of the timed steps; nullopt unless some ran
  std::optional<Statistics> steps_with_data;  ///< waiting for data and copying it included
  std::optional<double> ratio;                ///< median over limit: 2 is twice the limit's time
  std::optional<double> headroom;             ///< 1 - limit / median: what is left to gain, at most
  std::optional<double> samples_per_s;        ///< batch over the median
  std::optional<double> flops_per_s;          ///< modelled FLOPs over the median
  std::optional<double> fraction_of_peak;     ///< of the path that does most of the matrix work
  std::optional<double> memory_ratio;         ///< allocated peak, measured over predicted
  std::optional<record::SampleSummary> samples;  ///< of the device (the worker, on a CPU) meanwhile
  bool host_bound = false;
  MeasuredLayers layers;
  std::optional<CountedLayers> counted;  ///< where hardware counters were collected
  std::vector<std::string> warnings;     ///< the worker's, then those of suspicion.hpp
  std::vector<std::string> notes;        ///< what a reader must know about the model

  /// The limit, where there is one.
  [[nodiscard]] std::optional<double> limit_s() const;
};

/// The device file for a device as it names itself; nullopt where no file, or more than one, fits
/// (`note` then says so in a sentence).
[[nodiscard]] std::optional<device::Device> find_device(const device::Catalog& catalog,
                                                        const record::DeviceIdentity& identity,
                                                        std::string& note);

/// Joins a record with the limit of its network on `limit_device`, or on the device that the
/// catalog has for the record's own; on the latter with its prediction too, by what `calibrations`
/// finds for it. Throws Error (input) when the record's network cannot be read.
[[nodiscard]] MeasuredCase measured_case_of(
    record::Record record, const device::Catalog& catalog,
    const std::optional<device::Device>& limit_device = std::nullopt,
    const CalibrationLookup& calibrations = {});

}  // namespace rooflab::analyze
