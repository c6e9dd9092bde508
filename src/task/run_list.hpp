#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "list_clock.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/task/session.hpp"
#include "system/fault.hpp"

/// Runs of workers: a single one, or a list that can be stopped and resumed.
namespace rooflab::task {

/// Options for a run that shows its progress after `what`, and ends when the session stops.
[[nodiscard]] engine::RunOptions run_options(const std::filesystem::path& worker,
                                             const Session& session, const std::string& what = {});

/// Text of progress: `measure 40 %, 12 s left`, for training `epoch 3/30, accuracy 0.812`.
[[nodiscard]] std::string progress_text(const engine::Progress& now);

/// Shows the progress of a list on a terminal.
class ListProgress {
 public:
  /// `noun`: name of one item, `case` or `run`. `session` must outlive this.
  ListProgress(std::string noun, std::size_t count, const Session& session)
      : noun_(std::move(noun)), count_(count), session_(session), clock_(count) {}
  ~ListProgress() { session_.show_progress(""); }
  ListProgress(const ListProgress&) = delete;
  ListProgress& operator=(const ListProgress&) = delete;

  /// Options for each of the runs; this object must outlive them.
  [[nodiscard]] engine::RunOptions run_options(const std::filesystem::path& worker) const;
  void begin(std::size_t index, std::string title);
  /// Ends a run. `outcome`: its result; empty: known only to another process.
  void end(const std::string& outcome);
  /// Ends a run with the outcome of its timed steps.
  void end(const std::optional<double>& step_s, record::Status status);

 private:
  using Clock = std::chrono::steady_clock;

  /// Shows the progress. `stage` may be empty; `left_s`: remaining seconds of this run, 0: not
  /// known.
  void show(const std::string& stage, double left_s) const;
  [[nodiscard]] double now_s() const {
    return std::chrono::duration<double>(Clock::now() - began_).count();
  }

  std::string noun_;
  std::size_t count_;
  const Session& session_;
  std::size_t index_ = 0;
  std::string title_;
  ListClock clock_;
  Clock::time_point began_ = Clock::now();
};

/// The runs of a list so far.
template <class Run>
struct RunList {
  std::vector<Run> runs;
  std::optional<Error> failure = {};  ///< error that ended the list early

  /// Does the next run. Its exception ends the list, or is passed on before the first run.
  template <class Next>
  void do_next(Next next) {
    try {
      next();
    } catch (...) {
      if (runs.empty()) throw;
      failure = error_at_hand();
    }
  }

  /// Whether runs are missing, or the last one is incomplete.
  [[nodiscard]] bool is_cut_short(std::size_t count) const {
    return runs.size() < count ||
           (!runs.empty() && runs.back().status == record::Status::interrupted);
  }
};

}  // namespace rooflab::task
