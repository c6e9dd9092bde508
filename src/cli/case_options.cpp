#include "case_options.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "console.hpp"
#include "error_context.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::cli {
namespace {

std::vector<std::optional<std::int64_t>> or_default(const std::vector<std::int64_t>& batches) {
  if (batches.empty()) return {std::nullopt};
  return {batches.begin(), batches.end()};
}

}  // namespace

void CaseOptions::add_to(Command command) {
  command.add_option("models", models_, "built-in models or ONNX files")
      .required()
      .type_name("MODEL...");
  predicts_ = true;
  devices_.add_to(command, false);
  network_.add_to(command, "batch sizes, separated by commas: 1,32,256 (1; a file's own)");
  calibrations_.add_to(command);
}

void CaseOptions::add_with_records_to(Command command) {
  command.add_option("models", models_, "built-in models, ONNX files, or records and ncu logs")
      .required()
      .type_name("MODEL|RECORD...");
  devices_.add_to(command, false);
  network_.add_to(command, "batch sizes, separated by commas: 1,32,256 (1; a file's own)");
  calibrations_.add_files_to(command);
}

std::vector<std::string> CaseOptions::take_records() {
  std::vector<std::string> records;
  std::vector<std::string> models;
  for (std::string& model : models_) {
    const std::filesystem::path path(model);
    std::error_code status;
    const std::string extension = lowercase(path.extension().string());
    const bool is_record = extension == ".json" || extension == ".csv" || extension == ".gz" ||
                           extension == ".ncu-rep" || std::filesystem::is_directory(path, status);
    (is_record ? records : models).push_back(std::move(model));
  }
  models_ = std::move(models);
  return records;
}

std::vector<device::Device> CaseOptions::devices() const {
  const analyze::KnownCalibrations known = calibrations_.read(catalog(), false);
  return devices_.devices(known.uncatalogued_devices());
}

analyze::KnownCalibrations CaseOptions::calibrations() const {
  return calibrations_.read(catalog(), true);
}

std::vector<device::Device> CaseOptions::chosen_devices(
    const analyze::KnownCalibrations& known, const std::vector<device::Device>& fallback) const {
  if (devices_.any_named()) return devices_.devices(known.uncatalogued_devices());
  if (!fallback.empty()) return fallback;
  std::vector<device::Device> devices;
  for (const std::string& id : known.given) {
    const bool first = std::ranges::find(devices, id, &device::Device::id) == devices.end();
    if (first) devices.push_back(known.devices.at(id));
  }
  if (devices.empty()) {
    throw Error(ErrorKind::usage, "--device is missing", "for example --device h200");
  }
  return devices;
}

std::vector<analyze::CaseResult> CaseOptions::run(
    const std::vector<device::Device>& fallback) const {
  if (models_.empty()) return {};
  network_.check(models_);
  calibrations_.check(devices_.any_percent());
  const auto asked = predicts_ ? calibrations_.model() : analyze::PredictionModel::limit;
  const bool calibrates = !asked || asked == analyze::PredictionModel::calibrated;
  const analyze::KnownCalibrations known = calibrations_.read(catalog(), calibrates);
  const std::vector<device::Device> devices = chosen_devices(known, fallback);
  (void)devices_.percent_of_peak();  // a wrong flag is told before any work
  std::vector<std::optional<analyze::CalibratedModel>> calibrated;
  for (const device::Device& device : devices) {
    calibrated.push_back(calibrates ? calibrations_.model_for(device, known) : std::nullopt);
  }
  const schedule::LoweringOptions lowering = network_.lowering();
  std::vector<analyze::CaseResult> cases;
  const auto add_cases = [&](const std::string& model, std::optional<std::int64_t> batch) {
    const LoadedModel loaded = network_.load(model, batch);
    // One for all devices, or two where `amp` is fp16 on some of them.
    std::map<Precision, schedule::Schedule> schedules;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const schedule::LoweringOptions own = analyze::lowering_on(devices[i], lowering);
      auto schedule = schedules.find(own.precision);
      if (schedule == schedules.end()) {
        schedule = schedules.emplace(own.precision, schedule::lower(loaded.graph, own)).first;
      }
      analyze::CaseResult result =
          analyze(schedule->second, devices[i], calibrated[i] ? &*calibrated[i] : nullptr);
      result.model = loaded.name;
      if (auto note = analyze::autocast_note(devices[i], lowering.precision)) {
        result.notes.push_back(*std::move(note));
      }
      result.notes.insert(result.notes.end(), loaded.notes.begin(), loaded.notes.end());
      result.command = command_line(result);
      cases.push_back(std::move(result));
    }
  };
  for (const std::string& model : models_) {
    for (const std::optional<std::int64_t> batch : or_default(network_.batches())) {
      in_case(model, batch, [&] { add_cases(model, batch); });
    }
  }
  return cases;
}

analyze::CaseResult CaseOptions::analyze(const schedule::Schedule& schedule,
                                         const device::Device& device,
                                         const analyze::CalibratedModel* calibrated) const {
  const predict::PercentOfPeak percent = devices_.percent_of_peak();
  // A chart has one set of points: of the limit, or at the percent of the peaks that was asked for.
  if (!predicts_) {
    return analyze::analyze_case(schedule, analyze::memory_of(schedule, calibrated), device,
                                 percent);
  }
  analyze::PredictionOptions options{.model = calibrations_.model()};
  if (devices_.any_percent()) options.percent = percent;
  return analyze::predict_case(schedule, device, options, calibrated);
}

std::string CaseOptions::command_line(const analyze::CaseResult& result) const {
  std::vector<std::string> words = {"rooflab",
                                    "predict",
                                    result.model,
                                    "--device",
                                    result.device.id,
                                    "--batch",
                                    std::to_string(result.batch)};
  for (const auto& flags : {network_.words(), devices_.words(), calibrations_.words()}) {
    words.insert(words.end(), flags.begin(), flags.end());
  }
  return shell_line(words);
}

bool is_complete(const std::vector<analyze::CaseResult>& cases) {
  return std::ranges::all_of(cases, [](const analyze::CaseResult& result) {
    return result.count.uncounted.empty() && result.limit.time;
  });
}

}  // namespace rooflab::cli
