#include "event_fields.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "record/trace_event_names.hpp"
#include "token.hpp"

namespace rooflab::import::kineto {
namespace {

namespace names = record::trace_event;

constexpr std::size_t head = sizeof(std::uint64_t);

/// A key with its closing quote, compared by its first eight bytes at once.
class KeyText {
 public:
  constexpr KeyText(std::string_view text, Key key) : text_(text), key_(key) {
    for (std::size_t i = 0; i < std::min(text.size() + 1, head); ++i) {
      mask_[i] = static_cast<char>(0xFF);
      bytes_[i] = i < text.size() ? text[i] : '"';
    }
  }
  [[nodiscard]] bool matches(std::uint64_t first, const char* text) const {
    std::uint64_t mask = 0;
    std::uint64_t bytes = 0;
    std::memcpy(&mask, mask_.data(), head);
    std::memcpy(&bytes, bytes_.data(), head);
    if ((first & mask) != bytes) return false;
    return text_.size() < head ||
           (std::memcmp(text, text_.data(), text_.size()) == 0 && text[text_.size()] == '"');
  }
  [[nodiscard]] Key key() const { return key_; }

 private:
  std::string_view text_;
  Key key_;
  std::array<char, head> mask_{};
  std::array<char, head> bytes_{};
};

template <std::size_t n>
Key find(const std::array<KeyText, n>& keys, const char* text) {
  std::uint64_t first = 0;
  std::memcpy(&first, text, head);
  for (const KeyText& each : keys) {
    if (each.matches(first, text)) return each.key();
  }
  return Key::none;
}

// The spellings of libkineto's output_json.cpp and of torch's profiler, with those of older ones.
constexpr std::array event_keys = {
    KeyText("ph", Key::ph),   KeyText("cat", Key::cat),   KeyText("name", Key::name),
    KeyText("pid", Key::pid), KeyText("tid", Key::tid),   KeyText("ts", Key::ts),
    KeyText("dur", Key::dur), KeyText("args", Key::args),
};
constexpr std::array argument_keys = {
    KeyText(names::external_id, Key::external_id),
    KeyText("external id", Key::external_id),
    KeyText(names::correlation, Key::correlation),
    KeyText(names::sequence, Key::sequence),
    KeyText(names::device, Key::device),
    KeyText(names::stream, Key::stream),
    KeyText(names::registers, Key::registers),
    KeyText(names::shared_memory, Key::shared_memory),
    KeyText(names::blocks_per_sm, Key::blocks_per_sm),
    KeyText(names::warps_per_sm, Key::warps_per_sm),
    KeyText(names::grid, Key::grid),
    KeyText(names::block, Key::block),
    KeyText(names::occupancy, Key::occupancy),
    KeyText("Input Dims", Key::input_dims),
    KeyText("Input dims", Key::input_dims),
    KeyText("Input type", Key::input_type),
    KeyText("Concrete Inputs", Key::concrete_inputs),
    KeyText(names::bytes, Key::bytes),
    KeyText("Bytes", Key::bytes),
    KeyText("Device Type", Key::device_type),
    KeyText("Device Id", Key::device_id),
    KeyText("Total Allocated", Key::total_allocated),
    KeyText("Total Reserved", Key::total_reserved),
    KeyText("Collective name", Key::collective),
    KeyText("In msg nelems", Key::elements_in),
    KeyText("Out msg nelems", Key::elements_out),
    KeyText("dtype", Key::dtype),
    KeyText("Group size", Key::group_size),
    KeyText("name", Key::process_name),
};

using Category = std::pair<std::string_view, EventKind>;
constexpr std::array categories = {
    Category{names::op, EventKind::op},
    Category{"operator", EventKind::op},
    Category{names::annotation, EventKind::annotation},
    Category{names::device_annotation, EventKind::device_annotation},
    Category{names::runtime, EventKind::runtime},
    Category{"cuda_driver", EventKind::runtime},
    Category{"runtime", EventKind::runtime},
    Category{"privateuse1_runtime", EventKind::runtime},
    Category{"privateuse1_driver", EventKind::runtime},
    Category{"xpu_runtime", EventKind::runtime},
    Category{"xpu_driver", EventKind::runtime},
    Category{"mtia_runtime", EventKind::runtime},
    Category{names::overhead, EventKind::overhead},
    Category{names::kernel, EventKind::kernel},
    Category{"concurrent_kernel", EventKind::kernel},
    Category{names::memcpy, EventKind::memcpy},
    Category{"memcpy", EventKind::memcpy},
    Category{names::memset, EventKind::memset},
    Category{"memset", EventKind::memset},
    Category{"collective_comm", EventKind::collective},
    Category{"python_function", EventKind::python},
    Category{"cuda_profiler_range", EventKind::counter_range},
    Category{"trace", EventKind::unused},  // the span of the recording
    Category{names::arrow, EventKind::unused},
    Category{"fwdbwd", EventKind::unused},
};

bool equal_in_any_case(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

}  // namespace

Key event_key(const char* text) { return find(event_keys, text); }
Key argument_key(const char* text) { return find(argument_keys, text); }

bool is_used_phase(std::string_view ph) {
  // Flows from an op to its kernel and from forward to backward: the ids say the same.
  return ph != "\"s\"" && ph != "\"f\"" && ph != "\"t\"";
}

EventKind kind_of(const EventFields& fields) {
  const std::string_view ph = fields[Key::ph];
  if (!is_used_phase(ph)) return EventKind::unused;
  const std::string_view name = fields[Key::name];
  if (ph == "\"M\"") {
    return name == "\"process_name\"" ? EventKind::process_name : EventKind::unused;
  }
  if (ph == "\"i\"" || ph == "\"I\"") {
    return name == "\"[memory]\"" ? EventKind::memory : EventKind::unused;
  }
  if (ph != "\"X\"") return EventKind::other;
  std::string_view category = fields[Key::cat];
  if (category.size() >= 2) category = category.substr(1, category.size() - 2);
  if (category.empty()) {  // autograd's profiler before kineto
    return fields[Key::pid] == "\"CUDA functions\"" ? EventKind::kernel : EventKind::op;
  }
  for (const auto& [text, kind] : categories) {
    if (equal_in_any_case(category, text)) return kind;
  }
  return EventKind::other;
}

}  // namespace rooflab::import::kineto
