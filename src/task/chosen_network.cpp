#include <algorithm>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/recording/recording.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::task {
namespace {

constexpr const char* example_input = "16x64x112x112";

std::string layer_flag() { return flag_of<&ChosenNetwork::layer>(); }
std::string input_flag() { return flag_of<&ChosenNetwork::input>(); }

}  // namespace

ChainWord ChainWord::from_word(std::string_view word, const Parameter& /*parameter*/) {
  return {std::string(word), zoo::chain_piece_from_text(std::string(word))};
}

const Parameters& parameters_of(For<ChosenNetwork>) {
  static const Parameters all = {
      parameter<&ChosenNetwork::model>("MODEL", "built-in model or ONNX file",
                                       {.positional = true, .completes = Completion::model}),
      parameter<&ChosenNetwork::layer>(
          "NAME=SPEC",
          "a layer of a chain instead of a model: conv='conv2d(64,64,k=3,p=1)'; repeated",
          {.example = "conv='conv2d(64,64,k=3,p=1)'", .whole_words = true}),
      parameter<&ChosenNetwork::input>("SHAPE", "the chain's input, batch first: 16x64x112x112",
                                       {.example = example_input}),
      parameter<&ChosenNetwork::count>(
          "NAME=N,...", "number of each layer of the chain: conv=61,fc=62",
          {.default_text = "1", .example = "conv=61,fc=62", .least = 0}),
      part<&ChosenNetwork::settings>(of_a_model(
          {key_of<&ChosenNetwork::model>()}, one_workload(parameters_of(For<NetworkSettings>{})))),
  };
  return all;
}

void ChosenNetwork::check() const {
  if (layer.empty()) {
    if (!input.empty() || !count.empty()) {
      throw Error(
          ErrorKind::usage,
          format("{} belongs to {}",
                 input.empty() ? flag_of<&ChosenNetwork::count>() : input_flag(), layer_flag()),
          format("{} N and {} N change a model's input", flag_of<&NetworkSettings::batch>(),
                 flag_of<&NetworkSettings::image_size>()));
    }
    if (model.empty()) {
      throw Error(ErrorKind::usage, "MODEL is missing",
                  format("a model, or a chain: {} conv='conv2d(64,64,k=3,p=1)' {} {}", layer_flag(),
                         input_flag(), example_input));
    }
    return check_models({model}, settings);
  }
  const std::string example = format("for example {} {}", input_flag(), example_input);
  if (!model.empty()) {
    throw Error(ErrorKind::usage,
                format("{} is given instead of a model, '{}' is one too many", layer_flag(), model),
                "one network at a time");
  }
  if (input.empty()) {
    throw Error(ErrorKind::usage, format("{} needs {}", layer_flag(), input_flag()), example);
  }
  if (!settings.batch.empty()) {
    throw Error(ErrorKind::usage,
                format("{}: a chain's batch is the first extent of {}",
                       flag_of<&NetworkSettings::batch>(), input_flag()),
                example);
  }
  check_named_once(count, flag_of<&ChosenNetwork::count>());
  std::vector<std::string> pieces = countable();
  pieces.pop_back();
  for (const NamedCount& each : count) {
    if (std::ranges::find(pieces, each.name) != pieces.end()) continue;
    const std::string all = format("one of {}", join(pieces, ", "));
    throw Error(ErrorKind::usage,
                format("unknown piece in {} '{}'", flag_of<&ChosenNetwork::count>(), each.name),
                near_hint(each.name, pieces, all, all));
  }
}

std::vector<std::string> ChosenNetwork::countable() const {
  std::vector<std::string> names;
  for (const ChainWord& each : layer) names.push_back(each.piece.name);
  names.emplace_back("batch");
  if (layer.empty() && recording::is_recording(model)) names.emplace_back("context");
  return names;
}

LoadedModel ChosenNetwork::load(const std::map<std::string, std::int64_t>& counts) const {
  const auto batch = counts.find("batch");
  if (layer.empty()) {
    std::optional<std::int64_t> wanted = batches(settings).front();
    if (batch != counts.end()) wanted = batch->second;
    std::optional<std::int64_t> context = contexts(settings).front();
    if (const auto asked = counts.find("context"); asked != counts.end()) context = asked->second;
    return in_case(model, wanted,
                   [&] { return load_model(model, wanted, settings, false, context); });
  }
  std::vector<zoo::ChainPiece> pieces;
  for (const ChainWord& each : layer) {
    zoo::ChainPiece piece = each.piece;
    const auto given = std::ranges::find(count, piece.name, &NamedCount::name);
    if (given != count.end()) piece.count = given->count;
    if (const auto asked = counts.find(piece.name); asked != counts.end()) {
      piece.count = asked->second;
    }
    pieces.push_back(std::move(piece));
  }
  graph::Shape shape = zoo::shape_from_text(input);
  if (batch != counts.end()) shape[0] = batch->second;
  graph::Graph chain = zoo::layer_chain(pieces, shape);
  std::string name = chain.name;
  return {std::move(name), std::move(chain), {}};
}

engine::Case ChosenNetwork::case_of(const LoadedModel& loaded) const {
  const schedule::LoweringOptions lowered = lowering();
  engine::Case request;
  request.graph = loaded.runnable();
  record::CaseIdentity& identity = request.identity;
  identity.model = loaded.name;
  identity.worker = engine::torch_worker;
  identity.batch = loaded.graph.batch();
  identity.phase = lowered.phase;
  identity.precision = loaded.precision(lowered);
  if (lowered.phase == Phase::training) identity.optimizer = name_of(lowered.optimizer);
  identity.variant = settings.variant;
  identity.channels_last = lowered.channels_last;
  return request;
}

std::optional<Note> ChosenNetwork::settle_precision(const device::Device& device) {
  const Precision asked = lowering().precision;
  settings.choose(device::precision_on(device, asked));
  return analyze::autocast_note(device, asked);
}

}  // namespace rooflab::task
