// A device's own batch is that of its step: in weak scaling the same for every number of devices,
// in strong scaling the global one divided, so that the network is lowered anew for each.

#include "rooflab/task/predict.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "analyze/result_check.hpp"
#include "base/assert.hpp"
#include "describe/parameter_list.hpp"
#include "finding_commands.hpp"
#include "predict/paleo.hpp"
#include "recorded_network.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "setting_use.hpp"
#include "task_notes.hpp"

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
};

/// PALEO's second percentage is of its link, which has no latency.
std::optional<LinkModel> paleo_link(const std::string& percent) {
  if (!predict::names_paleo_preset(percent)) return std::nullopt;
  const predict::PaleoPreset& preset = predict::paleo_preset(percent);
  const auto link =
      std::ranges::find(predict::paleo_links(), preset.link, &predict::PaleoLink::key);
  if (link == predict::paleo_links().end()) return std::nullopt;
  device::Link own;
  own.id = format("{} at {:.0f} %", link->key, 100.0 * preset.communication);
  own.bandwidth = link->bytes_per_s * preset.communication;
  return LinkModel(own);
}

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

DataParallelStep scaled_step(const OwnStep& own, const DeviceBasis& basis, int gpus,
                             predict::AllReduce algorithm) {
  if (basis.calibrated) {
    return predict::predict_data_parallel_step(*own.schedule, own.step, basis.calibrated->times,
                                               basis.link, gpus, algorithm);
  }
  return predict::predict_data_parallel_step(*own.schedule, own.step, basis.device, basis.link,
                                             gpus, algorithm);
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

/// Throws Error (usage) where `gpus` has nothing to go by: no expected time.
void check_scaled(const PredictRequest& request) {
  const std::string gpus = flag_of<&PredictRequest::gpus>();
  if (request.basis.time_model == PredictionModel::limit) {
    throw Error(ErrorKind::usage,
                format("{} needs a predicted time; a limit is only a bound", gpus),
                format("leave {} limit out, or {} 0.5", flag_of<&PredictionBasis::time_model>(),
                       flag_of<&CaseGrid::ppp>()));
  }
}

void check(const PredictRequest& request) {
  const PredictRequest usual;
  request.link.check();
  request.basis.check();
  if (request.basis.time_model == PredictionModel::ppp && !request.grid.ppp) {
    const std::string ppp = flag_of<&CaseGrid::ppp>();
    throw Error(ErrorKind::usage,
                format("{} ppp needs {}", flag_of<&PredictionBasis::time_model>(), ppp),
                format("{} 0.62, or a published setting: {} paleo-mxnet", ppp, ppp));
  }
  if (!request.gpus.empty()) return check_scaled(request);
  if (request.scaling == usual.scaling) {
    // A recorded step may be that of one of several devices.
    if (words_of(request.link).empty()) return;
    if (std::ranges::any_of(request.grid.models, may_be_recorded)) return;
  }
  throw Error(ErrorKind::usage,
              format("{}, {} and {} are for {}", flag_of<&PredictRequest::scaling>(),
                     flag_of<&LinkChoice::link>(), flag_of<&LinkChoice::all_reduce>(),
                     flag_of<&PredictRequest::gpus>()),
              format("{} 1,2,4,8", flag_of<&PredictRequest::gpus>()));
}

/// Every combination in data-parallel training. `calibrated`: the model of each device; nullopt: at
/// the percent of the peaks. Throws Error (usage) where there is neither.
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
    if (!calibrated[i] && request.link.link.empty()) link = paleo_link(grid.ppp->text);
    if (!link) link = request.link.model_for(devices[i], known);
    bases.push_back({devices[i], std::move(calibrated[i]), grid.percent(), *std::move(link)});
  }

  const predict::AllReduce algorithm = request.link.all_reduce;
  const bool strong = request.scaling == analyze::ScalingKind::strong;
  SettingUse use(grid.network, {.other_sizes = strong});
  std::vector<ScalingSeries> cases;
  const auto add_case = [&](const ListedNetwork& network, const LoadedModel& whole,
                            const std::vector<Note>& without_part,
                            const schedule::LoweringOptions& lowering) {
    check_trainable(whole, lowering.phase);
    check_trains(lowering.phase);
    const std::int64_t given = whole.graph.batch();
    using Setting = std::pair<Precision, std::int64_t>;
    std::map<Setting, std::shared_ptr<const schedule::Schedule>> schedules;
    const auto schedule_of = [&](const schedule::LoweringOptions& own, std::int64_t own_batch) {
      auto& schedule = schedules[{own.precision, own_batch}];
      if (!schedule) {
        schedule = own_batch == given ? whole.lowered(own)
                                      : network.load(grid.network, false, own_batch).lowered(own);
      }
      return schedule;
    };
    for (const DeviceBasis& basis : bases) {
      ScalingSeries scaled;
      scaled.model = whole.name;
      scaled.device = basis.device.id;
      const schedule::LoweringOptions own = analyze::lowering_on(basis.device, lowering);
      scaled.precision = whole.precision(own);
      scaled.kind = request.scaling;
      scaled.batch = given;
      PredictRequest alone = request;
      alone.grid = grid;
      alone.grid.network = settings_of(whole, grid.network);
      alone.grid = one_case(alone.grid, network, lowering, basis.device);
      scaled.command_line = command_line_of(alone);
      scaled.basis = analyze::scaling_basis(
          basis.calibrated ? PredictionModel::calibrated : PredictionModel::ppp, basis.link,
          algorithm);
      std::map<std::int64_t, OwnStep> steps;
      const auto step_of = [&](std::int64_t own_batch) -> const OwnStep& {
        auto found = steps.find(own_batch);
        if (found == steps.end()) {
          check_alone(*schedule_of(own, own_batch), whole.name);
          check_counted(*schedule_of(own, own_batch), whole.name);
          found = steps.emplace(own_batch, own_step(schedule_of(own, own_batch), basis)).first;
        }
        return found->second;
      };
      const DataParallelStep one = scaled_step(step_of(given), basis, 1, algorithm);
      scaled.basis->one_device_step_s = one.time.value;
      std::vector<DataParallelStep> predicted;
      for (const std::int64_t number : request.gpus) {
        const auto gpus = static_cast<int>(number);
        const OwnStep& own_of_gpu = step_of(strong ? divided(given, gpus) : given);
        predicted.push_back(scaled_step(own_of_gpu, basis, gpus, algorithm));
        add_notes(scaled.notes, own_of_gpu.step.notes);
        if (basis.calibrated) add_notes(scaled.notes, basis.link.notes(gpus));
      }
      scaled.rows = analyze::predicted_rows(one, predicted);
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
      add_notes(scaled.notes, without_part);
      cases.push_back(std::move(scaled));
    }
  };
  for (const ListedNetwork& each : listed_networks(grid.models, grid.layers, grid.network)) {
    in_case(each.name, each.batch, [&] {
      const LoadedModel whole = each.load(grid.network);
      const std::vector<Note> without_part = use.add(whole);
      for (const schedule::LoweringOptions& lowering : whole.lowerings(grid.network)) {
        add_case(each, whole, without_part, lowering);
      }
    });
  }
  use.check();
  return cases;
}

}  // namespace

