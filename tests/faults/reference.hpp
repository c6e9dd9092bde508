#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/folder_state.hpp"

namespace faults {

/// The end of a difference that is a file too many.
inline constexpr std::string_view is_too_much = " should not be there";

/// What undisturbed runs of one command leave: the files, and which of their content is the same
/// in all of them. Dates and times are not: those differ between the runs that it has seen.
class Reference {
 public:
  /// The state that one more undisturbed run has left.
  void add(const sandbox::FolderState& state);

  /// How a state differs from it: files that lack, files that should not be there, other content.
  [[nodiscard]] std::vector<std::string> differences(const sandbox::FolderState& state) const;

  [[nodiscard]] bool has(const std::string& file) const { return first_.contains(file); }
  /// Places of JSON that differ between undisturbed runs: `cases/a.json: environment.date`.
  [[nodiscard]] const std::set<std::string>& changing() const { return changing_; }

 private:
  sandbox::FolderState first_;
  std::set<std::string> changing_;
};

}  // namespace faults
