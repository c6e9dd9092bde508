#include "rooflab/task/network.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <filesystem>
#include <vector>

#include "base/format.hpp"
#include "describe/field_table.hpp"
#include "describe/parameter_list.hpp"
#include "recorded_network.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/recording/recording.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "system/byte_source.hpp"
#include "system/path_status.hpp"

namespace rooflab::task {
namespace {

LoadedModel built_in_network(const std::string& model, std::optional<std::int64_t> batch,
                             const NetworkSettings& settings) {
  zoo::BuildOptions options;
  options.batch = batch.value_or(1);
  options.variant = settings.variant;
  if (settings.image_size) options.image_size = *settings.image_size;
  return {model, zoo::build(model, options), {}};
}

/// Whether a file is a configuration of transformers, as the Python package takes it.
bool is_configuration(const std::string& file) {
  constexpr std::size_t most_bytes = 10'000'000;
  if (!is_file(file)) return false;
  const std::string text = ByteSource(file, {}).take(most_bytes);
  if (text.size() == most_bytes || !trim(text).starts_with('{')) return false;
  const std::optional<Json> values = Json::parse_if_valid(text);
  return values && values->contains("model_type");
}

onnx::ImportResult read_network(const std::string& file, const onnx::ImportOptions& options) {
  try {
    return onnx::read_onnx(file, options);
  } catch (const Error& error) {
    if (!error.is_of_input() || !is_configuration(file)) throw;
  }
  throw Error(ErrorKind::input, "this is a configuration of transformers, not an ONNX file",
              format("{} predicts a step of it; in Python: rooflab.from_config({})",
                     shell_line({"python", "-m", "rooflab", "predict", file}), Json(file).dump()),
              Location{file, {}, {}, {}});
}

}  // namespace

NamedCount NamedCount::from_word(std::string_view word, const Parameter& parameter) {
  const std::size_t equals = word.find('=');
  const std::string_view name = trim(word.substr(0, equals));
  if (name.empty() || equals == std::string_view::npos) parameter.refuse("NAME=N", word);
  return {std::string(name), ValueText<std::int64_t>::read(word.substr(equals + 1), parameter)};
}

std::string NamedCount::word() const { return format("{}={}", name, count); }

const Parameters& parameters_of(For<NetworkSettings>) {
  static const Parameters all = {
      parameter<&NetworkSettings::batch>(
          "N,...", "batch sizes",
          {.default_text = "1, or the file's own", .example = "32", .predictable = true}),
      parameter<&NetworkSettings::phase>(
          "P,...", "what part of the work",
          {.default_text = format("{}, or the recording's", name_of(usual_phase)),
           .example = "training",
           .predictable = true}),
      parameter<&NetworkSettings::precision>(
          "P,...", "how numbers are stored and multiplied",
          {.default_text = format("{}, or the file's own", name_of(usual_precision)),
           .example = "amp",
           .words = precisions_to_ask_for(),
           .predictable = true}),
      parameter<&NetworkSettings::optimizer>(
          "O", "optimizer; with none the step ends after the backward pass",
          {.default_text = std::string(name_of(usual_optimizer)),
           .example = "adam",
           .predictable = true}),
      parameter<&NetworkSettings::variant>("V", "another build of a built-in model (see models)",
                                           {.predictable = true}),
      parameter<&NetworkSettings::image_size>(
          "PIXELS", "input height and width of a built-in model",
          {.default_text = "the model's", .example = "224", .predictable = true}),
      parameter<&NetworkSettings::dim>("NAME=N,...",
                                       "extents of symbolic dimensions of an ONNX file",
                                       {.example = "sequence=128", .predictable = true}),
      parameter<&NetworkSettings::channels_last>("images and kernels in channels-last order",
                                                 {.predictable = true}),
      parameter<&NetworkSettings::recorded>(
          "FILE,...",
          "recordings of the same step in another batch or context, for sizes between them",
          {.example = "step64.rec.jsonl.gz", .predictable = true}),
      parameter<&NetworkSettings::context>(
          "N,...", "tokens in the cache before a recorded step, or of a prefill",
          {.default_text = "the recording's", .example = "2048", .predictable = true}),
  };
  return all;
}

namespace {

/// Decides by its form, or because a file has this name.
bool names_file(const std::string& model) {
  if (model.find('/') != std::string::npos || model.ends_with(".onnx")) return true;
  return model.size() <= NAME_MAX && is_there(model);
}

}  // namespace

bool is_model_file(const std::string& model) {
  return zoo::find_model(model) == nullptr && names_file(model);
}

bool is_network(const std::string& model) {
  return zoo::find_model(model) != nullptr || names_file(model);
}

bool is_recorded(const std::string& model) {
  return is_model_file(model) && recording::is_recording(model);
}

bool may_be_recorded(const std::string& model) {
  return is_recorded(model) || (zoo::find_model(model) == nullptr && !is_there(model));
}

Parameters of_a_model(const Need& model, Parameters table) {
  for (Parameter& each : table) {
    for (const Parameter* one :
         {&parameter_of<&NetworkSettings::variant>(), &parameter_of<&NetworkSettings::image_size>(),
          &parameter_of<&NetworkSettings::dim>(), &parameter_of<&NetworkSettings::recorded>(),
          &parameter_of<&NetworkSettings::context>()}) {
      if (each.path.back() == one->path.back()) each.needs = {model};
    }
  }
  return table;
}

Parameters of_networks_that_run(const Parameters& table) {
  return table.without<&NetworkSettings::recorded>()
      .without<&NetworkSettings::context>()
      .with<&NetworkSettings::phase>(
          [](Parameter& each) { each.default_text = name_of(usual_phase); })
      .with<&NetworkSettings::precision>([](Parameter& each) {
        each.default_text = format("{}, or the file's own", name_of(usual_precision));
      });
}

Parameters one_workload(Parameters table) {
  for (Parameter& each : table) {
    for (const Parameter* one :
         {&parameter_of<&NetworkSettings::batch>(), &parameter_of<&NetworkSettings::phase>(),
          &parameter_of<&NetworkSettings::precision>(),
          &parameter_of<&NetworkSettings::context>()}) {
      if (each.path.back() != one->path.back()) continue;
      each.single = true;
      if (each.key == "batch") each.help = "batch size";
    }
  }
  return table;
}

LoadedModel load_model(const std::string& model, std::optional<std::int64_t> batch,
                       const NetworkSettings& settings, bool with_values,
                       std::optional<std::int64_t> context) {
  if (!is_model_file(model)) {
    if (!with_values) return built_in_network(model, batch, settings);
    throw Error(ErrorKind::usage, format("--weights file: '{}' is not a file", model),
                "a built-in network has random weights");
  }
  if (!settings.variant.empty() || settings.image_size) {
    throw Error(ErrorKind::usage, format("{} is a file: it has no variants or image sizes", model),
                is_recorded(model) ? "a recording is of the step that it was made of"
                                   : format("{} NAME=N sets a symbolic dimension of an ONNX file",
                                            flag_of<&NetworkSettings::dim>()));
  }
  if (is_recorded(model)) {
    if (with_values) {
      throw Error(ErrorKind::usage, format("{} is a recording: it has no weights", model),
                  "rooflab measure runs models and ONNX files");
    }
    return RecordedNetwork(model, settings).load({batch, context});
  }
  onnx::ImportOptions options;
  options.batch = batch;
  options.with_places = with_values;
  for (const NamedCount& dim : settings.dim) options.dims[dim.name] = dim.count;
  onnx::ImportResult result = with_hint(
      "MODEL is an ONNX file, a recording of rooflab.record(), or a name of rooflab models",
      [&] { return read_network(model, options); });
  if (!result.without_values.empty()) {
    throw Error(
        ErrorKind::input,
        format("{}: the data of {} cannot be had, the first: '{}'", model,
               plural(result.without_values.size(), "value"), result.without_values.front()),
        "--weights random runs the same network with other values");
  }
  LoadedModel loaded{model, std::move(result.graph), std::move(result.notes), model};
  if (std::ranges::find(settings.phase, Phase::training) != settings.phase.end()) {
    add_notes(loaded.notes, result.training_notes);
  }
  loaded.places = std::move(result.places);
  loaded.bytes = std::move(result.bytes);
  loaded.value_notes = std::move(result.value_notes);
  if (batch && loaded.graph.batch() != *batch) {
    if (with_values) {
      throw Error(
          ErrorKind::usage,
          format("{}: the file fixes batch {}, and so its values", model, loaded.graph.batch()),
          "--weights random allows any batch");
    }
    loaded.graph = graph::rebatch(loaded.graph, *batch);
  }
  loaded.graph.name = std::filesystem::path(model).stem().string();
  return loaded;
}

void check_named_once(const std::vector<NamedCount>& counts, const std::string& flag) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (counts[i].name != counts[k].name) continue;
      throw Error(
          ErrorKind::usage, format("{} names '{}' twice", flag, counts[i].name),
          format("{} and {} are two values of one count", counts[k].word(), counts[i].word()));
    }
  }
}

