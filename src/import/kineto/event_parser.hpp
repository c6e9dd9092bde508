#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "event_fields.hpp"
#include "event_scanner.hpp"

namespace rooflab::import::kineto {

/// Parses events.
class EventParser {
 public:
  /// Receiver of events.
  class Sink {
   public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;
    /// Receives an event; `offset` is its place in the window.
    virtual void event(EventFields& fields, std::size_t offset) = 0;
    /// Reports that the next event is not valid JSON or not an object; its readable part may
    /// follow.
    virtual void invalid_event(std::size_t offset) = 0;
  };

  EventParser();
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;
  ~EventParser();

  /// Parses the events at `frames` of the text that begins at `text`. The bytes around the frames
  /// are overwritten and restored, and there must be a window's margin on both sides.
  ///
  /// Neighbours are parsed as one list by simdjson (its index of a list costs less than that of
  /// many small texts). After an error, the events that were not parsed yet are parsed one by one,
  /// and one that is invalid even alone is read leniently.
  void parse(char* text, std::span<const Frame> frames, Sink& sink);

 private:
  class Simd;
  std::unique_ptr<Simd> simd_;
};

/// Reads as much as possible of an event that is not valid JSON: control characters in strings,
/// bytes that are not UTF-8, missing commas and similar faults. False: nothing was usable. `text`
/// must have a window's margin after it.
bool parse_leniently(std::string_view text, EventFields& fields);

}  // namespace rooflab::import::kineto
