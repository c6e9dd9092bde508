#include "event_parser.hpp"

#include <simdjson.h>

#include <string>
#include <utility>

#include "text_window.hpp"
#include "token.hpp"

namespace rooflab::import::kineto {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(TextWindow::margin > simdjson::SIMDJSON_PADDING);

/// The longest list that is parsed at once, and the longest event that simdjson is asked for: its
/// memory grows with it, about six bytes a byte.
constexpr std::size_t batch_size = TextWindow::usual_size;

/// Reads the fields of `object` by keys that `find` knows. False: invalid.
template <class Find, class Use>
bool walk(ondemand::object& object, Find find, Use use) {
  for (auto result : object) {
    ondemand::field field;
    if (std::move(result).get(field) != simdjson::SUCCESS) return false;
    const Key key = find(field.key().raw());
    if (key == Key::none) continue;
    switch (use(key, field.value())) {
      case simdjson::SUCCESS:
        break;
      case simdjson::OUT_OF_BOUNDS:  // use() has seen enough
        return true;
      default:
        return false;
    }
  }
  return true;
}

/// The characters of a value, a nested one's too.
simdjson::error_code text_of_value(ondemand::value& value, std::string_view& token) {
  token = value.raw_json_token();
  if (token.starts_with('[')) {
    ondemand::array array;
    if (const auto error = value.get_array().get(array)) return error;
    if (const auto error = array.raw_json().get(token)) return error;
  } else if (token.starts_with('{')) {
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return error;
    if (const auto error = object.raw_json().get(token)) return error;
  }
  token = without_blanks(token);
  return simdjson::SUCCESS;
}

bool read_fields(ondemand::object& object, EventFields& fields) {
  const auto set = [&](Key key, ondemand::value value) {
    std::string_view token;
    if (const auto error = text_of_value(value, token)) return error;
    fields.set(key, token);
    return simdjson::SUCCESS;
  };
  return walk(object, event_key, [&](Key key, ondemand::value value) {
    if (key != Key::args) {
      if (const auto error = set(key, value)) return error;
      const bool enough = key == Key::ph && !is_used_phase(fields[Key::ph]);
      return enough ? simdjson::OUT_OF_BOUNDS : simdjson::SUCCESS;
    }
    if (fields.has(Key::ph) && fields.has(Key::cat)) {
      const EventKind kind = kind_of(fields);
      if (kind == EventKind::unused || kind == EventKind::python || kind == EventKind::other) {
        return simdjson::OUT_OF_BOUNDS;
      }
    }
    ondemand::object arguments;
    if (!value.raw_json_token().starts_with('{')) return simdjson::SUCCESS;
    if (const auto error = value.get_object().get(arguments)) return error;
    return walk(arguments, argument_key, set) ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
  });
}

}  // namespace

class EventParser::Simd {
 public:
  /// Hands out the events of the list; returns how many there were before an error.
  std::size_t parse_list(char* text, std::span<const Frame> frames, Sink& sink) {
    char& before = text[static_cast<std::ptrdiff_t>(frames.front().begin) - 1];
    char& behind = text[frames.back().end];
    const char kept_before = std::exchange(before, '[');
    const char kept_behind = std::exchange(behind, ']');
    const std::size_t count = parse_bracketed(text, frames, sink);
    before = kept_before;
    behind = kept_behind;
    return count;
  }

 private:
  std::size_t parse_bracketed(const char* text, std::span<const Frame> frames, Sink& sink) {
    const std::size_t length = frames.back().end - frames.front().begin + 2;
    const simdjson::padded_string_view list(text + frames.front().begin - 1, length,
                                            length + simdjson::SIMDJSON_PADDING);
    ondemand::document document;
    ondemand::array array;
    if (parser_.iterate(list).get(document) != simdjson::SUCCESS) return 0;
    if (document.get_array().get(array) != simdjson::SUCCESS) return 0;
    std::size_t done = 0;
    for (auto element : array) {
      ondemand::value value;
      ondemand::object object;
      if (element.get(value) != simdjson::SUCCESS) return done;
      // Both must see the same events, or what simdjson took for one is not.
      if (done == frames.size()) return done;
      if (value.raw_json_token().data() != text + frames[done].begin) return done;
      if (value.get_object().get(object) != simdjson::SUCCESS) return done;
      fields_.clear();
      if (!read_fields(object, fields_)) return done;
      sink.event(fields_, frames[done].begin);
      ++done;
    }
    return done;
  }

  ondemand::parser parser_;
  EventFields fields_;
};

EventParser::EventParser() : simd_(std::make_unique<Simd>()) {}
EventParser::~EventParser() = default;

void EventParser::parse(char* text, std::span<const Frame> frames, Sink& sink) {
  const auto parse_alone = [&](const Frame& frame) {
    const std::size_t length = frame.end - frame.begin;
    if (length <= batch_size) {
      if (simd_->parse_list(text, {&frame, 1}, sink) == 1) return;
      sink.invalid_event(frame.begin);
    }
    std::string clean = valid_utf8({text + frame.begin, length});
    const std::size_t clean_length = clean.size();
    clean.append(TextWindow::margin, ' ');
    EventFields fields;
    if (parse_leniently({clean.data(), clean_length}, fields)) sink.event(fields, frame.begin);
  };
  while (!frames.empty()) {
    std::size_t count = 1;
    while (count < frames.size() && frames[count].joined &&
           frames[count].end - frames.front().begin <= batch_size) {
      ++count;
    }
    const std::span<const Frame> list = frames.first(count);
    const bool fits = list.back().end - list.front().begin <= batch_size;
    const std::size_t done = fits ? simd_->parse_list(text, list, sink) : 0;
    for (const Frame& frame : list.subspan(done)) parse_alone(frame);
    frames = frames.subspan(count);
  }
}

}  // namespace rooflab::import::kineto
