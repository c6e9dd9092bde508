#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::cli {

/// A network with what its importer has to say.
struct LoadedModel {
  std::string name;  ///< as the user named it
  graph::Graph graph;
  std::vector<std::string> notes;
  // Of a file whose values were asked for:
  std::map<std::string, onnx::ValuePlace> places{};
  std::map<std::string, std::string> bytes{};
  std::vector<std::string> value_notes{};  ///< where values (not costs) are not the file's
};

/// Flags that say which network does what: shared by summary, predict and roofline.
class ModelOptions {
 public:
  void add_to(Command command, const std::string& batch_help,
              const std::string& strict_help = "exit 1 when an op was not counted");

  /// For a command that does nothing else: after add_to, takes `--phase` away.
  void always_train(Command command);

  /// Throws Error (usage) for a flag that none of the models can take.
  void check(const std::vector<std::string>& models) const;

  /// Batch sizes asked for; empty when the flag was not given.
  [[nodiscard]] std::vector<std::int64_t> batches() const;

  /// A built-in network by name, or an ONNX file by path, in the given batch size (the network's
  /// own without one). Throws Error (usage, input).
  /// `with_values`: also where a file's weights lie; throws Error (usage, input) for a built-in
  /// network and for data that cannot be had.
  [[nodiscard]] LoadedModel load(const std::string& model, std::optional<std::int64_t> batch,
                                 bool with_values = false) const;

  /// Of the one precision asked for; throws Error (usage) for several.
  [[nodiscard]] schedule::LoweringOptions lowering() const;

  /// One for each precision, for a command that takes several, separated by commas.
  [[nodiscard]] std::vector<schedule::LoweringOptions> lowerings() const;

  /// Takes for `amp` what the device gives it (device::precision_on), from now on; says so where
  /// that is not bf16.
  std::optional<std::string> settle_precision(const device::Device& device);

  /// The flags that were given, for the command line of one case; without the batch.
  [[nodiscard]] std::vector<std::string> words() const { return words_with(precision_); }
  [[nodiscard]] std::vector<std::string> words(Precision precision) const {
    return words_with(std::string(name_of(precision)));
  }

  [[nodiscard]] const std::string& variant() const { return variant_; }

  [[nodiscard]] bool strict() const { return strict_; }

 private:
  [[nodiscard]] std::vector<std::string> words_with(const std::string& precision) const;

  std::optional<std::string> batch_;
  std::string phase_ = "inference";
  std::string precision_ = "fp32";
  std::string optimizer_ = "sgd-momentum";
  std::string variant_;
  std::optional<std::string> image_size_;
  std::vector<std::string> dims_;
  bool channels_last_ = false;
  bool strict_ = false;
};

}  // namespace rooflab::cli
