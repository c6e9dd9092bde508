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
#include "rooflab/base/note.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/predict/time_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::analyze {

/// Which time of a case is the expected one.
enum class PredictionModel {
  limit,       ///< none: there is the bound only
  ppp,         ///< PALEO's percent of peak
  calibrated,  ///< from measured ops
};
constexpr auto names_in_order(For<PredictionModel>) {
  return names_through<PredictionModel::calibrated>("limit", "ppp", "calibrated");
}

/// How the calibrated device is related to the one that is asked about.
enum class Relation { own, same_architecture, relative };
constexpr auto names_in_order(For<Relation>) {
  return names_through<Relation::relative>("own", "same architecture", "relative");
}
[[nodiscard]] Relation relation_between(const device::Device& asked,
                                        const device::Device& calibrated);

/// The calibration behind a prediction: the one that most of its time comes from.
struct CalibrationUse {
  std::string id;                        ///< `h200-sxm`
  std::string device;                    ///< id of the device that was measured
  std::optional<std::string> date = {};  ///< UTC, ISO 8601; nullopt: not stated
  Relation relation = Relation::own;
};
[[nodiscard]] std::span<const Field> fields_of(For<CalibrationUse>);

/// What predictions for one device rest on; for any number of cases.
struct CalibratedModel {
  predict::TimeModel times;
  Relation relation = Relation::own;
  /// Issue costs, of a calibration that `times` keeps; nullptr: the host's part is left out.
  const device::HostCosts* host = nullptr;
  double host_deviation = 0.0;    ///< sd of log(issue costs) where they are another machine's
  std::optional<Note> note = {};  ///< what a reader must know about the host
  /// The host's part is left out on purpose: a reader wants it so, or the device runs what it
  /// issues.
  bool without_host = false;
  std::optional<predict::GraphReplay> graph = {};  ///< a CUDA graph is replayed; no `host` then
  /// What joins the devices of steps that exchange with others; nullptr: their messages are left
  /// out.
  std::shared_ptr<const predict::LinkModel> link = {};
  predict::AllReduce all_reduce = predict::AllReduce::automatic;

  /// Sets the link; nullopt leaves messages out.
  void set(std::optional<predict::LinkModel> model,
           predict::AllReduce algorithm = predict::AllReduce::automatic);
};

/// The step's expected time by that model. `at_hand`: issue costs that were measured on the very
/// host, in place of the calibration's, as the steps beside them met them.
[[nodiscard]] predict::StepTime predicted_step(const schedule::Schedule& schedule,
                                               const CalibratedModel& model,
                                               const device::HostCosts* at_hand = nullptr);

/// What predictions for a device rest on; nullptr: no calibration fits. An empty function: no
/// predictions are wanted.
using CalibrationLookup =
    std::function<std::shared_ptr<const CalibratedModel>(const device::Device&)>;

/// How `CaseResult::optimizer` ends where one launch does the work of all.
inline constexpr std::string_view fused_optimizer = ", fused";

/// Says that a predicted time rests on measurements of the device itself.
inline constexpr std::string_view measured_itself = "measured";

/// What a rewrite may change of a step.
struct RewriteFigures {
  std::optional<Seconds> limit;
  std::optional<Seconds> predicted;
  Flops flops;
  Bytes compulsory_bytes;
  Bytes saved_activations;
  Bytes memory;  ///< MemoryEstimate::total
};
[[nodiscard]] std::span<const Field> fields_of(For<RewriteFigures>);

