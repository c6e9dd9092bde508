#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "record/trace_source.hpp"
#include "recorded_network.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/record/kernel_table.hpp"
#include "rooflab/task/report.hpp"
#include "rooflab/task/results.hpp"

namespace rooflab::task {
namespace {

using analyze::MeasuredCase;

/// A file of results or a folder; not a network, nor a recording of one step.
bool is_record(const std::string& name) {
  constexpr std::string_view extensions[] = {".json", ".jsonl", ".csv",    ".out",     ".txt",
                                             ".log",  ".gz",    ".sqlite", ".ncu-rep", ".nsys-rep"};
  const std::filesystem::path path(name);
  std::error_code status;
  if (is_recorded(name)) return false;
  return std::ranges::find(extensions, lowercase(path.extension().string())) !=
             std::end(extensions) ||
         std::filesystem::is_directory(path, status);
}

[[noreturn]] void throw_no_roofs(const std::string& what, const record::Record& record,
                                 const device::Device& device) {
  const std::string& name = record.environment.device.name;
  throw Error(ErrorKind::input,
              !device.id.empty() ? format("{}: no limit on {}", what, device.name)
              : name.empty()     ? format("{}: the file does not say which device ran", what)
                                 : format("{}: no device file describes '{}'", what, name),
              format("{} D draws it below the roofs of D (rooflab devices); {} adds files",
                     flag_of<&CaseGrid::device>(), flag_of<&DeviceFiles::devices_dir>()));
}

/// Whether a record has points; remarks why where it has none. Throws Error (input) where only the
/// device's roofs are missing.
bool has_place(const MeasuredCase& each, std::vector<std::string>& remarks) {
  if (!each.steps || !each.model) {
    remarks.push_back(format("{}: left out: {}", each.source,
                             each.model ? format("no times, it is {}", name_of(each.record.status))
                                        : "it is not of a network"));
    return false;
  }
  if (!each.model->limit.time) throw_no_roofs(each.source, each.record, each.model->device);
  return true;
}

/// Throws Error (input) where kernels have neither counters nor modelled ops, or no roofs.
void check_kernels(const analyze::ImportedCase& each) {
  const bool counted =
      each.record.kernels && each.totals.at(record::KernelFigure::collected_flops) > 0.0;
  if (counted || each.modelled) {
    if (!each.device) throw_no_roofs(each.source, each.record, device::Device{});
    return;
  }
  const auto& trace = each.record.trace;
  const bool profiled = each.record.counting || (trace && record::facts_of(*trace).ours);
  throw Error(ErrorKind::input, "the file has no FLOP counters of kernels to draw",
              profiled ? "rooflab profile --mode kernels collects them"
                       : "rooflab import --ncu-command DEVICE prints how to collect them",
              {each.source, {}, {}, {}});
}

/// The first of the devices. Throws Error (usage) where there is another one, too.
const device::Device& only_device(const std::vector<device::Device>& devices) {
  if (devices.empty()) {
    throw Error(ErrorKind::input, "none of the files has anything for a roofline",
                "records of measure with times of a network, JSON of predict, counters of ncu");
  }
  for (const device::Device& device : devices) {
    if (device.id == devices.front().id) continue;
    throw Error(ErrorKind::usage, "a roofline is of one device",
                format("rooflab report draws one for each device; {} D sets all against one",
                       flag_of<&CaseGrid::device>()));
  }
  return devices.front();
}

std::vector<std::string> remarks_on(const std::vector<analyze::CaseResult>& cases,
                                    const std::vector<const MeasuredCase*>& measured,
                                    const std::vector<analyze::ImportedCase>& imported) {
  std::vector<std::string> remarks;
  for (const analyze::CaseResult& each : cases) {
    for (const std::string& note : texts_of(each.notes)) {
      remarks.push_back(format("{}: {}", each.model, note));
    }
  }
  for (const MeasuredCase* each : measured) {
    for (const std::string& warning : texts_of(each->warnings)) {
      remarks.push_back(format("{}: suspect: {}", each->record.identity.model, warning));
    }
  }
  for (const analyze::ImportedCase& each : imported) {
    for (const std::string& warning : texts_of(each.record.warnings)) {
      remarks.push_back(format("{}: {}", each.source, warning));
    }
  }
  return remarks;
}

std::shared_ptr<const device::Calibration> measured_roofs(
    std::shared_ptr<const analyze::KnownCalibrations> known, const device::Device& device) {
  const device::Calibration* const own = known->of(device);
  if (own != nullptr) return {std::move(known), own};
  throw Error(ErrorKind::usage, format("no calibration of {}", device.name),
              format("rooflab probe --save FILE on that device measures its roofs: {} FILE",
                     flag_of<&CalibrationFiles::calibration>()));
}

/// Throws Error (usage) for a setting of networks where only records are drawn.
void check_without_networks(const CaseGrid& grid) {
  std::vector<std::string> words = words_of(grid.network);
  if (!grid.layers.rewrite.empty()) words.push_back(flag_of<&LayerChoice::rewrite>());
  if (grid.ppp) words.push_back(flag_of<&CaseGrid::ppp>());
  if (words.empty()) return;
  throw Error(ErrorKind::usage,
              format("{} is for networks, and only records are given", words.front()),
              "a record is of the case that ran");
}

/// What the expected times rest on, as `predict` has them; of percents of the peaks nothing.
std::vector<std::optional<analyze::CalibratedModel>> models_of(
    const RooflineRequest& request, const device::Catalog& catalog,
    const std::vector<device::Device>& devices) {
  std::vector<std::optional<analyze::CalibratedModel>> models(devices.size());
  if (request.grid.ppp) return models;
  const PredictionBasis basis{
      .time_model = {}, .issued_by = {}, .calibrations = request.calibrations};
  const analyze::Predictor predictor(catalog, request.calibrations.read_known(catalog, true));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    models[i] = basis.model_for(devices[i], predictor);
  }
  return models;
}

/// The networks: the limit, or at the percent of the peaks asked for, and what is expected.
std::vector<analyze::CaseResult> network_cases(const RooflineRequest& request, const CaseGrid& grid,
                                               const device::Catalog& catalog,
                                               const std::vector<device::Device>& drawn) {
  const std::vector<std::optional<analyze::CalibratedModel>> expected =
      models_of(request, catalog, drawn);
  return cases_of(
      grid, drawn,
      [&](const schedule::Schedule& schedule, std::size_t i) {
        analyze::CaseResult one = analyze::analyze_case(
            schedule, analyze::memory_of(schedule, drawn[i], nullptr), drawn[i], grid.percent());
        if (expected[i] && one.limit.time) analyze::add_prediction(one, schedule, *expected[i]);
        return one;
      },
      [&](const CaseGrid& one) {
        return command_line_of(RooflineRequest{one, request.calibrations, request.per, {}});
      });
}

}  // namespace

