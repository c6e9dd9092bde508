#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "disturbance.hpp"
#include "reference.hpp"
#include "scenario.hpp"
#include "work_place.hpp"

namespace faults {

/// A scenario with what its undisturbed runs leave, and the trials of disturbed runs of it.
///
/// A trial runs the command with the first disturbance, continues it with each further one, and
/// then continues it without any. It asserts:
///
///   after each run   no JSON, journal or page is written by half; what was finished is unchanged;
///                    no process of the command runs on
///   an own end       no signal ends the program; an error has the system's words, and
///                    `rooflab: error:` with exit codes 2 and 3; an exit code of 0 without a word
///                    means the right result; no temporary file stays
///   the last run     it succeeds and leaves what undisturbed runs leave, times aside; TMPDIR is
///                    empty
class Trial {
 public:
  /// Runs the scenario undisturbed, in three ways.
  Trial(WorkPlace& place, const Scenario& scenario);

  /// What a trial found wrong; empty if all is as it should be.
  [[nodiscard]] std::vector<std::string> problems(const std::vector<Disturbance>& runs);

  /// What is wrong with the undisturbed runs themselves.
  [[nodiscard]] const std::vector<std::string>& own_problems() const { return own_problems_; }
  [[nodiscard]] const Reference& reference() const { return reference_; }
  /// The calls of an undisturbed run.
  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }
  /// The calls of a run that continues after `runs`.
  [[nodiscard]] std::vector<Call> calls_after(const std::vector<Disturbance>& runs);
  [[nodiscard]] std::chrono::microseconds wall() const { return wall_; }
  [[nodiscard]] const Scenario& scenario() const { return scenario_; }

 private:
  /// Runs commands undisturbed, one after another, and adds what they leave to the reference.
  void learn(const std::string& what, const std::vector<std::vector<std::string>>& commands);
  [[nodiscard]] std::vector<std::string> differences(const sandbox::FolderState& state) const;
  /// Files that a program removes before it ends.
  [[nodiscard]] std::set<std::string> leftovers() const;
  /// Whether a fault can have hit the removal of something, which then stays: also the look at what
  /// a killed run has left.
  [[nodiscard]] bool hits_removal(const std::vector<Call>& hit) const;
  void judge_end(const Disturbance& disturbance, const sandbox::ChildEnd& end);
  void judge_state(const sandbox::FolderState& state);
  void judge_last_run();
  void say(const std::string& problem);

  WorkPlace& place_;
  const Scenario& scenario_;
  Reference reference_;
  std::vector<Call> calls_;
  std::chrono::microseconds wall_{};
  long later_s_ = 0;     ///< the date of the next undisturbed run
  bool prints_ = false;  ///< whether an undisturbed run says something on stdout
  std::vector<std::string> own_problems_;

  // Of the trial that runs.
  std::string now_;               ///< the run, for messages
  std::set<std::string> before_;  ///< leftovers when it began
  sandbox::FolderState finished_;
  bool removal_failed_ = false;  ///< in one of its runs
  std::vector<std::string> problems_;
};

}  // namespace faults
