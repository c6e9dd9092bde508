#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/counted_layers.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/record/sample.hpp"

namespace rooflab::analyze {

/// One node as measured, beside what the model says of it.
struct MeasuredLayer {
  record::NodeTiming timing;
  OpClass op_class = OpClass::other;
  std::optional<double> time_share;  ///< share of the layers' sum
  std::optional<Flops> flops;        ///< modelled FLOPs of the phase; nullopt: no node, or no rule
  std::optional<Bytes> bytes;        ///< compulsory, modelled
  std::optional<Seconds> limit;
  predict::Bound bound = predict::Bound::none;

  [[nodiscard]] double time_s() const { return timing.forward_s + timing.backward_s.value_or(0.0); }
  [[nodiscard]] std::optional<double> limit_ratio() const;
};

/// Measured time and limit of all ops of a class.
struct ClassTime {
  OpClass op_class = OpClass::other;
  int layers = 0;
  double time_s = 0.0;
  double time_share = 0.0;        ///< share of the layers' sum
  std::optional<double> limit_s;  ///< nullopt: one of its layers, or the case, has no limit
  std::optional<double> limit_share;
};

struct MeasuredLayers {
  std::vector<MeasuredLayer> layers;  ///< in the record's order
  std::vector<MeasuredLayer> totals;  ///< their sum, and the whole step as it was measured
  std::vector<ClassTime> classes;     ///< longest first; classes without layers are left out
};

[[nodiscard]] std::span<const Field> fields_of(For<MeasuredLayer>);
[[nodiscard]] std::span<const Field> fields_of(For<ClassTime>);

/// Joins a record's layer times with the model's rows by node name; empty without layer times.
/// `network` is the record's, `model` its counts and limit.
[[nodiscard]] MeasuredLayers measured_layers_of(const record::Record& record,
                                                const graph::Graph* network,
                                                const CaseResult* model);

/// The layers' sum set against the whole in sentences; `median_s` is that of the timed steps, which
/// have no events inside.
[[nodiscard]] std::vector<std::string> explain(const record::LayerTimes& times,
                                               std::optional<double> median_s);

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
  std::vector<Note>
      warnings;  ///< why it is suspect: faster than possible, the worker's, those of suspicion.hpp
  std::vector<Note> notes;  ///< what a reader must know about the model

  /// How the case ended, `suspect` where it ended well with warnings; for tables.
  [[nodiscard]] std::string_view status_word() const;
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

/// A case of the JSON of `measure`. What is read back is its record and what was counted: the rest
/// follows from the record.
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
/// finds for it, with the record's issue costs where it has some. Throws Error (input) when the
/// record's network cannot be read.
[[nodiscard]] MeasuredCase measured_case_of(
    record::Record record, const device::Catalog& catalog,
    const std::optional<device::Device>& limit_device = std::nullopt,
    const CalibrationLookup& calibrations = {});

/// How many measured times lie in their predicted intervals.
class Agreement {
 public:
  /// `prediction` may be nullptr, or without an interval: then the case does not count.
  void add(const MeasuredCase& measured, const CaseResult* prediction);

  /// Empty where no case counted.
  [[nodiscard]] std::string sentence() const;

 private:
  std::size_t known_ = 0;
  std::size_t within_ = 0;
  std::size_t waiting_ = 0;  ///< outside, and the device waits for a host that was not probed
};

}  // namespace rooflab::analyze
