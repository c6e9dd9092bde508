#pragma once

#include <map>
#include <string>
#include <vector>

#include "rooflab/base/note.hpp"
#include "rooflab/task/network.hpp"

namespace rooflab::task {

/// A setting that was given and has no part in a network.
struct IdleSetting {
  std::string setting;  ///< `--precision fp16`
  std::string reason;   ///< `it is fp64 throughout`
  std::string hint;
};

/// What a command does beside the steps that its settings name.
struct UseOfSettings {
  bool other_sizes = false;  ///< it asks for sizes that the settings do not name
  bool training = false;     ///< it trains what can be trained, whatever the phase
};

/// Which settings have a part in the networks of a command. One that has none in any of them is an
/// error: the answer would be another than the one asked for.
class SettingUse {
 public:
  explicit SettingUse(const NetworkSettings& settings, UseOfSettings use = {})
      : settings_(settings), use_(use) {}

  /// Looks at a network. Returns a note for each setting that has no part in it.
  std::vector<Note> add(const LoadedModel& network);
  /// Throws Error (usage) for the first setting that has a part in no network.
  void check() const;
  /// For one network: add() and check().
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

/// The settings without those that have no part in the network: for its command line.
[[nodiscard]] NetworkSettings settings_of(const LoadedModel& network, NetworkSettings settings);

}  // namespace rooflab::task
