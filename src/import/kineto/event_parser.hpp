#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "event_fields.hpp"
#include "event_scanner.hpp"

namespace rooflab::import::kineto {

/// Takes events apart.
class EventParser {
 public:
  /// What becomes of an event.
  class Sink {
   public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;
    /// `offset` is the place in the window.
    virtual void event(EventFields& fields, std::size_t offset) = 0;
    /// The next event is not valid JSON, or no object; what of it could be read may follow.
    virtual void invalid_event(std::size_t offset) = 0;
  };

  EventParser();
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;
  ~EventParser();

  /// The events at `frames` of the text that begins at `text`. The bytes around the frames are
  /// written to and restored, and there must be a window's margin of them on both sides.
  ///
  /// Neighbours are parsed as one list by simdjson (its index of a list costs less than that of
  /// many small texts). Where it finds an error, the events that had not come out well by then are
  /// parsed one by one, and one that is invalid even alone is read leniently.
  void parse(char* text, std::span<const Frame> frames, Sink& sink);

 private:
  class Simd;
  std::unique_ptr<Simd> simd_;
};

/// Reads what it can of an event that is not valid JSON: control characters in strings, bytes that
/// are not UTF-8, missing commas and the like. False: nothing of use.
/// `text` has a window's margin behind it.
bool parse_leniently(std::string_view text, EventFields& fields);

}  // namespace rooflab::import::kineto
