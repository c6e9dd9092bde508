#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "model_options.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/zoo/layer_chain.hpp"

namespace rooflab::cli {

/// One network of a changeable size: a model, or a chain given as `--layer` pieces.
class NetworkOptions {
 public:
  void add_to(Command command);

  /// Throws Error (usage) for flags that do not go together.
  void check() const;

  /// Names whose counts can be changed: the pieces of a chain, and `batch`.
  [[nodiscard]] std::vector<std::string> countable() const;

  /// The network with these counts; what is not named has the count that was given, or 1. Throws
  /// Error (usage, input).
  [[nodiscard]] LoadedModel load(const std::map<std::string, std::int64_t>& counts) const;

  /// To run a loaded network; device, command and settings are the caller's.
  [[nodiscard]] engine::Case case_of(const LoadedModel& loaded) const;

  [[nodiscard]] schedule::LoweringOptions lowering() const { return network_.lowering(); }
  std::optional<std::string> settle_precision(const device::Device& device) {
    return network_.settle_precision(device);
  }
  [[nodiscard]] bool batch_given() const { return !network_.batches().empty(); }

 private:
  std::string model_;
  ModelOptions network_;
  std::vector<std::string> layers_;
  std::string input_;
  std::string count_;
};

}  // namespace rooflab::cli
