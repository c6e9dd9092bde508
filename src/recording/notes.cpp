#include "rooflab/base/text.hpp"
#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {

std::vector<Note> notes_of(const Recording& recording) {
  std::vector<Note> notes;
  std::vector<std::string> gaps;
  for (const Gap& gap : recording.gaps) {
    const std::string name = gap.name.empty() ? gap.kind : format("{} ({})", gap.name, gap.kind);
    gaps.push_back(gap.count == 1 ? name : format("{} x {}", gap.count, name));
  }
  if (!gaps.empty()) notes.push_back({"recording_gaps", {gaps}});
  for (const Assumption& each : recording.assumptions) {
    notes.push_back({"recording_assumed", {each.what, each.where, each.count}});
  }
  return notes;
}

}  // namespace rooflab::recording
