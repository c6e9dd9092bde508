#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fault.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/task/session.hpp"

/// Runs of workers: one, or a list of them that can be stopped and taken up again.
namespace rooflab::task {

/// For a run that shows how far it is, behind `what`, and ends when the session stops.
[[nodiscard]] engine::RunOptions run_options(const std::filesystem::path& worker,
                                             const Session& session, const std::string& what = {});

/// How far a list is, on a terminal; what is left of it goes by the runs so far.
class ListProgress {
 public:
  /// `noun` of one of them: `case`, `run`. `session` must outlive this.
  ListProgress(std::string noun, std::size_t count, const Session& session)
      : noun_(std::move(noun)), count_(count), session_(session) {}
  ~ListProgress() { session_.show_progress(""); }
  ListProgress(const ListProgress&) = delete;
  ListProgress& operator=(const ListProgress&) = delete;

  /// For each of the runs; this must outlive them.
  [[nodiscard]] engine::RunOptions run_options(const std::filesystem::path& worker) const;
  void begin(std::size_t index, std::string title);
  /// `outcome`: what it came to; empty: another process knows.
  void end(const std::string& outcome);
  /// The outcome of timed steps.
  void end(const std::optional<double>& step_s, record::Status status);

 private:
  using Clock = std::chrono::steady_clock;

  /// `stage` may be empty; `left_s` of this one, 0: not known.
  void show(const std::string& stage, double left_s) const;
  [[nodiscard]] double all_left_s(double left_s) const;

  std::string noun_;
  std::size_t count_;
  const Session& session_;
  std::size_t index_ = 0;
  std::string title_;
  Clock::time_point begin_;
  double ran_s_ = 0.0;
  int ran_ = 0;
};

/// The runs of a list, as far as it came.
template <class Run>
struct RunList {
  std::vector<Run> runs;
  std::optional<Error> failure = {};  ///< what ended the list before its end

  /// Does the next run. Whatever it throws ends the list, or is thrown on before the first run.
  template <class Next>
  void do_next(Next next) {
    try {
      next();
    } catch (...) {
      if (runs.empty()) throw;
      failure = error_at_hand();
    }
  }

  /// Whether runs are missing, or the last is not whole.
  [[nodiscard]] bool is_cut_short(std::size_t count) const {
    return runs.size() < count ||
           (!runs.empty() && runs.back().status == record::Status::interrupted);
  }
};

}  // namespace rooflab::task
