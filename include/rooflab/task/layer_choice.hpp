#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/describe/parameter.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/task/network.hpp"

namespace rooflab::task {

/// Choice of single layers instead of models, and of a rewrite of every network.
struct LayerChoice {
  std::vector<std::string> layer = {};  ///< `conv2d(3,128,k=3,p=1)`; each is a case with that name
  std::vector<std::string> input = {};  ///< one for all layers, or one per layer, in their order
  std::string rewrite = {};             ///< name in rewrites(); empty: none

  /// Throws Error (usage) where layers, inputs, models and settings do not fit together.
  void check(const std::vector<std::string>& models, const NetworkSettings& settings) const;
};
const Parameters& parameters_of(For<LayerChoice>);

/// One network of a list: a model in one batch size and context, or a layer on its input.
struct ListedNetwork {
  std::string name = {};                   ///< name of the model, or text of the layer
  std::optional<std::int64_t> batch = {};  ///< requested; nullopt: the network's own
  std::optional<std::string> input = {};   ///< input of a layer; nullopt: it is a model
  std::string rewrite = {};
  std::optional<std::int64_t> context = {};  ///< requested; nullopt: the recording's own

  /// Loads the rewritten network, with a note about the changed places. `other_batch`: batch size
  /// to use instead of the network's. Throws Error (usage, input).
  [[nodiscard]] LoadedModel load(const NetworkSettings& settings, bool with_values = false,
                                 std::optional<std::int64_t> other_batch = {}) const;
  /// Returns this network without its rewrite.
  [[nodiscard]] ListedNetwork as_it_is() const;
  /// Reduces `models`, `layers` and the batch of `settings` to this network.
  void choose(std::vector<std::string>& models, LayerChoice& layers,
              NetworkSettings& settings) const;
  friend bool operator==(const ListedNetwork&, const ListedNetwork&) = default;
};

/// Lists the models in each batch size, then each layer with its input.
[[nodiscard]] std::vector<ListedNetwork> listed_networks(const std::vector<std::string>& models,
                                                         const LayerChoice& layers,
                                                         const NetworkSettings& settings);

/// Throws Error (usage) for training of a network without parameters.
void check_trainable(const LoadedModel& loaded, Phase phase);
/// Throws Error (input) where a step that will be divided among devices has ops of unknown work.
void check_counted(const schedule::Schedule& schedule, const std::string& name);

}  // namespace rooflab::task
