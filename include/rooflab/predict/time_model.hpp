#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/link_model.hpp"
#include "rooflab/predict/op_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// Origin of a time, from the most to the least certain.
enum class TimeSource {
  measured_kind,  ///< the device's own measurements of ops of this kind
  carried_kind,   ///< another device's measurements of this kind, scaled
  other_kind,     ///< measurements of a neighbouring kind: another type, layout or elementwise
                  ///< function, or the parts of the op
  roofline,       ///< no measurement is close: the limit over a typical efficiency
};
constexpr auto names_in_order(For<TimeSource>) {
  return names_through<TimeSource::roofline>("measured kind", "carried kind", "other kind",
                                             "roofline");
}

/// The time of one op on a device.
struct OpEstimate {
  double time_s = 0.0;
  double deviation = 0.0;  ///< standard deviation of log(time), for this kind alone
  /// Standard deviation of log(time) that all ops scaled from one device have in common.
  double common_deviation = 0.0;
  TimeSource source = TimeSource::roofline;
  std::string kind = {};    ///< the kind whose measurements were used
  std::string device = {};  ///< id of the measured device; empty for `roofline`
  std::string origin = {};  ///< publication of the rows; empty: measured by `rooflab probe`
};

class SourceModel;
class DeviceFamily;

/// A calibration and the catalog's description of the device that it was measured on.
struct CalibratedDevice {
  device::LazyCalibration calibration;
  device::Device device = {};
  /// Models of its ops, for all that predict from it (with_models()); nullptr: each makes its own.
  std::shared_ptr<const SourceModel> models = {};
};
/// The calibration with models of its ops, which are fitted when they are first needed.
[[nodiscard]] CalibratedDevice with_models(CalibratedDevice calibrated);

/// Times of single ops on a device from calibrations: the device's own where it has measurements of
/// the kind of op, else scaled times of its nearest relative that has them. Threads may share a
/// model; it remembers some thousand results, and copies share them. The essay is at the head of
/// time_model.cpp.
class TimeModel {
 public:
  /// Makes a model. `sources`: from the nearest to the farthest (relatives_of), at least one.
  /// `siblings`: other devices of the target's architecture; times are kept in order across them
  /// (device_family.cpp).
  TimeModel(std::vector<CalibratedDevice> sources, device::Device target,
            std::vector<device::Device> siblings = {});

  [[nodiscard]] OpEstimate estimate(const OpShape& shape) const;
  /// Shares remembered results with another model of the architecture, before the first estimate.
  /// Both must be made from the same calibrations and devices.
  void share_work_of(const TimeModel& other);

  /// Whether the device itself has a measured op of this kind, with half to twice as many bytes,
  /// that takes more than `times` its roofline time by the datasheet.
  [[nodiscard]] bool has_row_slower(const OpShape& shape, double times) const;

  /// A workspace and the device on which it was observed.
  struct ObservedWorkspace {
    Workspace workspace = {};
    const device::Device* device = nullptr;
  };
  /// Workspace of an op on the nearest device with observations for such ops.
  [[nodiscard]] std::optional<ObservedWorkspace> workspace(const OpShape& shape) const;

  /// Whether the device has no calibration.
  [[nodiscard]] bool carried() const;
  /// All calibrations, the nearest first.
  [[nodiscard]] const std::vector<CalibratedDevice>& sources() const { return calibrated_; }
  /// The nearest calibration and its device.
  [[nodiscard]] const device::Calibration& calibration() const;
  [[nodiscard]] const device::Device& source() const;
  /// A measured figure and its device.
  struct ObservedFigure {
    double value = 0.0;
    const device::Device* device = nullptr;
  };
  /// The figure of the nearest device that has it.
  [[nodiscard]] std::optional<ObservedFigure> observed_figure(std::string_view name) const;
  [[nodiscard]] double figure_or(std::string_view name, double otherwise) const;
  /// Whether `rooflab probe` measured the device itself, so the libraries' memory is known.
  [[nodiscard]] bool probed() const;
  [[nodiscard]] const device::Device& target() const { return target_; }

 private:
  /// A model of another device from the same calibrations.
  TimeModel(const TimeModel& like, device::Device target);
  /// Estimate without the ordering across siblings.
  [[nodiscard]] OpEstimate estimate_alone(const OpShape& shape) const;
  /// The target's architecture, and the target's place in it.
  struct Family {
    std::shared_ptr<const DeviceFamily> devices = {};
    std::size_t place = 0;
  };
  [[nodiscard]] const Family& family() const;
  [[nodiscard]] OpEstimate by_order(const OpShape& shape) const;
  /// Estimate as the sum over the parts of recurrent layers.
  [[nodiscard]] OpEstimate from_parts(const OpShape& shape) const;
  [[nodiscard]] OpEstimate carried_from(const SourceModel& source, const OpShape& shape) const;
  [[nodiscard]] OpEstimate carried_once(const SourceModel& source, const OpShape& shape) const;
  /// Remaining error of gradients scaled from a source, as a logarithm.
  [[nodiscard]] double level_of(const SourceModel& source, const OpShape& shape) const;

  std::vector<CalibratedDevice> calibrated_;
  std::vector<std::shared_ptr<const SourceModel>> sources_;  ///< one for each of `calibrated_`
  device::Device target_;
  std::vector<device::Device> siblings_;  ///< devices of the target's architecture
  struct Known;
  std::shared_ptr<Known> known_;
};

