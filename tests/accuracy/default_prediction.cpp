#include "default_prediction.hpp"

#include <algorithm>
#include <memory>

#include "base/format.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::accuracy {

const device::Catalog& catalog() {
  static const device::Catalog all = device::Catalog::built_in();
  return all;
}

namespace {

graph::Graph network_of(const StepRequest& request) {
  if (request.network.ends_with(".onnx")) {
    return onnx::read_onnx(request.network, {.batch = request.batch}).graph;
  }
  zoo::BuildOptions options;
  options.batch = request.batch;
  options.variant = request.variant;
  options.image_size = request.image_size;
  return zoo::build(request.network, options);
}

}  // namespace

schedule::Schedule step_of(const StepRequest& request) {
  return schedule::lower(network_of(request), {.phase = request.phase,
                                               .precision = request.precision,
                                               .channels_last = request.channels_last});
}

const analyze::CalibratedModel& model_for(const device::Device& device) {
  static const analyze::CalibrationLookup choose = analyze::lookup_in(
      std::make_shared<const analyze::KnownCalibrations>(analyze::KnownCalibrations::built_in()));
  const std::shared_ptr<const analyze::CalibratedModel> model = choose(device);
  if (!model) throw analyze::no_calibration_fits(device, "");
  return *model;  // the lookup keeps it
}

double limit_s(const schedule::Schedule& schedule, const device::Device& device) {
  return predict::limit_of(schedule, device).time.value().value;
}

std::string least_sure_of(const predict::StepTime& step) {
  if (step.host_bound()) {
    return format("the host, {:.2f} ms of issuing", step.host.value * 1e3);
  }
  const auto most = std::ranges::max_element(
      step.kinds, {}, [](const predict::KindShare& kind) { return kind.time_s * kind.deviation; });
  return format("`{}`, {:.0f} % of the time, each +-{:.0f} %", most->kind,
                100.0 * most->time_s / step.device.value, 100.0 * most->deviation);
}

}  // namespace rooflab::accuracy