const Parameters& parameters_of(For<RooflineRequest>) {
  static const Parameters all = {
      part<&RooflineRequest::grid>(
          parameters_of(For<CaseGrid>{})
              .with<&CaseGrid::models>([](Parameter& each) {
                each.value = "MODEL|RECORD...";
                each.help = "built-in models, ONNX files, or records and ncu logs";
              })
              .with<&CaseGrid::device>([](Parameter& each) {
                each.value = "D";
                each.help = "one device of `rooflab devices`, or cpu, cuda:N, gpu, here";
              })),
      part<&RooflineRequest::calibrations>(),
      parameter<&RooflineRequest::per>(
          "W", "what a point is; else a class of ops, or a model that has several cases"),
      parameter<&RooflineRequest::measured>("draw the device's measured roofs too, dashed"),
  };
  return all;
}

namespace {

/// Kernels of a file: modelled ones, and those that were counted.
void add_import(analyze::Roofline& roofline, const analyze::ImportedCase& imported,
                const std::optional<analyze::PointPer>& per) {
  if (per) roofline.per = *per;
  if (imported.modelled) {
    analyze::add_kernels(roofline, analyze::modelled_series(*imported.modelled, imported.title));
    const auto flops = imported.totals.at(record::KernelFigure::collected_flops);
    if (flops.value_or(0.0) <= 0.0) return;
  }
  analyze::add_kernels(roofline,
                       analyze::kernel_series(imported.kernels, imported.totals, imported.title,
                                              per.value_or(analyze::PointPer::layer)));
}

}  // namespace

RooflineResult run(const RooflineRequest& request, Session& session) {
  CaseGrid grid = without_repeats(request.grid);
  std::vector<std::string> records;
  std::erase_if(grid.models, [&](const std::string& name) {
    if (is_record(name)) records.push_back(name);
    return is_record(name);
  });
  const bool has_networks = !grid.models.empty() || !grid.layers.layer.empty() || records.empty();
  if (!has_networks) check_without_networks(grid);
  const device::Catalog catalog = grid.device_files.catalog();
  const analyze::KnownCalibrations given = request.calibrations.read_known(catalog, false);
  std::vector<device::Device> devices;

  // The files, below the roofs of their device or of the one named.
  RooflineResult result;
  analyze::ResultSet recorded;
  if (!records.empty()) {
    std::optional<device::Device> named;
    if (!grid.device.empty()) named = devices_of(grid, catalog, given, session).front();
    recorded = read_result_set(records, catalog, named, {}, session);
  }
  std::vector<const MeasuredCase*> reached;
  for (const MeasuredCase& each : recorded.measured) {
    if (!has_place(each, result.remarks)) continue;
    reached.push_back(&each);
    devices.push_back(each.model->device);
  }
  for (const analyze::CaseResult& each : recorded.predictions) devices.push_back(each.device);
  for (const analyze::ImportedCase& each : recorded.imported) {
    check_kernels(each);
    devices.push_back(*each.device);
  }

  if (has_networks) {
    result.cases =
        network_cases(request, grid, catalog, devices_of(grid, catalog, given, session, devices));
    for (const analyze::CaseResult& each : result.cases) devices.push_back(each.device);
  }
  result.cases.insert(result.cases.begin(), recorded.predictions.begin(),
                      recorded.predictions.end());
  std::vector<const analyze::CaseResult*> limits;
  for (const analyze::CaseResult& each : result.cases) limits.push_back(&each);
  const device::Device& device = only_device(devices);
  result.roofline = analyze::roofline_of(device, limits, reached, request.per);
  for (const analyze::ImportedCase& each : recorded.imported) {
    add_import(result.roofline, each, request.per);
  }
  if (result.roofline.has_l2_points()) {
    const analyze::KnownCalibrations known = request.calibrations.read_known(catalog, true);
    if (const device::Calibration* const own = known.of(device)) {
      const device::MeasuredFigure* const l2 = own->find("l2.read");
      if (l2 != nullptr) result.roofline.l2_bytes_per_s = l2->value;
    }
  }
  if (request.measured) {
    result.measured = measured_roofs(std::make_shared<const analyze::KnownCalibrations>(
                                         request.calibrations.read_known(catalog, true)),
                                     device);
  }
  for (std::string& remark : remarks_on(result.cases, reached, recorded.imported)) {
    result.remarks.push_back(std::move(remark));
  }
  return result;
}

}  // namespace rooflab::task
