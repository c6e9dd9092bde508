#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflab/describe/request_change.hpp"
#include "rooflab/findings/findings.hpp"

/// The findings of a task's result. A rule of findings advises a change of a request; here the
/// change becomes a command line.
namespace rooflab::task {

/// The command line of a request with changes; words that are not changed stay as they are. Empty
/// for a line of another program, for one with a further meaning for a shell, and where the request
/// has another value than the one that a change is from.
[[nodiscard]] std::string changed_command(const std::string& line,
                                          std::span<const RequestChange> changes);

/// Completes findings by their command lines.
[[nodiscard]] std::vector<findings::Finding> with_commands(std::vector<findings::Finding> found);

/// Findings of results, with the command lines to try.
template <class... Results>
[[nodiscard]] std::vector<findings::Finding> findings_for(const Results&... results) {
  return with_commands(findings::findings_of(results...));
}
[[nodiscard]] findings::ImportedFindings imported_findings_for(const analyze::ResultSet& recorded);

}  // namespace rooflab::task
