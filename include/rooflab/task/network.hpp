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
#include "rooflab/base/precision.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/describe/parameter.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::task {

/// A count given as `NAME=N`.
struct NamedCount {
  std::string name = {};
  std::int64_t count = 0;

  [[nodiscard]] static NamedCount from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const;
};

/// Throws Error (usage) for a repeated name.
void check_named_once(const std::vector<NamedCount>& counts, const std::string& flag);

/// Sizes, phases and precisions of networks, and options for building built-in ones.
struct NetworkSettings {
  std::vector<std::int64_t> batch = {};  ///< empty: the network's own
  // Empty: those of the recording; for a network inference and fp32.
  std::vector<Phase> phase = {};
  std::vector<Precision> precision = {};
  std::optional<schedule::Optimizer> optimizer = {};  ///< for training; empty: sgd-momentum
  std::string variant = {};
  std::optional<std::int64_t> image_size = {};
  std::vector<NamedCount> dim = {};
  bool channels_last = false;
  std::vector<std::string> recorded = {};  ///< recordings of the step in other sizes
  std::vector<std::int64_t> context = {};  ///< empty: the recording's own

  /// Sets one phase or precision. The usual one is left out because command lines need not name it;
  /// so is the optimizer of a phase that does not train.
  void choose(Phase one);
  void choose(Precision one);
};
const Parameters& parameters_of(For<NetworkSettings>);
/// Changes the table for a command that takes one batch size, phase and precision.
[[nodiscard]] Parameters one_workload(Parameters table);
/// Changes the table for a command that runs the network and cannot take recordings.
[[nodiscard]] Parameters of_networks_that_run(const Parameters& table);
/// Changes the table for a command that takes a layer instead of `model`: parameters that apply
/// only to models then need one.
[[nodiscard]] Parameters of_a_model(const Need& model, Parameters table);

/// A network with the notes of its importer.
struct LoadedModel {
  std::string name = {};  ///< the user's name for it
  graph::Graph graph = {};
  std::vector<Note> notes = {};
  std::string file{};  ///< file that it was read from; empty: built in
  // Only for files loaded with values:
  std::map<std::string, onnx::ValuePlace> places{};
  std::map<std::string, std::string> bytes{};
  std::vector<Note> value_notes{};  ///< where values (not costs) differ from the file's
  /// Step of a recording, whose ops `graph` then describes; nullptr: a network.
  std::shared_ptr<const schedule::Schedule> recorded{};
  std::string optimizer{};  ///< class of the recorded optimizer, see CaseResult::optimizer

  /// The network of a model. Throws Error (usage) for a recording, which cannot be run or cut.
  [[nodiscard]] const graph::Graph& runnable() const;
  /// The lowered network, or the step of the recording.
  [[nodiscard]] std::shared_ptr<const schedule::Schedule> lowered(
      const schedule::LoweringOptions& options) const;
  /// Precision of the step with these options: the requested one, or its own where its types are
  /// fixed.
  [[nodiscard]] Precision precision(const schedule::LoweringOptions& options) const;
  /// Lowering options by the settings, without precisions that its types cannot take; for a
  /// recording its own phase, precision and optimizer.
  [[nodiscard]] std::vector<schedule::LoweringOptions> lowerings(
      const NetworkSettings& settings) const;
};

/// Throws Error (usage) for a setting that none of the models can take.
void check_models(const std::vector<std::string>& models, const NetworkSettings& settings);

/// Loads a built-in network by name, or an ONNX file or a recording by path, in the given batch
/// size (default: the network's own). `with_values`: also find the places of a file's weights;
/// throws Error (usage, input) for a built-in network and for missing data. `context`: context of a
/// recording. Throws Error (usage, input).
[[nodiscard]] LoadedModel load_model(const std::string& model, std::optional<std::int64_t> batch,
                                     const NetworkSettings& settings, bool with_values = false,
                                     std::optional<std::int64_t> context = {});

inline constexpr Phase usual_phase = Phase::inference;
inline constexpr Precision usual_precision = Precision::fp32;
inline constexpr schedule::Optimizer usual_optimizer = schedule::Optimizer::sgd_momentum;

/// Lowering options for each phase and precision, in their order.
[[nodiscard]] std::vector<schedule::LoweringOptions> lowerings(const NetworkSettings& settings);
/// Batch sizes in which to load a network; nullopt, its own, where none was requested.
[[nodiscard]] std::vector<std::optional<std::int64_t>> batches(const NetworkSettings& settings);
[[nodiscard]] std::vector<std::optional<std::int64_t>> contexts(const NetworkSettings& settings);

/// Runs `work`; an Error without a place in a file gets the case as its place.
template <class Work>
auto in_case(const std::string& model, std::optional<std::int64_t> batch, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!error.is_of_input() || !error.location().file.empty()) throw;
    const std::string of_batch = batch ? ", batch " + std::to_string(*batch) : "";
    throw Error(error.kind(), model + of_batch + ": " + error.what(), error.hint());
  }
}

/// Runs `work`; an Error without a hint gets this one.
template <class Work>
auto with_hint(const std::string& hint, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!error.hint().empty()) throw;
    throw Error(error.kind(), error.what(), hint, error.location());
  }
}

/// A piece of a chain, given as `conv=conv2d(64,64,k=3,p=1)`.
struct ChainWord {
  std::string text = {};
  zoo::ChainPiece piece = {};

  [[nodiscard]] static ChainWord from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const { return text; }
};

/// One network of variable size: a model, or a chain of layers.
struct ChosenNetwork {
  std::string model = {};
  std::vector<ChainWord> layer = {};
  std::string input = {};
  std::vector<NamedCount> count = {};
  NetworkSettings settings = {};

  /// Throws Error (usage) for members that do not fit together.
  void check() const;
  /// Names whose counts can be changed: the pieces of a chain, `batch`, and `context` of a
  /// recording.
  [[nodiscard]] std::vector<std::string> countable() const;
  /// Loads the network with these counts; other counts are as given by the user, or 1. Throws Error
  /// (usage, input).
  [[nodiscard]] LoadedModel load(const std::map<std::string, std::int64_t>& counts) const;
  /// Case that runs a loaded network; the caller sets device, command and settings.
  [[nodiscard]] engine::Case case_of(const LoadedModel& loaded) const;

  [[nodiscard]] schedule::LoweringOptions lowering() const { return lowerings(settings).front(); }
  /// Sets phase, precision and optimizer to those of the recording. Throws Error (usage, input).
  void settle_recording();
  /// Replaces `amp` by the device's type (device::precision_on); returns a note where that is not
  /// bf16.
  std::optional<Note> settle_precision(const device::Device& device);
};
const Parameters& parameters_of(For<ChosenNetwork>);

/// A change of a network that keeps its outputs.
struct Rewrite {
  std::string_view name = {};  ///< value of `--rewrite`
  std::string_view description = {};
  /// Returns the changed network and the number of changed places.
  graph::Graph (*apply)(const graph::Graph& graph, int& places) = {};
};
[[nodiscard]] std::span<const Field> fields_of(For<Rewrite>);

[[nodiscard]] std::span<const Rewrite> rewrites();

/// Finds a rewrite by name. Throws Error (usage) for an unknown name.
[[nodiscard]] const Rewrite& find_rewrite(const std::string& name);

}  // namespace rooflab::task
