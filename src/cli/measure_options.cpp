#include "measure_options.hpp"

#include <algorithm>
#include <filesystem>

#include "console.hpp"
#include "error_context.hpp"
#include "flag_value.hpp"
#include "rewrites.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/text_form.hpp"
#include "rooflab/zoo/single_layer.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "run_device.hpp"

namespace rooflab::cli {
void MeasureOptions::add_to(Command command) {
  command.add_option("models", models_, "built-in models or ONNX files").type_name("MODEL...");
  command.add_option("--device", devices_, "where to run: cpu, cuda, cuda:N, separated by commas")
      .type_name("D,...")
      .required()
      .expected(1)
      .take_all();
  network_.add_to(command, "batch sizes, separated by commas: 1,32,256 (1; a file's own)");
  command.get_option("--precision").description(precisions_help).type_name("P,...");
  command.get_option("--strict")
      .description("exit 1 also for a suspect result or an op that was not counted");
  command.add_option("--rewrite", rewrite_, "change the network first (see models --rewrites)")
      .type_name("R");
  command.add_option("--layer", layer_, "one layer instead of a model: 'conv2d(3,128,k=3,p=1)'")
      .type_name("SPEC");
  command.add_option("--input", input_, "the layer's input, batch first: 256x3x224x224")
      .type_name("SHAPE");
  command.add_option("--data", data_, "dummy (the default), folder:PATH or cifar10:PATH")
      .type_name("D");
  command.add_option("--data-workers", data_workers_, "threads that decode images (2)")
      .type_name("N");
  command.add_option("--weights", weights_, "random (the default), or file: an ONNX file's own")
      .type_name("W");
  command.add_option("--iterations", timing_.iterations, "timed steps, at least (10)")
      .type_name("N");
  command.add_option("--min-time", timing_.min_time, "seconds of timed steps, at least (1)")
      .type_name("S");
  command.add_option("--max-time", timing_.max_time, "seconds of timed steps, at most (60)")
      .type_name("S");
  command.add_option("--timeout", timeout_, "end a case after so many seconds (never)")
      .type_name("S");
  command.add_flag("--per-layer", per_layer_, "a table of layer times for every case besides");
  command.add_flag("--no-layers", no_layers_, "leave the per-layer runs out");
  command.add_flag("--counters", counters_,
                   "count FLOPs and bytes of every layer in the hardware (NVIDIA)");
  command.add_option("--threads", timing_.threads, "CPU threads of the framework (its default)")
      .type_name("N");
  command.add_option("--seed", timing_.seed, "of weights, data and dropout (0)").type_name("N");
  command.add_flag("--cudnn-benchmark", timing_.cudnn_benchmark,
                   "let cuDNN try its algorithms out");
  command.add_option("--limit-device", limit_device_, "take the limit from this one (see devices)")
      .type_name("D");
  device_files_.add_folder_to(command);
}

std::vector<std::string> MeasureOptions::devices() const {
  std::vector<std::string> chosen;
  for (const std::string& names : devices_) {
    for (const std::string& name : split(names, ',')) {
      const std::string device = run_device(
          name,
          "measure runs on what is here (rooflab devices --detect); predict takes the names of"
          " rooflab devices, and --limit-device takes one here");
      if (std::ranges::find(chosen, device) == chosen.end()) chosen.push_back(device);
    }
  }
  return chosen;
}

engine::MeasureSettings MeasureOptions::settings() const {
  engine::MeasureSettings settings;
  timing_.apply(settings);
  if (per_layer_ && no_layers_) {
    throw Error(ErrorKind::usage, "--per-layer and --no-layers exclude each other",
                "without either, layers are timed and shown by class");
  }
  settings.per_layer = !no_layers_;
  settings.counters = counters_;
  if (!data_workers_.empty()) {
    settings.data_workers = positive_int(data_workers_, "--data-workers", "--data-workers 8");
  }
  return settings;
}

std::string MeasureOptions::data() const {
  if (data_ == "dummy") return data_;
  const std::size_t colon = data_.find(':');
  const std::string kind = data_.substr(0, colon);
  if (colon == std::string::npos || (kind != "folder" && kind != "cifar10")) {
    throw Error(ErrorKind::usage,
                format("--data takes dummy, folder:PATH or cifar10:PATH, not '{}'", data_),
                "folder: a folder for each class; cifar10: the binary version's folder");
  }
  const std::string path = data_.substr(colon + 1);
  std::error_code status;
  if (!std::filesystem::is_directory(path, status)) {
    throw Error(ErrorKind::input, format("--data: there is no folder '{}'", path),
                kind == "folder" ? "it holds a folder for each class, with its images"
                                 : "it holds data_batch_1.bin to data_batch_5.bin");
  }
  return data_;
}

std::optional<device::Device> MeasureOptions::limit_device() const {
  if (limit_device_.empty()) return std::nullopt;
  return catalog().find(limit_device_);
}

double MeasureOptions::timeout_s() const {
  return timeout_.empty() ? 0.0 : positive_number(timeout_, "--timeout", "--timeout 600");
}

std::vector<PlannedCase> MeasureOptions::plan(const engine::Capabilities& here) const {
  (void)data();
  (void)settings();
  (void)devices();
  if (weights_ != "random" && weights_ != "file") {
    throw_unknown("--weights value", weights_, {"random", "file"});
  }
  std::vector<PlannedCase> cases;
  if (!layer_.empty()) {
    if (!models_.empty()) {
      throw Error(
          ErrorKind::usage,
          format("--layer stands instead of a model, '{}' is one too many", models_.front()),
          "measure them apart");
    }
    if (input_.empty()) {
      throw Error(ErrorKind::usage, "--layer needs --input",
                  "for example --layer 'conv2d(3,128,k=3,p=1)' --input 256x3x224x224");
    }
    if (!network_.batches().empty()) {
      throw Error(ErrorKind::usage, "--batch: a layer's batch is the first extent of --input",
                  "for example --input 256x3x224x224");
    }
    add_network(cases, {layer_, zoo::single_layer(layer_, zoo::shape_from_text(input_)), {}},
                std::nullopt, here);
    return cases;
  }
  if (!input_.empty()) {
    throw Error(ErrorKind::usage, "--input belongs to --layer",
                "--batch N and --image-size N change a model's input");
  }
  if (models_.empty()) {
    throw Error(ErrorKind::usage, "MODEL... is missing", "rooflab measure -h");
  }
  network_.check(models_);
  std::vector<std::optional<std::int64_t>> batches = {std::nullopt};
  if (const std::vector<std::int64_t> given = network_.batches(); !given.empty()) {
    batches.assign(given.begin(), given.end());
  }
  for (const std::string& model : models_) {
    for (const std::optional<std::int64_t> batch : batches) {
      in_case(model, batch, [&] {
        add_network(cases, network_.load(model, batch, weights_ == "file"), batch, here);
      });
    }
  }
  return cases;
}

void MeasureOptions::add_network(std::vector<PlannedCase>& cases, const LoadedModel& loaded,
                                 std::optional<std::int64_t> batch,
                                 const engine::Capabilities& here) const {
  PlannedCase planned;
  planned.notes = loaded.notes;
  planned.request.graph = loaded.graph;
  planned.request.settings = settings();
  if (weights_ == "file") {
    planned.request.weights = engine::WeightSource::file;
    for (const auto& [name, place] : loaded.places) {
      planned.request.values[name] = {place.file, place.offset};
    }
    planned.request.bytes = loaded.bytes;
    planned.notes.insert(planned.notes.end(), loaded.value_notes.begin(), loaded.value_notes.end());
  }
  if (!rewrite_.empty()) {
    int places = 0;
    planned.request.graph = find_rewrite(rewrite_).apply(loaded.graph, places);
    planned.notes.push_back(
        format("{} changed {} place{}", rewrite_, places, places == 1 ? "" : "s"));
  }
  record::CaseIdentity& identity = planned.request.identity;
  identity.model = loaded.name;
  identity.batch = planned.request.graph.batch();
  identity.variant = network_.variant();
  identity.rewrite = rewrite_;
  identity.data = data();
  identity.graph = graph::to_text(planned.request.graph);
  for (const schedule::LoweringOptions& lowering : network_.lowerings()) {
    if (lowering.phase == Phase::training && planned.request.graph.parameter_elements() == 0) {
      throw Error(ErrorKind::usage,
                  format("{} has no parameters: there is nothing to train", loaded.name),
                  "--phase forward or inference");
    }
    identity.phase = lowering.phase;
    identity.channels_last = lowering.channels_last;
    identity.optimizer = lowering.phase == Phase::training ? name_of(lowering.optimizer) : "";
    for (const std::string& device : devices()) {
      identity.device = device;
      identity.precision = precision_here(here, device, lowering.precision);
      identity.command = command_line(identity, batch);
      const bool known = std::ranges::any_of(cases, [&identity](const PlannedCase& other) {
        return other.request.identity == identity;
      });
      if (!known) cases.push_back(planned);
    }
  }
}

std::string MeasureOptions::command_line(const record::CaseIdentity& identity,
                                         std::optional<std::int64_t> batch) const {
  std::vector<std::string> words = {"rooflab", "measure"};
  const auto add = [&words](const std::string& flag, const std::string& value) {
    if (value.empty()) return;
    words.push_back(flag);
    words.push_back(value);
  };
  if (layer_.empty()) {
    words.push_back(identity.model);
    // A file keeps its own batch unless one was asked for.
    const bool built_in = zoo::find(identity.model) != nullptr;
    if (batch || built_in) add("--batch", std::to_string(identity.batch));
  }
  add("--layer", layer_);
  add("--input", input_);
  add("--device", identity.device);
  const std::vector<std::string> network = network_.words(identity.precision);
  words.insert(words.end(), network.begin(), network.end());
  add("--rewrite", rewrite_);
  if (data_ != "dummy") add("--data", data_);
  add("--data-workers", data_workers_);
  if (weights_ != "random") add("--weights", weights_);
  add("--iterations", timing_.iterations);
  add("--min-time", timing_.min_time);
  add("--max-time", timing_.max_time);
  add("--timeout", timeout_);
  add("--threads", timing_.threads);
  add("--seed", timing_.seed);
  if (no_layers_) words.emplace_back("--no-layers");
  if (counters_) words.emplace_back("--counters");
  if (timing_.cudnn_benchmark) words.emplace_back("--cudnn-benchmark");
  return shell_line(words);
}

}  // namespace rooflab::cli
