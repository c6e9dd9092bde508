#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/network_count.hpp"
#include "rooflab/analyze/step_timeline.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/predict/time_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::analyze {

/// Model of the expected time of a case.
enum class PredictionModel {
  limit,       ///< no expected time: only the bound
  ppp,         ///< PALEO's percent of peak
  calibrated,  ///< from measured ops
};
constexpr auto names_in_order(For<PredictionModel>) {
  return names_through<PredictionModel::calibrated>("limit", "ppp", "calibrated");
}

/// Relation of the calibrated device to the predicted one.
enum class Relation { own, same_architecture, relative };
constexpr auto names_in_order(For<Relation>) {
  return names_through<Relation::relative>("own", "same architecture", "relative");
}
[[nodiscard]] Relation relation_between(const device::Device& asked,
                                        const device::Device& calibrated);

/// The calibration behind a prediction: the one that most of its time comes from.
struct CalibrationUse {
  std::string id = {};                   ///< `h200-sxm`
  std::string device = {};               ///< id of the device that was measured
  std::optional<std::string> date = {};  ///< UTC, ISO 8601; nullopt: not stated
  Relation relation = Relation::own;
};
[[nodiscard]] std::span<const Field> fields_of(For<CalibrationUse>);

/// Calibration and host costs that predictions for one device use, for any number of cases.
struct CalibratedModel {
  predict::TimeModel times;
  Relation relation = Relation::own;
  /// Issue costs, from a calibration that `times` keeps; nullptr: host overhead is not included.
  const device::HostCosts* host = nullptr;
  double host_deviation = 0.0;    ///< sd of log(issue costs) where they are another machine's
  std::optional<Note> note = {};  ///< what a reader must know about the host
  /// Host overhead is left out on purpose: the user asked for that, or the device issues its own
  /// ops.
  bool without_host = false;
  std::optional<predict::GraphReplay> graph = {};  ///< a CUDA graph is replayed; no `host` then
  /// Link between the devices of steps that exchange data; nullptr: messages are left out.
  std::shared_ptr<const predict::LinkModel> link = {};
  predict::AllReduce all_reduce = predict::AllReduce::automatic;

  /// Sets the link; nullopt leaves messages out.
  void set(std::optional<predict::LinkModel> model,
           predict::AllReduce algorithm = predict::AllReduce::automatic);
};

/// Expected time of the step by `model`. `at_hand`: issue costs measured on the host that ran the
/// case, under the conditions of its steps; they replace those of the calibration.
[[nodiscard]] predict::StepTime predicted_step(const schedule::Schedule& schedule,
                                               const CalibratedModel& model,
                                               const device::HostCosts* at_hand = nullptr);

/// Finds the model that predicts for a device; nullptr: no calibration fits. An empty function: no
/// predictions are wanted.
using CalibrationLookup =
    std::function<std::shared_ptr<const CalibratedModel>(const device::Device&)>;

/// Ending of `CaseResult::optimizer` where one launch updates all parameters.
inline constexpr std::string_view fused_optimizer = ", fused";

/// Origin of a predicted time that comes from measurements of the device itself.
inline constexpr std::string_view measured_itself = "measured";

/// Figures of a step that a rewrite may change.
struct RewriteFigures {
  std::optional<Seconds> limit = {};
  std::optional<Seconds> predicted = {};
  Flops flops = {};
  Bytes compulsory_bytes = {};
  Bytes saved_activations = {};
  Bytes memory = {};  ///< MemoryEstimate::total
};
[[nodiscard]] std::span<const Field> fields_of(For<RewriteFigures>);

