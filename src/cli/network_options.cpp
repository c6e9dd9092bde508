#include "network_options.hpp"

#include <algorithm>

#include "error_context.hpp"
#include "flag_value.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/zoo/single_layer.hpp"

namespace rooflab::cli {
namespace {

/// `conv=61,fc=62`.
std::map<std::string, std::int64_t> counts_of(const std::string& text) {
  std::map<std::string, std::int64_t> counts;
  if (text.empty()) return counts;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::optional<std::int64_t> count =
        equals == std::string::npos
            ? std::nullopt
            : parse_integer(trim(std::string_view(part).substr(equals + 1)));
    if (!count || *count < 0) {
      throw Error(ErrorKind::usage, format("--count takes NAME=N, not '{}'", part),
                  "for example --count conv=61,fc=62");
    }
    counts[std::string(trim(std::string_view(part).substr(0, equals)))] = *count;
  }
  return counts;
}

std::vector<zoo::ChainPiece> pieces_of(const std::vector<std::string>& layers) {
  std::vector<zoo::ChainPiece> pieces;
  for (const std::string& layer : layers) pieces.push_back(zoo::chain_piece_from_text(layer));
  return pieces;
}

}  // namespace

void NetworkOptions::add_to(Command command) {
  command.add_option("network", model_, "built-in model or ONNX file").type_name("MODEL");
  command
      .add_option("--layer", layers_,
                  "instead of a model a chain: conv='conv2d(64,64,k=3,p=1)'; may be repeated")
      .type_name("NAME=SPEC")
      .expected(1)
      .take_all();
  command.add_option("--input", input_, "the chain's input, batch first: 16x64x112x112")
      .type_name("SHAPE");
  command.add_option("--count", count_, "how often each layer of the chain: conv=61,fc=62 (1)")
      .type_name("NAME=N,...");
  network_.add_to(command, "batch size (1; a file's own)");
  command.remove_option("--strict");  // no ops are counted here
}

void NetworkOptions::check() const {
  (void)network_.lowering();
  if (network_.batches().size() > 1) {
    throw Error(ErrorKind::usage, "--batch takes one here", "for example --batch 64");
  }
  if (layers_.empty()) {
    if (!input_.empty() || !count_.empty()) {
      throw Error(ErrorKind::usage,
                  format("{} belongs to --layer", input_.empty() ? "--count" : "--input"),
                  "--batch N and --image-size N change a model's input");
    }
    if (model_.empty()) {
      throw Error(
          ErrorKind::usage, "MODEL is missing",
          "a model, or a chain: --layer conv='conv2d(64,64,k=3,p=1)' --input 16x64x112x112");
    }
    network_.check({model_});
    return;
  }
  if (!model_.empty()) {
    throw Error(ErrorKind::usage,
                format("--layer stands instead of a model, '{}' is one too many", model_),
                "one network at a time");
  }
  if (input_.empty()) {
    throw Error(ErrorKind::usage, "--layer needs --input", "for example --input 16x64x112x112");
  }
  if (batch_given()) {
    throw Error(ErrorKind::usage, "--batch: a chain's batch is the first extent of --input",
                "for example --input 16x64x112x112");
  }
  const std::vector<std::string> known = countable();
  for (const auto& [name, count] : counts_of(count_)) {
    if (std::ranges::find(known, name) == known.end() || name == "batch") {
      throw_unknown("piece in --count", name, {known.begin(), known.end() - 1});
    }
  }
}

std::vector<std::string> NetworkOptions::countable() const {
  std::vector<std::string> names;
  for (const zoo::ChainPiece& piece : pieces_of(layers_)) names.push_back(piece.name);
  names.emplace_back("batch");
  return names;
}

LoadedModel NetworkOptions::load(const std::map<std::string, std::int64_t>& counts) const {
  const auto batch = counts.find("batch");
  if (layers_.empty()) {
    std::optional<std::int64_t> wanted;
    if (batch_given()) wanted = network_.batches().front();
    if (batch != counts.end()) wanted = batch->second;
    return in_case(model_, wanted, [&] { return network_.load(model_, wanted); });
  }
  std::vector<zoo::ChainPiece> pieces = pieces_of(layers_);
  const std::map<std::string, std::int64_t> given = counts_of(count_);
  for (zoo::ChainPiece& piece : pieces) {
    if (const auto count = given.find(piece.name); count != given.end()) {
      piece.count = count->second;
    }
    if (const auto count = counts.find(piece.name); count != counts.end()) {
      piece.count = count->second;
    }
  }
  graph::Shape input = zoo::shape_from_text(input_);
  if (batch != counts.end()) input[0] = batch->second;
  graph::Graph chain = zoo::layer_chain(pieces, input);
  std::string name = chain.name;
  return {std::move(name), std::move(chain), {}};
}

engine::Case NetworkOptions::case_of(const LoadedModel& loaded) const {
  const schedule::LoweringOptions lowered = lowering();
  engine::Case request;
  request.graph = loaded.graph;
  record::CaseIdentity& identity = request.identity;
  identity.model = loaded.name;
  identity.batch = loaded.graph.batch();
  identity.phase = lowered.phase;
  identity.precision = lowered.precision;
  if (lowered.phase == Phase::training) identity.optimizer = name_of(lowered.optimizer);
  identity.variant = network_.variant();
  identity.channels_last = lowered.channels_last;
  return request;
}

}  // namespace rooflab::cli