/// Calibrations that can predict `target`, nearest first: its own; those of the same chip; then by
/// distance in compute capability and in resources per multiprocessor; devices of another maker
/// last. If a device has several calibrations, the first is kept.
[[nodiscard]] std::vector<CalibratedDevice> relatives_of(const device::Device& target,
                                                         std::vector<CalibratedDevice> calibrated);

/// Relation of two devices, from nearest to farthest.
enum class Relation { same_device, same_chip, same_architecture, same_maker, other_maker };
[[nodiscard]] Relation relation_of(const device::Device& one, const device::Device& other);

/// One scheduled op in a predicted step.
struct OpTime {
  OpEstimate device = {};  ///< time 0 for views and ops within the call of another op
  double issue_s = 0.0;    ///< the host's time to issue the op
  double issued_s = 0.0;   ///< end of issuing, from the step's start on the device; may be negative
  double start_s = 0.0;    ///< on the device, from the step's start
  double end_s = 0.0;
};

/// All ops of one kind in a predicted step.
struct KindShare {
  std::string kind = {};
  std::string device = {};  ///< id of the measured device; empty for a roofline
  std::string origin = {};  ///< publication of the rows; empty: measured by `rooflab probe`
  std::size_t count = 0;
  double time_s = 0.0;
  double share = 0.0;      ///< share of the device's time
  double deviation = 0.0;  ///< standard deviation of log(sum): errors of one kind are correlated
  TimeSource source = TimeSource::measured_kind;
};
[[nodiscard]] std::span<const Field> fields_of(For<KindShare>);

/// Kinds of time that are not ops: the device's pauses between two kernels, and messages in the
/// kernels' queue.
inline constexpr std::string_view gaps_kind = "gaps between kernels";
inline constexpr std::string_view messages_kind = "messages between kernels";

/// The messages of a step to other devices.
struct Communication {
  std::int64_t messages = 0;
  int devices = 2;  ///< in the largest group
  Bytes bytes = {};
  std::optional<Seconds> time = {};    ///< sum of messages running alone; nullopt: no link is known
  std::optional<Seconds> hidden = {};  ///< part of `time` for which the device does not wait

  [[nodiscard]] std::optional<double> hidden_share() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<Communication>);

/// The expected time of a step, with its uncertainty.
struct StepTime {
  Seconds time = {};  ///< expected median
  Seconds low = {};   ///< 90 % of cases lie between low and high
  Seconds high = {};
  Seconds device = {};  ///< work of the device and gaps between ops, without waiting for the host
  Seconds host = {};    ///< work of the host without waiting for the device; 0: not known
  std::optional<Communication> communication = {};  ///< nullopt: a step of one device
  double gap_s = 0.0;                               ///< gap on the device between two ops
  bool replayed = false;                            ///< the step replays a CUDA graph
  std::vector<OpTime> ops = {};                     ///< one for each of schedule.ops
  std::vector<KindShare> kinds = {};                ///< largest first
  std::vector<Note> notes = {};

  [[nodiscard]] bool host_bound() const { return host > device; }
};
/// Fields in JSON: all except `ops`, `gap_s` and `replayed`.
[[nodiscard]] std::span<const Field> fields_of(For<StepTime>);

/// Cost of replaying a CUDA graph instead of issuing its kernels one by one. The essay is at the
/// head of graph_replay.cpp.
struct GraphReplay {
  /// Seconds with the ends of their interval.
  struct Cost {
    double expected = 0.0;
    double low = 0.0;
    double high = 0.0;

    friend bool operator==(const Cost&, const Cost&) = default;
  };
  Cost kernel = {};                          ///< shortest kernel, which writes one number
  std::optional<Cost> measured_launch = {};  ///< host time per step; nullopt: not measured
  std::string kernel_source = {};  ///< source of `kernel` where it was not measured, else empty

  [[nodiscard]] Cost launch(std::size_t kernels) const;
  [[nodiscard]] std::vector<Note> notes(std::size_t kernels) const;
};
/// Replay costs of the nearest device that has them, else assumptions with wider intervals.
[[nodiscard]] GraphReplay graph_replay(const TimeModel& model);

struct StepTimeOptions {
  const device::HostCosts* host = nullptr;  ///< nullptr: host overhead is not included
  const GraphReplay* graph = nullptr;       ///< a graph is replayed; `host` is then ignored
  double host_deviation = 0.0;              ///< sd of log(issue costs) beyond their jitter
  /// Time to issue a launch over that on the host of `launch.issue`.
  double host_slowness = 1.0;
  /// Link between the devices of a step that exchanges data; nullptr: messages are left out, and a
  /// note says so.
  const LinkModel* link = nullptr;
  AllReduce all_reduce = AllReduce::automatic;
};

/// Predicts one step of a schedule as an eager framework runs it. The essay is at the head of
/// step_time.cpp.
[[nodiscard]] StepTime predict_step(const schedule::Schedule& schedule, const TimeModel& model,
                                    const StepTimeOptions& options = {});

/// Time of each op in a predicted step, from the end of the previous op to its own end, including
/// gaps and waiting for the host. They sum to the step's time.
[[nodiscard]] std::vector<double> op_times(const StepTime& step);

/// Time of each op by the limit. Throws Error (input) that names the missing figure of the device,
/// or the op without a rule.
[[nodiscard]] std::vector<double> op_times(const NetworkLimit& limit);

}  // namespace rooflab::predict
