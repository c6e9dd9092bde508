#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/counted_layers.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/record/sample.hpp"

namespace rooflab::analyze {

/// One measured node with its modelled figures.
struct MeasuredLayer {
  record::NodeTiming timing = {};
  OpClass op_class = OpClass::other;
  std::optional<double> time_share = {};  ///< share of the layers' sum
  std::optional<Flops> flops = {};  ///< modelled FLOPs of the phase; nullopt: no node, or no rule
  std::optional<Bytes> bytes = {};  ///< compulsory, modelled
  std::optional<Seconds> limit = {};
  predict::Bound bound = predict::Bound::none;

  [[nodiscard]] double time_s() const { return timing.forward_s + timing.backward_s.value_or(0.0); }
  [[nodiscard]] std::optional<double> limit_ratio() const;
};

/// Measured time and limit of all ops of a class.
struct ClassTime {
  OpClass op_class = OpClass::other;
  int layers = 0;
  double time_s = 0.0;
  double time_share = 0.0;             ///< share of the layers' sum
  std::optional<double> limit_s = {};  ///< nullopt: one of its layers, or the case, has no limit
  std::optional<double> limit_share = {};
};

struct MeasuredLayers {
  std::vector<MeasuredLayer> layers = {};  ///< in the record's order
  std::vector<MeasuredLayer> totals = {};  ///< sum of the layers, and the whole measured step
  std::vector<ClassTime> classes = {};     ///< longest first; classes without layers are left out
};

[[nodiscard]] std::span<const Field> fields_of(For<MeasuredLayer>);
[[nodiscard]] std::span<const Field> fields_of(For<ClassTime>);

/// Joins a record's layer times with the model's rows by node name; empty without layer times.
/// `network`: the record's network; `model`: its counts and limit.
[[nodiscard]] MeasuredLayers measured_layers_of(const record::Record& record,
                                                const graph::Graph* network,
                                                const CaseResult* model);

/// Sentences that compare the layers' sum with the whole step. `median_s`: median of the timed
/// steps, which have no events inside.
[[nodiscard]] std::vector<std::string> explain(const record::LayerTimes& times,
                                               std::optional<double> median_s);

/// Options with which `rooflab predict` lowers the case that was run.
[[nodiscard]] schedule::LoweringOptions lowering_of(const record::CaseIdentity& identity);

/// A record compared with its limit and prediction. FLOPs, bytes and the limit are modelled from
/// the record's network; times, memory and energy are measured.
struct MeasuredCase {
  record::Record record = {};
  std::string source = {};  ///< origin of the record: a file, or a case of a study; may be empty
  /// Counts, limit, predicted memory and time; nullopt where the record holds no network. Its limit
  /// has no time where no device file describes the device, and it has no prediction where no
  /// calibration fits the device.
  std::optional<CaseResult> model = {};
  std::optional<Statistics> steps = {};    ///< timed steps; nullopt: none ran
  std::optional<double> with_data_s = {};  ///< median with waiting for data and copying it
  std::optional<record::SampleSummary> samples = {};  ///< device samples; on a CPU the worker's
  bool host_bound = false;
  MeasuredLayers layers = {};
  std::optional<CountedLayers> counted = {};  ///< nullopt: no hardware counters
  std::vector<Note> warnings =
      {};  ///< why it is suspect: faster than possible, the worker's warnings, suspicion.hpp
  std::vector<Note> notes = {};  ///< notes about the model

  /// Status for tables; `suspect` where the case succeeded with warnings.
  [[nodiscard]] std::string_view status_word() const;
  [[nodiscard]] std::optional<double> median_s() const;
  /// Half the width of the median's interval over the median.
  [[nodiscard]] std::optional<double> median_spread_share() const;
  /// Time of the limit; nullopt: no limit.
  [[nodiscard]] std::optional<double> limit_s() const;
  [[nodiscard]] std::optional<double> limit_ratio() const;     ///< 2: twice the limit's time
  [[nodiscard]] std::optional<double> headroom_share() const;  ///< largest possible gain
  [[nodiscard]] std::optional<double> samples_per_s() const;
  [[nodiscard]] std::optional<double> flop_per_s() const;  ///< modelled FLOPs over the median
  /// flop_per_s() over the peak of the path that does most of the matrix work.
  [[nodiscard]] std::optional<double> peak_share() const;
  [[nodiscard]] std::optional<double> peak_ratio() const;  ///< peak memory: measured over predicted
};

/// Fields of a case in the JSON of `measure`. Reading takes only its record and counters: the rest
/// follows from the record.
[[nodiscard]] std::span<const Field> fields_of(For<MeasuredCase>);
// Fields in the objects of a case that are not fields of the record, the limit or the prediction.
[[nodiscard]] std::span<const Field> timing_fields();
[[nodiscard]] std::span<const Field> expected_memory_fields();
[[nodiscard]] std::span<const Field> limit_fields();
[[nodiscard]] std::span<const Field> issue_fields();  ///< modelled issue costs, in `prediction`

/// Finds the device file for the name that a device reports; nullopt where no file or more than one
/// fits (then `note` says so).
[[nodiscard]] std::optional<device::Device> find_device(const device::Catalog& catalog,
                                                        const record::DeviceIdentity& identity,
                                                        std::optional<Note>& note);

/// Joins a record with the limit of its network on `limit_device`. Without one the catalog's entry
/// for the record's device is used, and `calibrations` also gives a prediction, with the record's
/// issue costs where it has them. Throws Error (input) when the record's network cannot be read.
[[nodiscard]] MeasuredCase measured_case_of(
    record::Record record, const device::Catalog& catalog,
    const std::optional<device::Device>& limit_device = std::nullopt,
    const CalibrationLookup& calibrations = {});

/// Counts the measured times that lie in their predicted intervals.
class Agreement {
 public:
  /// Adds a case; one whose `prediction` is nullptr or has no interval does not count.
  void add(const MeasuredCase& measured, const CaseResult* prediction);

  /// The counts as a sentence; empty where no case counted.
  [[nodiscard]] std::string sentence() const;

 private:
  std::size_t known_ = 0;
  std::size_t within_ = 0;
  std::size_t waiting_ = 0;  ///< outside, and the device waits for a host that was not probed
};

}  // namespace rooflab::analyze
