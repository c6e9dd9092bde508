#include "rooflab/task/predict.hpp"

#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "scaled_cases.hpp"

namespace rooflab::task {
namespace {

using analyze::PredictionModel;

void check(const PredictRequest& request) {
  const PredictRequest usual;
  request.link.check();
  if (request.basis.time_model == PredictionModel::ppp && !request.grid.ppp) {
    const std::string ppp = flag_of<&CaseGrid::ppp>();
    throw Error(ErrorKind::usage,
                format("{} ppp needs {}", flag_of<&PredictionBasis::time_model>(), ppp),
                format("{} 0.62, or a published setting: {} paleo-mxnet", ppp, ppp));
  }
  if (!request.gpus.empty()) return;
  if (request.scaling == usual.scaling && words_of(request.link).empty()) return;
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
          "S", "--batch is one device's (weak) or that of all (strong)",
          {.example = "strong", .words = {"weak", "strong"}, .predictable = true}),
      part<&PredictRequest::link>(),
  };
  return all;
}

PredictResult run(const PredictRequest& request, Session& /*session*/) {
  check(request);
  const bool scales = !request.gpus.empty();
  if (scales) check_scaled(request);
  const auto asked = request.basis.time_model;
  const bool calibrates = !asked || asked == PredictionModel::calibrated;
  const device::Catalog catalog = request.grid.device_files.catalog();
  const analyze::KnownCalibrations known =
      request.basis.calibrations.read(catalog, scales || calibrates);
  const std::vector<device::Device> devices = devices_of(request.grid, catalog, known);
  std::vector<std::optional<analyze::CalibratedModel>> calibrated;
  for (const device::Device& device : devices) {
    calibrated.push_back(calibrates ? request.basis.model_for(device, known) : std::nullopt);
  }
  if (scales) {
    return {{}, {scaled_cases(request, devices, std::move(calibrated), known), {}}};
  }
  const auto analyze_one = [&](const schedule::Schedule& schedule, std::size_t i) {
    analyze::PredictionOptions options{.model = asked};
    if (request.grid.ppp) options.percent = request.grid.ppp->percent;
    return analyze::predict_case(schedule, devices[i], options,
                                 calibrated[i] ? &*calibrated[i] : nullptr);
  };
  const auto command_of = [&](const CaseGrid& one) {
    PredictRequest single = request;
    single.grid = one;
    return command_line_of(single);
  };
  return {cases_of(request.grid, devices, analyze_one, command_of), {}};
}

}  // namespace rooflab::task
