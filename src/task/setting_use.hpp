#pragma once

#include <map>
#include <string>
#include <vector>

#include "rooflab/describe/note.hpp"
#include "rooflab/task/network.hpp"

namespace rooflab::task {

/// A given setting that has no effect on a network.
struct IdleSetting {
  std::string setting;  ///< `--precision fp16`
  std::string reason;   ///< `it is fp64 throughout`
  std::string hint;
};

/// Work of a command in addition to the steps of its settings.
struct UseOfSettings {
  bool other_sizes = false;  ///< it uses sizes that are not in the settings
  bool training = false;     ///< it trains networks regardless of the phase
};

/// Checks which settings have an effect on the networks of a command. One without an effect on any
/// of them is an error, because the result would not be the requested one.
class SettingUse {
 public:
  explicit SettingUse(const NetworkSettings& settings, UseOfSettings use = {})
      : settings_(settings), use_(use) {}

  /// Adds a network. Returns a note for each setting without an effect on it.
  std::vector<Note> add(const LoadedModel& network);
  /// Those of the settings that have an effect on the network, for its command line.
  [[nodiscard]] NetworkSettings effective(const LoadedModel& network) const;
  /// Throws Error (usage) for the first setting without an effect on any network.
  void check() const;
  /// Calls add() and check() for a single network.
  void check(const LoadedModel& network) {
    (void)add(network);
    check();
  }

 private:
  const NetworkSettings& settings_;
  UseOfSettings use_;
  std::map<std::string, bool> has_part_;                   ///< index: setting
  std::vector<std::pair<std::string, IdleSetting>> idle_;  ///< with the network's name
};

}  // namespace rooflab::task