/// One network on one device: limit, prediction, memory, verdict and layers.
struct CaseResult {
  std::string model;
  std::int64_t batch = 1;
  std::optional<std::int64_t> context = {};  ///< tokens before the step; nullopt: not known
  bool recorded = false;                     ///< the step is a recording's
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  bool in_channels_last = false;  ///< images and kernels are in channels-last order
  /// A recording's, PyTorch's class: `AdamW`, `AdamW, fused`; empty: none ran, or several did.
  std::string optimizer = {};
  std::string rewrite;  ///< name of the network's rewrite; empty: it is as its author made it
  std::optional<RewriteFigures> before_rewrite;  ///< the same step without it
  device::Device device;
  NetworkCount count;
  predict::NetworkLimit limit;  ///< its `ops` are folded into `layers`
  PredictionModel prediction_model = PredictionModel::limit;
  std::optional<predict::StepTime> prediction;  ///< its `ops` are folded into `layers`
  std::optional<CalibrationUse> calibration;    ///< calibration behind `prediction`
  /// Bandwidth of the device's L2 cache as a probe of the device itself read it, B/s.
  std::optional<double> l2_bytes_per_s;
  /// Expected time of a step of twice the batch; nullopt: not asked for, or the network cannot take
  /// that batch.
  std::optional<Seconds> doubled_batch;
  /// Expected time of the same step in channels-last order; nullopt: not asked for, or nothing in
  /// it asks for that order (channels_first_share()).
  std::optional<Seconds> channels_last;
  /// Whose issue costs are in `prediction`, or `graph`; empty: none are.
  std::string issued_by;
  std::optional<predict::PercentOfPeak> percent;  ///< where one was asked for
  std::optional<Seconds> percent_time;            ///< the limit's time at `percent`
  predict::MemoryEstimate memory;
  std::optional<predict::Fit> fit;       ///< nullopt: its memory, or the step's, is not known
  cost::Coverage covered;                ///< what is known although some ops have no rule
  std::vector<LayerRow> layers;          ///< the sum of their `predicted` is `prediction->device`
  std::vector<Note> notes;               ///< what a reader must know: fallbacks, missing figures
  std::string command;                   ///< the command line for this one case
  std::optional<StepTimeline> timeline;  ///< the prediction's, where asked for

  /// `batch 8`; with a known context `batch 8, context 512`.
  [[nodiscard]] std::string size_text() const;
  /// `measured`, or the device that most of the predicted time is carried over from; nullopt
  /// without a calibrated one.
  [[nodiscard]] std::optional<std::string> predicted_from() const;
  /// Time that the main model predicts; nullopt without a prediction.
  [[nodiscard]] std::optional<Seconds> predicted_time() const;
  /// Whether that time is calibrated: then `prediction` holds low and high.
  [[nodiscard]] bool has_interval() const {
    return prediction_model == PredictionModel::calibrated && prediction.has_value();
  }
  /// Whether its issue costs are those of the host that ran the case.
  [[nodiscard]] bool has_host_at_hand() const;
};
/// The device is read as its id.
[[nodiscard]] std::span<const Field> fields_of(For<CaseResult>);

/// What libraries and driver add to a step's tensors, buffers of its messages included.
[[nodiscard]] predict::LibraryMemory library_memory_of(const schedule::Schedule& schedule,
                                                       const device::Device& device,
                                                       const CalibratedModel* calibrated);

/// Memory of a step on a device, whose gradients live until the loss is there. Without a
/// calibration (nullptr) the libraries' workspaces are unknown.
[[nodiscard]] predict::MemoryEstimate memory_of(const schedule::Schedule& schedule,
                                                const device::Device& device,
                                                const CalibratedModel* calibrated);

/// Limit (at `percent` of the peaks), counts, verdict and layers; no prediction yet.
[[nodiscard]] CaseResult analyze_case(const schedule::Schedule& schedule,
                                      const predict::MemoryEstimate& memory,
                                      const device::Device& device, predict::PercentOfPeak percent);

/// The figures of a case that stand beside those of its rewrite.
[[nodiscard]] RewriteFigures rewrite_figures(const CaseResult& result);

/// Adds the time of PALEO's model beside the limit and makes it the main one.
void add_percent_of_peak(CaseResult& result, const schedule::Schedule& schedule,
                         predict::PercentOfPeak percent);

/// Adds the calibrated prediction, of the whole and by layer, and makes it the main one. Without a
/// limit there is nothing that a relative's calibration can be carried over by: then a note says so
/// and nothing is added. `at_hand` as for predicted_step(). `timeline`: keeps the times of all ops.
void add_prediction(CaseResult& result, const schedule::Schedule& schedule,
                    const CalibratedModel& model, const device::HostCosts* at_hand = nullptr,
                    bool timeline = false);

/// Share of the device's expected time in convolutions of channels-first data on tensor cores,
/// which want them channels-last. 0 without a calibrated prediction.
[[nodiscard]] double channels_first_share(const CaseResult& result);

/// Expected time of the step of the lowered network, by whatever the caller predicts with.
using PredictLowered =
    std::function<std::optional<Seconds>(const schedule::LoweringOptions& lowering)>;
/// Adds the expected time in channels-last order where some convolution wants it.
void add_channels_last(CaseResult& result, schedule::LoweringOptions lowering,
                       const PredictLowered& predict);

}  // namespace rooflab::analyze
