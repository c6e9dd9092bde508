#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compact_lines.hpp"
#include "growing_recording.hpp"
#include "line_values.hpp"

namespace rooflab::recording {

/// The first key of a recording.
inline constexpr std::string_view magic = "rooflab_recording";

/// Reads lines into a recording, and checks each one against the previous ones.
class RecordingReader {
 public:
  explicit RecordingReader(const std::string& file) : values_(file), recording_(file) {}

  void line(std::string_view text);
  [[nodiscard]] Recording finish() &&;
  /// Throws the Error for a next line that is damaged in its bytes.
  [[noreturn]] void damaged(const std::string& damage);

 private:
  void read(const std::string& key, const Json& json);

  void begin(const Json& json);
  void module(const Json& json);
  void layout(const Json& json);
  void storage(const Json& json);
  void tensor(const Json& json);
  void at(const Json& json);
  void op(const Json& json);
  void freed(const Json& json);
  void roles(const Json& json);
  void optimizer(const Json& json);
  void output(const Json& json);
  void gap(const Json& json);
  void assumed(const Json& json);
  void end(const Json& json);
  [[nodiscard]] std::vector<Operand> operands(const Json& json, const char* key);
  /// A number of at least 1; 0 if it is missing.
  [[nodiscard]] std::int32_t count_of(const Json& json, const char* key, std::int64_t most) const;
  /// Adds operands of a list; nested lists become one list.
  void add_operands(const Json& list, std::vector<TensorId>& tensors);
  [[nodiscard]] TensorId one_operand(const Json& json);
  [[nodiscard]] schedule::Role role_from(const std::string& word) const;

  LineValues values_;
  GrowingRecording recording_;
  CompactLines compact_{recording_};
  std::string_view text_;  ///< current line
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace rooflab::recording
