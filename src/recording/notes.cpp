#include "base/format.hpp"
#include "notes/recording_notes.hpp"
#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {

namespace {

/// Samples lie along an axis of an input, of several tokens each perhaps. Those of a list (images
/// of different sizes) need not.
bool has_batch(const Recording& recording) {
  bool has_input = false;
  for (std::size_t i = 0; i < recording.tensors.size(); ++i) {
    const auto id = static_cast<TensorId>(i);
    if (recording.storage_of(id).role != schedule::Role::input) continue;
    const graph::Shape& shape = recording.layout_of(id).type.shape;
    has_input = has_input || shape.rank() > 0;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] % *recording.batch == 0) return true;
    }
  }
  return !has_input;
}

}  // namespace

std::vector<Note> notes_of(const Recording& recording) {
  std::vector<Note> notes;
  if (recording.batch && !has_batch(recording)) {
    notes.push_back({says.batch_of_no_input, {*recording.batch}});
  }
  std::vector<std::string> gaps;
  for (const Gap& gap : recording.gaps) {
    const std::string name = gap.name.empty() ? gap.kind : format("{} ({})", gap.name, gap.kind);
    gaps.push_back(gap.count == 1 ? name : format("{} x {}", gap.count, name));
  }
  if (!gaps.empty()) notes.push_back({says.recording_gaps, {gaps}});
  for (const Assumption& each : recording.assumptions) {
    notes.push_back({says.recording_assumed, {each.what, each.where, each.count}});
  }
  return notes;
}

}  // namespace rooflab::recording