/// One network on one device: limit, prediction, memory, verdict and layers.
struct CaseResult {
  std::string model = {};
  std::int64_t batch = 1;
  std::optional<std::int64_t> context = {};  ///< tokens before the step; nullopt: not known
  bool recorded = false;                     ///< the step comes from a recording
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  bool in_channels_last = false;  ///< images and kernels are in channels-last order
  /// PyTorch class of a recording's optimizer: `AdamW`, `AdamW, fused`; empty: none ran, or
  /// several.
  std::string optimizer = {};
  std::string rewrite = {};  ///< name of the network's rewrite; empty: not rewritten
  std::optional<RewriteFigures> before_rewrite = {};  ///< the step without `rewrite`
  device::Device device = {};
  NetworkCount count = {};
  predict::NetworkLimit limit = {};  ///< its `ops` are folded into `layers`
  PredictionModel prediction_model = PredictionModel::limit;
  std::optional<predict::StepTime> prediction = {};  ///< its `ops` are folded into `layers`
  std::optional<CalibrationUse> calibration = {};    ///< calibration behind `prediction`
  /// Read bandwidth of the device's L2 cache, B/s, from a probe of the device itself.
  std::optional<double> l2_bytes_per_s = {};
  /// Expected time of a step of twice the batch; nullopt: not asked for, or the network cannot take
  /// that batch.
  std::optional<Seconds> doubled_batch = {};
  /// Expected time of this step in channels-last order; nullopt: not asked for, or no op of the
  /// step benefits from that order (channels_first_share()).
  std::optional<Seconds> channels_last = {};
  /// Issuer whose costs are in `prediction`, or `graph`; empty: no issue costs are included.
  std::string issued_by = {};
  std::optional<predict::PercentOfPeak> percent = {};  ///< nullopt: not asked for
  std::optional<Seconds> percent_time = {};            ///< the limit's time at `percent`
  predict::MemoryEstimate memory = {};
  std::optional<predict::Fit> fit = {};  ///< nullopt: a memory figure is not known
  cost::Coverage covered = {};           ///< figures that are known although some ops have no rule
  std::vector<LayerRow> layers = {};     ///< the sum of their `predicted` is `prediction->device`
  std::vector<Note> notes = {};          ///< fallbacks, missing figures
  std::string command = {};              ///< the command line for this one case
  /// Timeline of the prediction; nullopt: not asked for
  std::optional<StepTimeline> timeline = {};

  /// `batch 8`; with a known context `batch 8, context 512`.
  [[nodiscard]] std::string size_text() const;
  /// `measured`, or the device whose measurements most of the predicted time is scaled from;
  /// nullopt without a calibrated time.
  [[nodiscard]] std::optional<std::string> predicted_from() const;
  /// Time that the main model predicts; nullopt without a prediction.
  [[nodiscard]] std::optional<Seconds> predicted_time() const;
  /// Whether the predicted time is calibrated: then `prediction` has low and high bounds.
  [[nodiscard]] bool has_interval() const {
    return prediction_model == PredictionModel::calibrated && prediction.has_value();
  }
  /// Whether the prediction has the issue costs of the host that ran the case.
  [[nodiscard]] bool has_host_at_hand() const;
};
/// Fields in JSON. Reading gives a device that has its id only.
[[nodiscard]] std::span<const Field> fields_of(For<CaseResult>);

/// Memory that libraries and driver add to a step's tensors, including message buffers.
[[nodiscard]] predict::LibraryMemory library_memory_of(const schedule::Schedule& schedule,
                                                       const device::Device& device,
                                                       const CalibratedModel* calibrated);

/// Memory of a step on a device; gradients live until the loss is computed. Without a calibration
/// (nullptr) the libraries' workspaces are unknown.
[[nodiscard]] predict::MemoryEstimate memory_of(const schedule::Schedule& schedule,
                                                const device::Device& device,
                                                const CalibratedModel* calibrated);

/// Computes limit (at `percent` of the peaks), counts, verdict and layers, without a prediction.
[[nodiscard]] CaseResult analyze_case(const schedule::Schedule& schedule,
                                      const predict::MemoryEstimate& memory,
                                      const device::Device& device, predict::PercentOfPeak percent);

/// Figures of a case without its rewrite, for comparison with the rewritten one.
[[nodiscard]] RewriteFigures rewrite_figures(const CaseResult& result);

/// Adds the time of PALEO's model and makes it the expected time.
void add_percent_of_peak(CaseResult& result, const schedule::Schedule& schedule,
                         predict::PercentOfPeak percent);

/// Adds the calibrated prediction, in total and by layer, and makes it the expected time. A related
/// device's calibration cannot be scaled without a limit: then only a note is added. `at_hand`: see
/// predicted_step(). `timeline`: keeps the times of all ops.
void add_prediction(CaseResult& result, const schedule::Schedule& schedule,
                    const CalibratedModel& model, const device::HostCosts* at_hand = nullptr,
                    bool timeline = false);

/// Share of the device's expected time in convolutions of channels-first data on tensor cores,
/// which want them channels-last. 0 without a calibrated prediction.
[[nodiscard]] double channels_first_share(const CaseResult& result);

/// Returns the expected time of the network's step, lowered with these options.
using PredictLowered =
    std::function<std::optional<Seconds>(const schedule::LoweringOptions& lowering)>;
/// Adds the expected time in channels-last order where some convolution wants it.
void add_channels_last(CaseResult& result, schedule::LoweringOptions lowering,
                       const PredictLowered& predict);

}  // namespace rooflab::analyze
