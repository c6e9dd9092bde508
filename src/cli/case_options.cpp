#include "case_options.hpp"

#include <algorithm>
#include <filesystem>

#include "console.hpp"
#include "error_context.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/predict/memory_model.hpp"

namespace rooflab::cli {
namespace {

std::vector<std::optional<std::int64_t>> or_default(const std::vector<std::int64_t>& batches) {
  if (batches.empty()) return {std::nullopt};
  return {batches.begin(), batches.end()};
}

}  // namespace

void CaseOptions::add_to(CLI::App& command) {
  command.add_option("models", models_, "built-in models or ONNX files")
      ->required()
      ->type_name("MODEL...");
  devices_.add_to(command);
  network_.add_to(command, "batch sizes, separated by commas: 1,32,256 (1; a file's own)");
}

void CaseOptions::add_with_records_to(CLI::App& command) {
  command.add_option("models", models_, "built-in models, ONNX files, or records and ncu logs")
      ->required()
      ->type_name("MODEL|RECORD...");
  devices_.add_to(command, false);
  network_.add_to(command, "batch sizes, separated by commas: 1,32,256 (1; a file's own)");
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

std::vector<analyze::CaseResult> CaseOptions::run(
    const std::vector<device::Device>& fallback) const {
  if (models_.empty()) return {};
  network_.check(models_);
  const std::vector<device::Device> devices =
      devices_.any_named() || fallback.empty() ? devices_.devices() : fallback;
  if (devices.empty()) {
    throw Error(ErrorKind::usage, "--device is missing", "for example --device h200");
  }
  const predict::PercentOfPeak percent = devices_.percent_of_peak();
  const schedule::LoweringOptions lowering = network_.lowering();
  std::vector<analyze::CaseResult> cases;
  const auto add_cases = [&](const std::string& model, std::optional<std::int64_t> batch) {
    const LoadedModel loaded = network_.load(model, batch);
    const schedule::Schedule schedule = schedule::lower(loaded.graph, lowering);
    const predict::MemoryEstimate memory = predict::estimate_memory(schedule);
    for (const device::Device& device : devices) {
      analyze::CaseResult result = analyze::analyze_case(schedule, memory, device, percent);
      result.model = loaded.name;
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

std::string CaseOptions::command_line(const analyze::CaseResult& result) const {
  std::vector<std::string> words = {"rooflab",
                                    "predict",
                                    result.model,
                                    "--device",
                                    result.device.id,
                                    "--batch",
                                    std::to_string(result.batch)};
  for (const auto& flags : {network_.words(), devices_.words()}) {
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
