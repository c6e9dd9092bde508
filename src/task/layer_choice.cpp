#include "rooflab/task/layer_choice.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "notes/task_notes.hpp"
#include "recorded_network.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::task {
namespace {

constexpr const char* example_layer = "'conv2d(3,128,k=3,p=1)'";
constexpr const char* example_extents = "256x3x224x224";

}  // namespace

const Parameters& parameters_of(For<LayerChoice>) {
  static const Parameters all = {
      parameter<&LayerChoice::rewrite>("R", "change the network first (see models --rewrites)",
                                       {.completes = Completion::rewrite, .predictable = true}),
      parameter<&LayerChoice::layer>(
          "SPEC", "one layer instead of a model; repeated for several",
          {.example = example_layer, .whole_words = true, .predictable = true}),
      parameter<&LayerChoice::input>(
          "SHAPE,...",
          format("the layer's input, batch first: {}; one for all layers, or one each",
                 example_extents),
          {.example = example_extents, .predictable = true}),
  };
  return all;
}

void LayerChoice::check(const std::vector<std::string>& models,
                        const NetworkSettings& settings) const {
  const std::string layer_flag = flag_of<&LayerChoice::layer>();
  const std::string input_flag = flag_of<&LayerChoice::input>();
  const std::string batch_flag = flag_of<&NetworkSettings::batch>();
  if (!rewrite.empty()) (void)find_rewrite(rewrite);
  if (layer.empty()) {
    if (!input.empty()) {
      throw Error(ErrorKind::usage, format("{} belongs to {}", input_flag, layer_flag),
                  format("{} N and {} N change a model's input", batch_flag,
                         flag_of<&NetworkSettings::image_size>()));
    }
    if (models.empty()) {
      throw Error(ErrorKind::usage, "MODEL is missing",
                  format("a model of rooflab models, or {} {} {} {}", layer_flag, example_layer,
                         input_flag, example_extents));
    }
    return check_models(models, settings);
  }
  const std::string example = format("for example {} {}", input_flag, example_extents);
  if (!models.empty()) {
    throw Error(
        ErrorKind::usage,
        format("{} is given instead of a model, '{}' is one too many", layer_flag, models.front()),
        "layers and models are separate commands");
  }
  if (input.empty()) {
    throw Error(
        ErrorKind::usage, format("{} needs {}", layer_flag, input_flag),
        format("for example {} {} {} {}", layer_flag, example_layer, input_flag, example_extents));
  }
  if (input.size() != 1 && input.size() != layer.size()) {
    throw Error(ErrorKind::usage,
                format("{} has {}, {} has {}", input_flag, plural(input.size(), "shape"),
                       layer_flag, plural(layer.size(), "layer")),
                "one shape for all layers, or one for each");
  }
  if (!settings.batch.empty()) {
    throw Error(ErrorKind::usage,
                format("{}: a layer's batch is the first extent of {}", batch_flag, input_flag),
                example);
  }
}

LoadedModel ListedNetwork::load(const NetworkSettings& settings, bool with_values,
                                std::optional<std::int64_t> other_batch) const {
  LoadedModel loaded;
  if (input) {
    graph::Shape shape = zoo::shape_from_text(*input);
    if (other_batch) shape[0] = *other_batch;
    loaded.name = name;
    loaded.graph = zoo::single_layer(name, shape);
  } else {
    loaded = load_model(name, other_batch ? other_batch : batch, settings, with_values, context);
  }
  if (rewrite.empty()) return loaded;
  int places = 0;
  loaded.graph = find_rewrite(rewrite).apply(loaded.runnable(), places);
  loaded.notes.push_back({says.rewritten, {rewrite, places}});
  return loaded;
}

ListedNetwork ListedNetwork::as_it_is() const {
  ListedNetwork same = *this;
  same.rewrite.clear();
  return same;
}

void ListedNetwork::choose(std::vector<std::string>& models, LayerChoice& layers,
                           NetworkSettings& settings) const {
  models.clear();
  layers.layer.clear();
  layers.input.clear();
  if (input) {
    layers.layer = {name};
    layers.input = {*input};
  } else {
    models = {name};
  }
  layers.rewrite = rewrite;
  if (batch) settings.batch = {*batch};
  if (context) settings.context = {*context};
}

std::vector<ListedNetwork> listed_networks(const std::vector<std::string>& models,
                                           const LayerChoice& layers,
                                           const NetworkSettings& settings) {
  using Contexts = std::vector<std::optional<std::int64_t>>;
  const auto contexts_of = [&settings](const std::string& model) {
    return settings.context.empty() || is_recorded(model) ? contexts(settings)
                                                          : Contexts{std::nullopt};
  };
  std::vector<ListedNetwork> all;
  for (const std::string& model : models) {
    for (const std::optional<std::int64_t> batch : batches(settings)) {
      for (const std::optional<std::int64_t> context : contexts_of(model)) {
        all.push_back({model, batch, std::nullopt, layers.rewrite, context});
      }
    }
  }
  for (std::size_t i = 0; i < layers.layer.size(); ++i) {
    const std::string& input = layers.input.size() == 1 ? layers.input[0] : layers.input.at(i);
    ListedNetwork one{layers.layer[i], std::nullopt, input, layers.rewrite};
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
  }
  return all;
}

void check_trainable(const LoadedModel& loaded, Phase phase) {
  if (phase != Phase::training || loaded.graph.parameter_elements() != 0) return;
  throw Error(ErrorKind::usage,
              format("{} has no parameters: there is nothing to train", loaded.name),
              format("{} forward or inference", flag_of<&NetworkSettings::phase>()));
}

void check_counted(const schedule::Schedule& schedule, const std::string& name) {
  if (cost::coverage_of(schedule).time) return;
  throw Error(ErrorKind::input,
              format("ops of {} are not counted: its time and memory on several devices are not"
                     " known",
                     name),
              "rooflab predict, on one device, names the ops");
}

}  // namespace rooflab::task
