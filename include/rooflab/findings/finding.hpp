#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/describe/request_change.hpp"
#include "rooflab/findings/finding_table.hpp"

namespace rooflab::findings {

/// A cause of lost time in a result, or a remark about it, with its numbers.
///
///     for (const Finding& finding : findings_of(result)) {
///       ... finding.sentence() ... finding.worth_s ... finding.attempt ...
///     }
struct Finding {
  FindingKind kind = FindingKind::host_wait;
  std::vector<NoteValue> values = {};  ///< in the order of the row's keys
  std::string subject = {};            ///< the case, rank or trace that it is about; may be empty
  /// Upper estimate of the time that could be saved per step (its rule's essay has the method);
  /// nullopt: nothing can be saved, or it is not known.
  std::optional<double> worth_s = {};
  std::optional<double> step_s = {};  ///< the step that `worth_s` is a part of
  /// A line of PyTorch, may be empty; in a task's result the command line of `changes`, if any.
  std::string attempt = {};
  /// Command line of the request that made the result; may be empty
  std::string command_line = {};
  std::vector<RequestChange> changes = {};  ///< the change of that request that is advised
  bool names_module = false;                ///< `attempt` names a module of the network
  std::string words = {};  ///< the sentence, if another module makes it; empty: the row's
  bool besides = false;    ///< the case can follow the row's further advice

  [[nodiscard]] const FindingRow& row() const { return row_of(kind); }
  /// The sentence without the subject.
  [[nodiscard]] std::string sentence() const;
  [[nodiscard]] std::string advice() const;
  [[nodiscard]] std::optional<double> worth_share() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<Finding>);

/// Threshold above which a kind is reported: `10 % of the step`.
[[nodiscard]] std::string threshold_of(const FindingRow& row);

}  // namespace rooflab::findings