void check_models(const std::vector<std::string>& models, const NetworkSettings& settings) {
  check_named_once(settings.dim, flag_of<&NetworkSettings::dim>());
  const auto for_recordings = [&models](const std::string& flag, const std::string& word,
                                        const char* hint) {
    if (std::ranges::any_of(models, may_be_recorded)) return;
    throw Error(ErrorKind::usage,
                format("{} {}: '{}' is not a recording", flag, word, models.front()), hint);
  };
  if (!settings.recorded.empty()) {
    for_recordings(flag_of<&NetworkSettings::recorded>(), settings.recorded.front(),
                   "it gives a recording other sizes");
  }
  if (!settings.context.empty()) {
    for_recordings(flag_of<&NetworkSettings::context>(), std::to_string(settings.context.front()),
                   "the context is that of a recorded step (rooflab.record of Python)");
  }
  if (settings.dim.empty() || std::ranges::any_of(models, is_model_file)) return;
  throw Error(ErrorKind::usage,
              format("{} {}: '{}' is a built-in network without symbolic dimensions",
                     flag_of<&NetworkSettings::dim>(), settings.dim.front().word(), models.front()),
              format("{} N and {} N change its input", flag_of<&NetworkSettings::batch>(),
                     flag_of<&NetworkSettings::image_size>()));
}

