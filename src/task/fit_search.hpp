#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/fit_result.hpp"
#include "rooflab/engine/probe.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// The user stopped a search.
struct SearchInterrupted {};

/// Asks a device whether a network of some size fits, by running it. What was asked is kept in a
/// journal, a JSON object a line, and not asked again.
class FitSearch {
 public:
  using MakeCase = std::function<engine::Case(std::span<const std::int64_t> counts)>;

  /// `request` says what is searched; a journal of another request is an Error (input). No journal:
  /// nothing outlives the process.
  FitSearch(std::vector<std::string> names, MakeCase make_case, std::filesystem::path worker,
            double timeout_s, const std::optional<std::filesystem::path>& journal,
            const Json& request, const Session& session);

  /// Throws SearchInterrupted, and Error (capability) for a case that ends in another way than well
  /// or out of memory.
  [[nodiscard]] bool fits(std::span<const std::int64_t> counts);

  /// In the order in which they were run, those of the journal first.
  [[nodiscard]] const std::vector<analyze::FitTry>& tries() const { return tries_; }
  /// Step time of a try that ran; nullopt: no such try.
  [[nodiscard]] std::optional<double> step_s(std::span<const std::int64_t> counts) const;

 private:
  void read_journal(const Json& request);
  void say(const analyze::FitTry& each) const;
  [[nodiscard]] const analyze::FitTry* find(std::span<const std::int64_t> counts) const;
  [[nodiscard]] std::string title(std::span<const std::int64_t> counts) const;

  std::vector<std::string> names_;
  MakeCase make_case_;
  std::filesystem::path worker_;
  double timeout_s_;
  std::optional<engine::ProbeJournal> journal_;
  std::vector<analyze::FitTry> tries_;
  const Session& session_;
};

}  // namespace rooflab::task
