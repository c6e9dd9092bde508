#include "rooflab/task/predict.hpp"

#include <algorithm>

#include "analyze/result_check.hpp"
#include "base/assert.hpp"
#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "finding_commands.hpp"
#include "notes/task_notes.hpp"
#include "predict/paleo.hpp"
#include "recorded_network.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "scaled_cases.hpp"
#include "setting_use.hpp"

namespace rooflab::task {
namespace {

using analyze::PredictionModel;

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
  const analyze::Predictor predictor(catalog, request.basis.calibrations.read_known(catalog, true));
  const analyze::KnownCalibrations& known = predictor.calibrations();
  const std::vector<device::Device> devices = devices_of(request.grid, catalog, known, session);
  // Memory rests on calibrations whichever time is asked for.
  std::vector<std::optional<analyze::CalibratedModel>> calibrated;
  for (const device::Device& device : devices) {
    const bool needed = calibrates || !scales;
    calibrated.push_back(needed ? request.basis.model_for(device, predictor) : std::nullopt);
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
