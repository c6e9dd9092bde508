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

/// A count that `fit` varies: `batch`, `batch=1..4096`, `conv=1..`, `conv=..64`: default: from 1,
/// without an end.
struct VariedCount {
  std::string name = {};
  predict::CountRange range = {};

  [[nodiscard]] static VariedCount from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const;
};

/// Request for the largest batch or chain of layers that fits on a device.
struct FitRequest {
  static constexpr std::string_view command = "fit";

  ChosenNetwork network = {};
  TargetChoice target = {};
  LinkChoice link = {};  ///< link between the devices of a recorded step that exchanges data
  std::vector<VariedCount> vary = {{"batch"}};
  bool measure = false;
  int iterations = 10;
  std::optional<double> timeout = {};
  bool resume = false;
  std::filesystem::path folder = {};  ///< for the tries; empty: they are not kept
};
const Parameters& parameters_of(For<FitRequest>);

struct FitOutcome {
  analyze::FitResult result = {};
  bool interrupted = false;
  /// Error that ended the work early, for example a full disk; the result has the work done before.
  std::optional<Error> failure = {};
  /// Whether not even the smallest varied count fits.
  [[nodiscard]] bool nothing_fits() const;
};

/// Name of the file with the tries in `FitRequest::folder`.
inline constexpr std::string_view tries_file = "tries.jsonl";

/// Runs the request. Throws Error (usage, input, capability, system).
[[nodiscard]] FitOutcome run(FitRequest request, Session& session);

}  // namespace rooflab::task
