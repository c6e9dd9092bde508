// A device's own batch is that of its step: in weak scaling the same for every number of devices,
// in strong scaling the global one divided, so that the network is lowered anew for each.

#include "scaled_cases.hpp"

#include <map>
#include <memory>

#include "base/format.hpp"
#include "notes/task_notes.hpp"
#include "predict/paleo.hpp"
#include "setting_use.hpp"

namespace rooflab::task {
namespace {

using analyze::PredictionModel;
using analyze::ScalingSeries;
using predict::DataParallelStep;
using predict::LinkModel;
using predict::StepTime;

/// The step of one device, and what it is the step of.
struct OwnStep {
  std::shared_ptr<const schedule::Schedule> schedule;
  StepTime step;
};

/// What predictions on one device rest on.
struct DeviceBasis {
  device::Device device;
  std::optional<analyze::CalibratedModel> calibrated;  ///< else at a percent of the peaks
  predict::PercentOfPeak percent;
  LinkModel link;
  predict::AllReduce all_reduce;
};

OwnStep own_step(std::shared_ptr<const schedule::Schedule> schedule, const DeviceBasis& basis) {
  if (basis.calibrated) {
    const analyze::CalibratedModel& model = *basis.calibrated;
    if (!model.times.probed() && !predict::limit_of(*schedule, basis.device).time) {
      throw Error(
          ErrorKind::usage,
          format("measurements are carried over by limits, and the limit of {} is not known",
                 basis.device.name),
          "--device takes one with all figures (rooflab devices)");
    }
    StepTime step = analyze::predicted_step(*schedule, model);
    return {std::move(schedule), std::move(step)};
  }
  std::optional<StepTime> step =
      predict::percent_of_peak_step(*schedule, basis.device, basis.percent);
  if (!step) {
    throw Error(ErrorKind::usage, format("{} lacks a figure for this precision", basis.device.name),
                format("rooflab devices {}", basis.device.id));
  }
  return {std::move(schedule), *std::move(step)};
}

DataParallelStep scaled_step(const OwnStep& own, const DeviceBasis& basis, int gpus) {
  if (basis.calibrated) {
    return predict::predict_data_parallel_step(*own.schedule, own.step, basis.calibrated->times,
                                               basis.link, gpus, basis.all_reduce);
  }
  return predict::predict_data_parallel_step(*own.schedule, own.step, basis.device, basis.link,
                                             gpus, basis.all_reduce);
}

std::int64_t divided(std::int64_t global, int gpus) {
  if (global % gpus == 0) return global / gpus;
  throw Error(ErrorKind::usage,
              format("a global batch of {} cannot be divided among {} devices", global, gpus),
              format("--batch {}", (global / gpus + 1) * gpus));
}

/// Throws Error (usage) for another phase than training.
void check_trains(Phase phase) {
  if (phase == Phase::training) return;
  throw Error(
      ErrorKind::usage,
      format("{} is for training: only gradients are exchanged", flag_of<&PredictRequest::gpus>()),
      format("{} training", flag_of<&NetworkSettings::phase>()));
}

/// Throws Error (usage) for the step of one of several devices: its exchange is in it.
void check_alone(const schedule::Schedule& schedule, const std::string& name) {
  if (!schedule.exchanges()) return;
  throw Error(ErrorKind::usage,
              format("{} is the step of one of several devices: its messages are in it", name),
              format("leave {} out", flag_of<&PredictRequest::gpus>()));
}

/// One network: its schedules by precision and a device's batch, each lowered once.
class ScaledNetwork {
 public:
  /// `effective`: those of the settings that have an effect on it.
  ScaledNetwork(const ListedNetwork& listed, const NetworkSettings& settings,
                const LoadedModel& whole, NetworkSettings effective)
      : listed_(listed), settings_(settings), whole_(whole), effective_(std::move(effective)) {}

  [[nodiscard]] const LoadedModel& whole() const { return whole_; }

  std::shared_ptr<const schedule::Schedule> schedule(const schedule::LoweringOptions& lowering,
                                                     std::int64_t batch) {
    auto& known = schedules_[{lowering.precision, batch}];
    if (!known) {
      known = batch == whole_.graph.batch()
                  ? whole_.lowered(lowering)
                  : listed_.load(settings_, false, batch).lowered(lowering);
    }
    return known;
  }

  /// The command line of one series.
  [[nodiscard]] std::string command(PredictRequest request,
                                    const schedule::LoweringOptions& lowering,
                                    const device::Device& device) const {
    request.grid.network = effective_;
    request.grid = one_case(request.grid, listed_, lowering, device);
    return command_line_of(request);
  }

 private:
  const ListedNetwork& listed_;
  const NetworkSettings& settings_;
  const LoadedModel& whole_;
  NetworkSettings effective_;
  std::map<std::pair<Precision, std::int64_t>, std::shared_ptr<const schedule::Schedule>>
      schedules_;
};

/// The steps of one device by its batch, each predicted once.
class OwnSteps {
 public:
  OwnSteps(ScaledNetwork& network, const schedule::LoweringOptions& lowering,
           const DeviceBasis& basis)
      : network_(network), lowering_(lowering), basis_(basis) {}

