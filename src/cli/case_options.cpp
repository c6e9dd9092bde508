#include "case_options.hpp"

#include "console.hpp"
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
      ->required()->type_name("MODEL...");
  devices_.add_to(command);
  network_.add_to(command);
}

std::vector<analyze::CaseResult> CaseOptions::run() const {
  const std::vector<device::Device> devices = devices_.devices();
  const predict::PercentOfPeak percent = devices_.percent_of_peak();
  const schedule::LoweringOptions lowering = network_.lowering();
  std::vector<analyze::CaseResult> cases;
  for (const std::string& model : models_) {
    for (const std::optional<std::int64_t> batch : or_default(network_.batches())) {
      const LoadedModel loaded = network_.load(model, batch);
      const schedule::Schedule schedule = schedule::lower(loaded.graph, lowering);
      const predict::MemoryEstimate memory = predict::estimate_memory(schedule);
      for (const device::Device& device : devices) {
        analyze::CaseResult result = analyze::analyze_case(schedule, memory, device, percent);
        result.model = loaded.name;
        result.notes.insert(result.notes.end(), loaded.notes.begin(), loaded.notes.end());
        std::vector<std::string> words = {"rooflab",  "predict", loaded.name,
                                          "--device", device.id, "--batch",
                                          std::to_string(result.batch)};
        for (const auto& flags : {network_.words(), devices_.words()}) {
          words.insert(words.end(), flags.begin(), flags.end());
        }
        result.command = shell_line(words);
        cases.push_back(std::move(result));
      }
    }
  }
  return cases;
}

}  // namespace rooflab::cli
