#pragma once

#include <string_view>
#include <vector>

#include "compact_line.hpp"
#include "growing_recording.hpp"

namespace rooflab::recording {

/// Reads lines in the recorder's form, which most have. JsonLines reads the others.
class CompactLines {
 public:
  explicit CompactLines(GrowingRecording& recording) : recording_(recording) {}

  /// Reads a line; false: another form, or an error; then nothing was added.
  [[nodiscard]] bool read(std::string_view text, int line);

  /// Remembers the place that JsonLines read from this text.
  void remember(std::string_view text, const Place& place) { known_places_.emplace(text, place); }
  /// Remembers the text after a line's operands for the next ops with equal text; `op` is added
  /// next.
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
  ByText<std::size_t> known_endings_;  ///< keys: text after the operands in their lines
};

}  // namespace rooflab::recording