void NetworkSettings::choose(Phase one) {
  phase.clear();
  if (one != usual_phase) phase.push_back(one);
  if (one != Phase::training) optimizer.reset();
}

void NetworkSettings::choose(Precision one) {
  precision.clear();
  if (one != usual_precision) precision.push_back(one);
}

std::vector<schedule::LoweringOptions> lowerings(const NetworkSettings& settings) {
  std::vector<Phase> phases = settings.phase;
  if (phases.empty()) phases = {usual_phase};
  std::vector<Precision> precisions = settings.precision;
  if (precisions.empty()) precisions = {usual_precision};
  std::vector<schedule::LoweringOptions> all;
  for (const Phase phase : phases) {
    for (const Precision precision : precisions) {
      schedule::LoweringOptions options;
      options.channels_last = settings.channels_last;
      options.phase = phase;
      options.precision = precision;
      options.optimizer = settings.optimizer.value_or(usual_optimizer);
      all.push_back(options);
    }
  }
  return all;
}

std::vector<std::optional<std::int64_t>> batches(const NetworkSettings& settings) {
  if (settings.batch.empty()) return {std::nullopt};
  return {settings.batch.begin(), settings.batch.end()};
}

std::vector<std::optional<std::int64_t>> contexts(const NetworkSettings& settings) {
  if (settings.context.empty()) return {std::nullopt};
  return {settings.context.begin(), settings.context.end()};
}

namespace {

graph::Graph swap_relu_maxpool(const graph::Graph& graph, int& places) {
  graph::SwapReluPoolResult result = graph::swap_relu_pool(graph);
  places = result.swapped;
  return std::move(result.graph);
}

constexpr std::array all = {
    Rewrite{"swap-relu-maxpool",
            "a ReLU that feeds nothing but a max pooling runs after it, on fewer elements",
            swap_relu_maxpool}};

std::string_view name(const Rewrite& rewrite) { return rewrite.name; }
std::string_view description(const Rewrite& rewrite) { return rewrite.description; }

}  // namespace

std::span<const Field> fields_of(For<Rewrite>) {
  static constexpr auto fields = field_table(field<&name>("rewrite"), field<&description>());
  return fields;
}

std::span<const Rewrite> rewrites() { return all; }

const Rewrite& find_rewrite(const std::string& name) {
  std::vector<std::string> known;
  for (const Rewrite& rewrite : all) {
    if (rewrite.name == name) return rewrite;
    known.emplace_back(rewrite.name);
  }
  const std::string all_of_them = format("one of {}", join(known, ", "));
  throw Error(ErrorKind::usage, format("unknown rewrite '{}'", name),
              near_hint(name, known, all_of_them, all_of_them));
}

}  // namespace rooflab::task