  const OwnStep& of(std::int64_t batch) {
    auto found = steps_.find(batch);
    if (found == steps_.end()) {
      const auto schedule = network_.schedule(lowering_, batch);
      check_alone(*schedule, network_.whole().name);
      check_counted(*schedule, network_.whole().name);
      found = steps_.emplace(batch, own_step(schedule, basis_)).first;
    }
    return found->second;
  }

 private:
  ScaledNetwork& network_;
  const schedule::LoweringOptions& lowering_;
  const DeviceBasis& basis_;
  std::map<std::int64_t, OwnStep> steps_;
};

/// Predicts the rows of a series.
void predict_series(ScalingSeries& scaled, const PredictRequest& request, OwnSteps& steps,
                    const DeviceBasis& basis, std::int64_t given) {
  const DataParallelStep one = scaled_step(steps.of(given), basis, 1);
  scaled.basis->one_device_step_s = one.time.value;
  std::vector<DataParallelStep> predicted;
  for (const std::int64_t number : request.gpus) {
    const auto gpus = static_cast<int>(number);
    const bool strong = request.scaling == analyze::ScalingKind::strong;
    const OwnStep& own_of_gpu = steps.of(strong ? divided(given, gpus) : given);
    predicted.push_back(scaled_step(own_of_gpu, basis, gpus));
    add_notes(scaled.notes, own_of_gpu.step.notes);
    if (basis.calibrated) add_notes(scaled.notes, basis.link.notes(gpus));
  }
  scaled.rows = analyze::predicted_rows(one, predicted);
}

/// The series of one network in one setting on one device.
ScalingSeries series_of(const PredictRequest& request, ScaledNetwork& network,
                        const schedule::LoweringOptions& lowering, const DeviceBasis& basis) {
  const LoadedModel& whole = network.whole();
  ScalingSeries scaled;
  scaled.command_line = network.command(request, lowering, basis.device);
  const schedule::LoweringOptions own = analyze::lowering_on(basis.device, lowering);
  scaled.model = whole.name;
  scaled.device = basis.device.id;
  scaled.precision = whole.precision(own);
  scaled.kind = request.scaling;
  scaled.batch = whole.graph.batch();
  scaled.basis =
      analyze::scaling_basis(basis.calibrated ? PredictionModel::calibrated : PredictionModel::ppp,
                             basis.link, basis.all_reduce);
  OwnSteps steps(network, own, basis);
  predict_series(scaled, request, steps, basis, whole.graph.batch());
  if (const auto note = analyze::autocast_note(basis.device, lowering.precision)) {
    add_notes(scaled.notes, {*note});
  }
  if (basis.calibrated && basis.calibrated->note) {
    add_notes(scaled.notes, {*basis.calibrated->note});
  }
  if (!basis.calibrated) {
    add_notes(scaled.notes, {{says.at_share_of_peak, {basis.percent.compute}}});
  }
  add_notes(scaled.notes, whole.notes);
  return scaled;
}

}  // namespace

std::vector<ScalingSeries> scaled_cases(
    const PredictRequest& request, const std::vector<device::Device>& devices,
    std::vector<std::optional<analyze::CalibratedModel>> calibrated,
    const analyze::KnownCalibrations& known) {
  const CaseGrid& grid = request.grid;
  check_networks(grid);
  std::vector<DeviceBasis> bases;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!calibrated[i] && !grid.ppp) {
      throw analyze::no_calibration_fits(
          devices[i], format("{} FILE of rooflab probe --save, or {} 0.5",
                             flag_of<&CalibrationFiles::calibration>(), flag_of<&CaseGrid::ppp>()));
    }
    std::optional<LinkModel> link;
    if (!calibrated[i] && request.link.link.empty()) link = predict::paleo_link(grid.ppp->text);
    if (!link) link = request.link.model_for(devices[i], known);
    bases.push_back({devices[i], std::move(calibrated[i]), grid.percent(), *std::move(link),
                     request.link.all_reduce});
  }
  SettingUse use(grid.network, {.other_sizes = request.scaling == analyze::ScalingKind::strong});
  std::vector<ScalingSeries> cases;
  for (const ListedNetwork& each : listed_networks(grid.models, grid.layers, grid.network)) {
    in_case(each.name, each.batch, [&] {
      const LoadedModel whole = each.load(grid.network);
      const std::vector<Note> without_part = use.add(whole);
      const NetworkSettings effective = use.effective(whole);
      for (const schedule::LoweringOptions& lowering : whole.lowerings(grid.network)) {
        check_trainable(whole, lowering.phase);
        check_trains(lowering.phase);
        ScaledNetwork network(each, grid.network, whole, effective);
        for (const DeviceBasis& basis : bases) {
          cases.push_back(series_of(request, network, lowering, basis));
          add_notes(cases.back().notes, without_part);
        }
      }
    });
  }
  use.check();
  return cases;
}

}  // namespace rooflab::task
