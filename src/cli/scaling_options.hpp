#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "link_options.hpp"
#include "rooflab/analyze/scaling.hpp"

namespace rooflab::cli {

/// Flags that ask for a prediction on several devices at once.
class ScalingOptions {
 public:
  /// `--gpus`, `--scaling`, `--link` and `--all-reduce`.
  void add_to(Command command);

  [[nodiscard]] bool any_devices() const { return gpus_.has_value(); }
  /// Throws Error (usage) for a value that a flag does not take, and for a flag that says nothing
  /// without `--gpus`.
  void check() const;

  [[nodiscard]] std::vector<int> gpus() const;  ///< in the order given
  [[nodiscard]] analyze::ScalingKind scaling() const;
  [[nodiscard]] const LinkOptions& link() const { return link_; }
  /// The flags that were given, for the command line of one case.
  [[nodiscard]] std::vector<std::string> words() const;

 private:
  std::optional<std::string> gpus_;
  std::string scaling_;
  LinkOptions link_;
};

}  // namespace rooflab::cli
