#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rooflab/device/device.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/zoo/layer_chain.hpp"

namespace rooflab::task {

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
  /// Names whose counts can be changed: the pieces of a chain, and `batch`.
  [[nodiscard]] std::vector<std::string> countable() const;
  /// The network with these counts; what is not named has the count that was given, or 1. Throws
  /// Error (usage, input).
  [[nodiscard]] LoadedModel load(const std::map<std::string, std::int64_t>& counts) const;
  /// To run a loaded network; device, command and settings are the caller's.
  [[nodiscard]] engine::Case case_of(const LoadedModel& loaded) const;

  [[nodiscard]] schedule::LoweringOptions lowering() const { return lowerings(settings).front(); }
  /// Takes for `amp` what the device gives it (device::precision_on), from now on; says so where
  /// that is not bf16.
  std::optional<Note> settle_precision(const device::Device& device);
};
const Parameters& parameters_of(For<ChosenNetwork>);

}  // namespace rooflab::task
