#pragma once

#include <string_view>
#include <vector>

#include "compact_line.hpp"
#include "growing_recording.hpp"

namespace rooflab::recording {

/// Lines in the form that the recorder gives them, which most have. Others are left to JsonLines.
class CompactLines {
 public:
  explicit CompactLines(GrowingRecording& recording) : recording_(recording) {}

  /// false: another form, or something is wrong; nothing was added then.
  [[nodiscard]] bool read(std::string_view text, int line);

  /// What JSON said: the same text means the same.
  void remember(std::string_view text, const Place& place) { known_places_.emplace(text, place); }
  /// What follows the operands of a line, for the next ops with the same; `op` is added next.
  void remember(std::string_view text, const Op& op);

 private:
  [[nodiscard]] bool read_tensor(CompactLine line);
  [[nodiscard]] bool read_storage(CompactLine line);
  [[nodiscard]] bool read_free(CompactLine line);
  [[nodiscard]] bool read_op(CompactLine line, int number);
  [[nodiscard]] static bool take_call(CompactLine& line, std::int64_t& call);
  [[nodiscard]] bool take_operands(CompactLine& line, std::vector<Operand>& all) const;
  [[nodiscard]] bool take_operand(CompactLine& line, TensorId& operand) const;

  GrowingRecording& recording_;
  ByText<Place> known_places_;         ///< keys: whole lines
  ByText<std::size_t> known_endings_;  ///< ops by what follows the operands in their lines
};

}  // namespace rooflab::recording
