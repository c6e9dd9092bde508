#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/fit_result.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// A count that `fit` varies: `batch`, `batch=1..4096`, `conv=1..`, `conv=..64`: from 1 and without
/// an end where not said.
struct VariedCount {
  std::string name;
  predict::CountRange range = {};

  [[nodiscard]] static VariedCount from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const;
};

/// The largest batch, or chain of layers, that fits a device.
struct FitRequest {
  static constexpr std::string_view command = "fit";

  ChosenNetwork network;
  TargetChoice target;
  LinkChoice link;  ///< of a recorded step that exchanges with other devices
  std::vector<VariedCount> vary = {{"batch"}};
  bool measure = false;
  int iterations = 10;
  std::optional<double> timeout;
  bool resume = false;
  std::filesystem::path folder;  ///< for the tries; empty: they do not outlive the process
};
const Parameters& parameters_of(For<FitRequest>);

struct FitOutcome {
  analyze::FitResult result;
  bool interrupted = false;
  /// What ended the work before its end, a full disk for example: what was done until then is here.
  std::optional<Error> failure = {};
  /// Not even the least of what was varied.
  [[nodiscard]] bool nothing_fits() const;
};

/// The file of the tries in `FitRequest::folder`.
inline constexpr std::string_view tries_file = "tries.jsonl";

/// Throws Error (usage, input, capability, system).
[[nodiscard]] FitOutcome run(FitRequest request, Session& session);

}  // namespace rooflab::task
