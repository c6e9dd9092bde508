#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {

/// An argument or a result in a text: a tensor, none, a list, or a Python number.
struct Slot {
  // NOLINTNEXTLINE(google-explicit-constructor): lists of arguments are written in braces
  Slot(int tensor) : json(std::to_string(tensor)) {}
  Slot(std::nullptr_t) : json("null") {}  // NOLINT(google-explicit-constructor)
  Slot(std::initializer_list<int> tensors) : Slot(list(tensors)) {}
  static Slot list(const std::vector<int>& tensors) {
    Slot slot(nullptr);
    slot.json = "[";
    for (const int each : tensors) {
      slot.json += (slot.json.size() > 1 ? "," : "") + std::to_string(each);
    }
    slot.json += "]";
    return slot;
  }
  static Slot python_number() {
    Slot slot(nullptr);
    slot.json = R"({"number":2.0})";
    return slot;
  }
  std::string json;
};

/// Writes the text of a small recording.
class RecordingText {
 public:
  /// `more` keys of the first line, each with a comma before it.
  explicit RecordingText(std::string_view more = "") {
    line(format(R"({{"rooflab_recording":1,"framework":"torch 2.11.0"{}}})", more));
  }

  void line(std::string_view text) { text_ += format("{}\n", text); }

  /// A dense tensor with separate memory; `more` keys of its storage.
  int tensor(std::string_view type, const std::vector<std::int64_t>& shape,
             std::string_view more = "") {
    graph::TensorType described{*from_name<DType>(type), graph::Shape(shape)};
    line(format(R"({{"storage":{},"bytes":{},"device":"{}"{}}})", storages_, described.bytes(),
                device, more));
    ++storages_;
    return view_of(storages_ - 1, type, shape, {});
  }
  int parameter(std::string_view type, const std::vector<std::int64_t>& shape,
                std::string_view name = "weight") {
    return tensor(type, shape, format(R"(,"role":"parameter","name":"{}","before":true)", name));
  }
  int input(std::string_view type, const std::vector<std::int64_t>& shape) {
    return tensor(type, shape, R"(,"role":"input","before":true)");
  }
  /// A tensor over the memory of another one.
  int view(int base, std::string_view type, const std::vector<std::int64_t>& shape,
           const std::vector<std::int64_t>& strides = {}) {
    return view_of(storage_of_[static_cast<std::size_t>(base)], type, shape, strides);
  }
  [[nodiscard]] int storage_of(int tensor) const {
    return storage_of_[static_cast<std::size_t>(tensor)];
  }

  int module(std::string_view name, std::string_view class_name = "Module") {
    line(
        format(R"({{"module":{},"name":"{}","class":"{}","root":0}})", modules_, name, class_name));
    return modules_++;
  }
  void at(std::string_view part, int module = -1, std::string_view more = "") {
    const std::string where = module < 0 ? "" : format(R"(,"module":{})", module);
    line(format(R"({{"at":"{}"{}{}}})", part, where, more));
  }
  void op(std::string_view name, const std::vector<Slot>& in, const std::vector<Slot>& out,
          std::string_view arguments = "", std::string_view more = "") {
    line(format(R"({{"op":"{}","in":{},"out":{},"args":{{{}}}{}}})", name, list(in), list(out),
                arguments, more));
  }
  void free(int tensor) { line(format(R"({{"free":[{}]}})", storage_of(tensor))); }

  [[nodiscard]] std::string text() const { return text_ + "{\"end\":true}\n"; }
  [[nodiscard]] Recording read() const { return parse_recording(text(), "step.rec.jsonl"); }
  [[nodiscard]] schedule::Schedule lowered() const { return lower(read()); }

  std::string device = "cuda:0";  ///< where the next tensors lie

 private:
  static std::string list(const std::vector<Slot>& slots) {
    std::string text = "[";
    for (const Slot& each : slots) text += (text.size() > 1 ? "," : "") + each.json;
    return text + "]";
  }
  static std::string numbers(const std::vector<std::int64_t>& all) {
    std::string text = "[";
    for (const std::int64_t each : all) text += (text.size() > 1 ? "," : "") + std::to_string(each);
    return text + "]";
  }
  int view_of(int storage, std::string_view type, const std::vector<std::int64_t>& shape,
              const std::vector<std::int64_t>& strides) {
    const std::string more = strides.empty() ? "" : format(R"(,"strides":{})", numbers(strides));
    line(format(R"({{"layout":"{}","shape":{}{}}})", type, numbers(shape), more));
    const int id = static_cast<int>(storage_of_.size());
    line(format(R"({{"tensor":{},"layout":{},"storage":{}}})", id, id, storage));
    storage_of_.push_back(storage);
    return id;
  }

  std::string text_;
  int storages_ = 0;
  int modules_ = 0;
  std::vector<int> storage_of_;  ///< index: tensor
};

/// What an entry does, in one line: `forward linear: 1536 + 32 FLOPs, 640 + 128 B`: FLOPs of
/// matrices and others, bytes read and written; `forward mystery: unknown` without a rule.
inline std::string entry_line(const schedule::Schedule& schedule, const schedule::ScheduledOp& op) {
  const std::string name = format("{} {}", name_of(op.pass), schedule.name_of(op));
  const std::optional<cost::Cost> cost = cost::cost_of(schedule, op);
  if (!cost) return name + ": unknown";
  return format("{}: {} + {} FLOPs, {} + {} B{}", name, cost->matrix_flops.value(),
                cost->vector_flops.value(), cost->bytes_read.value(), cost->bytes_written.value(),
                op.host_waits() ? ", the host waits" : "");
}

/// The lines of all entries but views.
inline std::vector<std::string> entry_lines(const schedule::Schedule& schedule) {
  std::vector<std::string> lines;
  for (const schedule::ScheduledOp& op : schedule.ops) {
    if (std::holds_alternative<schedule::ViewWork>(op.work)) continue;
    lines.push_back(entry_line(schedule, op));
  }
  return lines;
}

}  // namespace rooflab::recording
