// How long a calibrated prediction takes: the index of the calibrations, reading one, a step of
// ResNet-50 in training with models that have still to be made (cold) and that are there, with what
// they estimated for these sizes (warm), and the fit of a kind's model to 200 rows. process_bench
// times the program from start to end.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "device/compiled_calibrations.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/predict/op_model.hpp"
#include "rooflab/predict/time_model.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace {

using namespace rooflab;

schedule::Schedule resnet50() {
  return schedule::lower(zoo::build("resnet50", {.batch = 64}), {.phase = Phase::training});
}

/// The first calibration for its own device, behind its host.
analyze::CalibratedModel model_of(const analyze::KnownCalibrations& known) {
  return known.model_for(known.devices.at(known.all.front().entry().device)).value();
}

/// The built-in calibrations in the form in which the program holds them.
std::string compiled_calibrations() {
  std::vector<device::Calibration> calibrations;
  for (const device::LazyCalibration& each : device::built_in_calibrations()) {
    calibrations.push_back(*each.read());
  }
  return device::compile(calibrations);
}

void index_calibrations(benchmark::State& state) {
  const std::string bytes = compiled_calibrations();
  for (auto _ : state) {
    const device::CompiledCalibrations compiled(bytes);
    benchmark::DoNotOptimize(compiled.entries().size());
  }
}
BENCHMARK(index_calibrations)->Unit(benchmark::kMicrosecond);

void read_calibration(benchmark::State& state) {
  const std::string bytes = compiled_calibrations();
  const device::CompiledCalibrations compiled(bytes);
  if (compiled.entries().empty()) return state.SkipWithError("no built-in calibration");
  for (auto _ : state) benchmark::DoNotOptimize(compiled.read(0));
}
BENCHMARK(read_calibration)->Unit(benchmark::kMicrosecond);

void predict_cold(benchmark::State& state) {
  const auto known = analyze::KnownCalibrations::built_in();
  if (known.all.empty()) return state.SkipWithError("no built-in calibration");
  const schedule::Schedule schedule = resnet50();
  for (auto _ : state) {
    const analyze::CalibratedModel model = model_of(known);
    benchmark::DoNotOptimize(predict::predict_step(schedule, model.times, {.host = model.host}));
  }
}
BENCHMARK(predict_cold)->Name("predict_step/resnet50_training/cold")->Unit(benchmark::kMillisecond);

void predict_warm(benchmark::State& state) {
  const auto known = analyze::KnownCalibrations::built_in();
  if (known.all.empty()) return state.SkipWithError("no built-in calibration");
  const schedule::Schedule schedule = resnet50();
  const analyze::CalibratedModel model = model_of(known);
  for (auto _ : state) {
    benchmark::DoNotOptimize(predict::predict_step(schedule, model.times, {.host = model.host}));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(schedule.ops.size()));
}
BENCHMARK(predict_warm)->Name("predict_step/resnet50_training/warm")->Unit(benchmark::kMillisecond);

/// Rows of a linear layer, sizes spread by multiples of the golden ratio, times on a roofline of
/// 50 TFLOP/s and 4 TB/s with a ripple that the correction has to learn.
device::OpTable linear_rows(std::size_t count) {
  device::OpTable table;
  table.columns = {"rows", "in_features", "out_features"};
  double at = 0.0;
  const auto size = [&at](double least_log2, double most_log2) {
    at = std::fmod(at + 0.6180339887498949, 1.0);
    return std::round(std::exp2(least_log2 + at * (most_log2 - least_log2)));
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> sizes = {size(0, 16), size(4, 13), size(4, 13)};
    const double flops = 2.0 * sizes[0] * sizes[1] * sizes[2];
    const double bytes = 4.0 * (sizes[0] * (sizes[1] + sizes[2]) + sizes[1] * sizes[2]);
    const double ripple = std::exp(0.1 * std::sin(std::log2(sizes[1])));
    table.rows.push_back({sizes, (4e-6 + flops / 50e12 + bytes / 4e12) * ripple, 0.0});
  }
  return table;
}

void fit_table(benchmark::State& state) {
  const device::OpTable measured = linear_rows(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    device::OpTable table = measured;
    predict::fit_table("linear.forward.fp32", table, 132.0);
    benchmark::DoNotOptimize(table);
  }
}
BENCHMARK(fit_table)->Arg(200)->Unit(benchmark::kMillisecond);

}  // namespace
