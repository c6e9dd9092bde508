#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/base/parameter.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::task {

/// `NAME=N`.
struct NamedCount {
  std::string name;
  std::int64_t count = 0;

  [[nodiscard]] static NamedCount from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const;
};

/// Throws Error (usage) for a name that is there twice.
void check_named_once(const std::vector<NamedCount>& counts, const std::string& flag);

/// In which sizes, phases and precisions networks run, and how built-in ones are built.
struct NetworkSettings {
  std::vector<std::int64_t> batch;  ///< empty: the network's own
  // Empty: the recording's own; a network's inference and fp32.
  std::vector<Phase> phase = {};
  std::vector<Precision> precision = {};
  std::optional<schedule::Optimizer> optimizer = {};  ///< training's; empty: sgd-momentum
  std::string variant = {};
  std::optional<std::int64_t> image_size = {};
  std::vector<NamedCount> dim = {};
  bool channels_last = false;
  std::vector<std::string> recorded = {};  ///< recordings of the same step in other sizes
  std::vector<std::int64_t> context = {};  ///< empty: that of the recording

  /// One phase, or precision. The usual one is left out, as a command need not say it, and so is
  /// the optimizer of a phase that does not train.
  void choose(Phase one);
  void choose(Precision one);
};
const Parameters& parameters_of(For<NetworkSettings>);
/// The same for a command that takes one batch size, phase and precision.
[[nodiscard]] Parameters one_workload(Parameters table);
/// The same for a command that runs the network, and so takes no recordings.
[[nodiscard]] Parameters of_networks_that_run(const Parameters& table);
/// The same where a layer can stand instead of `model`: what is of models alone needs one.
[[nodiscard]] Parameters of_a_model(const Need& model, Parameters table);

/// A network with what its importer has to say.
struct LoadedModel {
  std::string name;  ///< the user's name for it
  graph::Graph graph;
  std::vector<Note> notes;
  std::string file{};  ///< that it was read from; empty: it is built in
  // Of a file whose values were asked for:
  std::map<std::string, onnx::ValuePlace> places{};
  std::map<std::string, std::string> bytes{};
  std::vector<Note> value_notes{};  ///< where values (not costs) are not the file's
  /// The step of a recording, whose ops `graph` then describes; null: a network.
  std::shared_ptr<const schedule::Schedule> recorded{};
  std::string optimizer{};  ///< its class, as CaseResult::optimizer has it

  /// The network. Throws Error (usage) for a recording, which cannot be run or cut.
  [[nodiscard]] const graph::Graph& runnable() const;
  /// The network lowered, or the recording's step as it is.
  [[nodiscard]] std::shared_ptr<const schedule::Schedule> lowered(
      const schedule::LoweringOptions& options) const;
  /// The precision of its step with these options: what was asked for, or its own, where its types
  /// are others.
  [[nodiscard]] Precision precision(const schedule::LoweringOptions& options) const;
  /// What the settings ask for, without precisions that its types do not take; of a recording its
  /// own phase, precision and optimizer.
  [[nodiscard]] std::vector<schedule::LoweringOptions> lowerings(
      const NetworkSettings& settings) const;
};

/// Throws Error (usage) for a setting that none of the models can take.
void check_models(const std::vector<std::string>& models, const NetworkSettings& settings);

/// A built-in network by name, an ONNX file or a recording by path, in the given batch size (the
/// network's own without one). Throws Error (usage, input). `with_values`: also where a file's
/// weights lie; throws Error (usage, input) for a built-in network and for data that cannot be had.
/// `context`: that of a recording.
[[nodiscard]] LoadedModel load_model(const std::string& model, std::optional<std::int64_t> batch,
                                     const NetworkSettings& settings, bool with_values = false,
                                     std::optional<std::int64_t> context = {});

inline constexpr Phase usual_phase = Phase::inference;
inline constexpr Precision usual_precision = Precision::fp32;
inline constexpr schedule::Optimizer usual_optimizer = schedule::Optimizer::sgd_momentum;

/// One for each phase and precision, in their order.
[[nodiscard]] std::vector<schedule::LoweringOptions> lowerings(const NetworkSettings& settings);
/// The batch sizes, and contexts, to load a network in: nullopt, its own, where none was asked for.
[[nodiscard]] std::vector<std::optional<std::int64_t>> batches(const NetworkSettings& settings);
[[nodiscard]] std::vector<std::optional<std::int64_t>> contexts(const NetworkSettings& settings);

/// Runs `work`; an error without a place in a file gets the case as its place.
template <class Work>
auto in_case(const std::string& model, std::optional<std::int64_t> batch, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!error.is_of_input() || !error.location().file.empty()) throw;
    const std::string of_batch = batch ? format(", batch {}", *batch) : "";
    throw Error(error.kind(), format("{}{}: {}", model, of_batch, error.what()), error.hint());
  }
}

/// Runs `work`; an error that has no hint gets this one.
template <class Work>
auto with_hint(const std::string& hint, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!error.hint().empty()) throw;
    throw Error(error.kind(), error.what(), hint, error.location());
  }
}

/// A piece of a chain: `conv=conv2d(64,64,k=3,p=1)`.
struct ChainWord {
  std::string text;
  zoo::ChainPiece piece;

  [[nodiscard]] static ChainWord from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const { return text; }
};

/// One network of a changeable size: a model, or a chain of layers.
struct ChosenNetwork {
  std::string model;
  std::vector<ChainWord> layer;
  std::string input;
  std::vector<NamedCount> count;
  NetworkSettings settings;

  /// Throws Error (usage) for members that do not go together.
  void check() const;
  /// Names whose counts can be changed: the pieces of a chain, `batch`, and `context` of a
  /// recording.
  [[nodiscard]] std::vector<std::string> countable() const;
  /// The network with these counts; what is not named has the count that was given, or 1. Throws
  /// Error (usage, input).
  [[nodiscard]] LoadedModel load(const std::map<std::string, std::int64_t>& counts) const;
  /// To run a loaded network; device, command and settings are the caller's.
  [[nodiscard]] engine::Case case_of(const LoadedModel& loaded) const;

  [[nodiscard]] schedule::LoweringOptions lowering() const { return lowerings(settings).front(); }
  /// Takes phase, precision and optimizer of a recording for those asked for, from now on. Throws
  /// Error (usage, input).
  void settle_recording();
  /// Takes for `amp` what the device gives it (device::precision_on), from now on; says so where
  /// that is not bf16.
  std::optional<Note> settle_precision(const device::Device& device);
};
const Parameters& parameters_of(For<ChosenNetwork>);

/// A change of a network that keeps its outputs.
struct Rewrite {
  std::string_view name;  ///< value of `--rewrite`
  std::string_view description;
  /// The changed network; how many places changed.
  graph::Graph (*apply)(const graph::Graph& graph, int& places);
};
[[nodiscard]] std::span<const Field> fields_of(For<Rewrite>);

[[nodiscard]] std::span<const Rewrite> rewrites();

/// Throws Error (usage) for an unknown name.
[[nodiscard]] const Rewrite& find_rewrite(const std::string& name);

}  // namespace rooflab::task