const Parameters& parameters_of(For<PredictRequest>) {
  static const Parameters all = {
      part<&PredictRequest::grid>(),
      part<&PredictRequest::basis>(),
      parameter<&PredictRequest::gpus>("N,...",
                                       "data-parallel training on each of these numbers of devices",
                                       {.example = "1,2,4,8", .most = 1'000'000}),
      parameter<&PredictRequest::scaling>(
          "S", "--batch counts samples per device (weak) or over all devices (strong)",
          {.example = "strong", .words = {"weak", "strong"}, .predictable = true}),
      part<&PredictRequest::link>(),
  };
  return all;
}

PredictResult run(const PredictRequest& asked_for, Session& session) {
  check(asked_for);
  PredictRequest request = asked_for;
  request.grid = without_repeats(std::move(request.grid));
  const bool scales = !request.gpus.empty();
  const auto asked = request.basis.time_model;
  const bool calibrates = !asked || asked == PredictionModel::calibrated;
  const device::Catalog catalog = request.grid.device_files.catalog();
  const analyze::KnownCalibrations known = request.basis.calibrations.read(catalog, true);
  const std::vector<device::Device> devices = devices_of(request.grid, catalog, known, session);
  // Memory rests on calibrations whichever time is asked for.
  std::vector<std::optional<analyze::CalibratedModel>> calibrated;
  for (const device::Device& device : devices) {
    const bool needed = calibrates || !scales;
    calibrated.push_back(needed ? request.basis.model_for(device, known) : std::nullopt);
  }
  if (scales) {
    PredictResult result;
    result.scaled.series = scaled_cases(request, devices, std::move(calibrated), known);
    result.findings = findings_for(result.scaled);
    return result;
  }
  bool exchanges = false;
  const auto add_link = [&](const schedule::Schedule& schedule, std::size_t i) {
    exchanges = exchanges || schedule.exchanges();
    if (!calibrated[i] || calibrated[i]->link || !schedule.exchanges()) return;
    calibrated[i]->set(request.link.known_model_for(devices[i], known), request.link.all_reduce);
  };
  std::size_t timelines = request.timelines;
  const auto analyze_one = [&](const schedule::Schedule& schedule, std::size_t i) {
    analyze::PredictionOptions options{.model = asked, .timeline = timelines > 0};
    if (options.timeline) --timelines;
    if (request.grid.ppp) options.percent = request.grid.ppp->percent;
    add_link(schedule, i);
    return analyze::predict_case(schedule, devices[i], options,
                                 calibrated[i] ? &*calibrated[i] : nullptr);
  };
  PredictRequest frame = request;
  frame.grid = {};
  const auto command_of = [&](const CaseGrid& one) {
    PredictRequest single = frame;
    single.grid = one;
    return command_line_of(single);
  };
  const auto predict_one = [&](const schedule::Schedule& schedule,
                               std::size_t i) -> std::optional<Seconds> {
    if (!calibrated[i]) return std::nullopt;
    add_link(schedule, i);
    return analyze::predicted_step(schedule, *calibrated[i]).time;
  };
  PredictResult result;
  result.cases = cases_of(request.grid, devices, analyze_one, command_of, predict_one);
  request.link.check_use(exchanges);
  request.basis.check_use(std::ranges::any_of(result.cases, [](const analyze::CaseResult& each) {
    return each.prediction || !each.covered.time;
  }));
  for (const analyze::CaseResult& each : result.cases) {
    ROOFLAB_ASSERT(!analyze::contradiction_in(each));
  }
  result.findings = findings_for(std::span<const analyze::CaseResult>(result.cases));
  return result;
}

}  // namespace rooflab::task
