#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/parameter.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/task/network.hpp"

namespace rooflab::task {

/// Single layers in place of models, and a rewrite of every network.
struct LayerChoice {
  std::vector<std::string> layer;  ///< `conv2d(3,128,k=3,p=1)`; each is a case of that name
  std::vector<std::string> input;  ///< one for all layers, or one for each, in their order
  std::string rewrite;             ///< name in rewrites(); empty: none

  /// Throws Error (usage) where layers, inputs, models and settings do not go together.
  void check(const std::vector<std::string>& models, const NetworkSettings& settings) const;
};
const Parameters& parameters_of(For<LayerChoice>);

/// One network of a list: a model in one batch size and context, or a layer on its input.
struct ListedNetwork {
  std::string name;                        ///< the model, or the layer's text
  std::optional<std::int64_t> batch = {};  ///< asked for; nullopt: the network's own
  std::optional<std::string> input = {};   ///< a layer's; nullopt: it is a model
  std::string rewrite = {};
  std::optional<std::int64_t> context = {};  ///< asked for; nullopt: the recording's own

  /// The network, rewritten, with the places that changed as a note. `other_batch`: in another
  /// batch size than its own. Throws Error (usage, input).
  [[nodiscard]] LoadedModel load(const NetworkSettings& settings, bool with_values = false,
                                 std::optional<std::int64_t> other_batch = {}) const;
  /// The same network without its rewrite.
  [[nodiscard]] ListedNetwork as_it_is() const;
  /// Makes `models` and `layers` those of this network alone, and of `settings` the batch.
  void choose(std::vector<std::string>& models, LayerChoice& layers,
              NetworkSettings& settings) const;
  friend bool operator==(const ListedNetwork&, const ListedNetwork&) = default;
};

/// The models in each batch size, then the layers, each with its input once.
[[nodiscard]] std::vector<ListedNetwork> listed_networks(const std::vector<std::string>& models,
                                                         const LayerChoice& layers,
                                                         const NetworkSettings& settings);

/// Throws Error (usage) for training of a network without parameters.
void check_trainable(const LoadedModel& loaded, Phase phase);
/// Throws Error (input) where ops of unknown work are left out of a step that is to be divided
/// among devices.
void check_counted(const schedule::Schedule& schedule, const std::string& name);

}  // namespace rooflab::task
