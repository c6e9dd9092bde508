// The protobuf wire format.
//
// A message is a sequence of (tag, value); a value of unknown length carries its length first.
// protozero checks every length against the enclosing message, so a length that lies is found
// before anything is read or allocated by it, and skipping a tensor's data moves a pointer: of a
// file only the rest is read.
// Repeated numbers may be packed into one field or written one by one; both are read.
// Source: protobuf.dev, "Encoding".

#pragma once

#include <algorithm>
#include <protozero/pbf_reader.hpp>
#include <string_view>

#include "model_view.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::onnx {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr std::uint32_t varint(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::varint);
}
constexpr std::uint32_t bytes(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::length_delimited);
}
constexpr std::uint32_t fixed32(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::fixed32);
}
constexpr std::uint32_t fixed64(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::fixed64);
}

/// A message, whose fields are read one by one.
inline std::string_view view_of(pbf_reader& field) {
  const protozero::data_view view = field.get_view();
  return {view.data(), view.size()};
}

inline std::string_view text_of(pbf_reader& field, const Source& source) {
  const std::string_view text = view_of(field);
  source.load(text);
  return text;
}

/// Takes a copy: the field is still to be read.
inline void load_content(pbf_reader field, const Source& source) { source.load(view_of(field)); }

inline StoredBytes data_of(pbf_reader& field, const Source& source) {
  return {view_of(field), source.reader};
}

/// Calls `on_field` for every field; it returns false for a field to be skipped. A damaged field
/// ends in an Error at its offset.
template <class OnField>
void read_fields(std::string_view message, const Source& source, OnField&& on_field) {
  pbf_reader reader(message.data(), message.size());
  const char* place = message.data();
  // The most that a field has before its content: a tag and a number or length of 10 bytes each.
  constexpr std::size_t longest_head = 20;
  const auto load_head = [&] {
    source.load({place, std::min(longest_head, reader.length())});
    return true;
  };
  try {
    while (load_head() && reader.next()) {
      if (!on_field(reader)) reader.skip();
      place = reader.data().data();
    }
  } catch (const protozero::exception&) {
    throw Error(ErrorKind::input,
                "the file is damaged or is not ONNX: a field is malformed or longer than the "
                "message around it",
                "is the file complete? compare its size with the original",
                source.at(source.offset_of(place)));
  }
}

/// Varints of a packed field.
template <class Append>
void read_packed(pbf_reader& field, const Source& source, Append&& append) {
  load_content(field, source);
  for (const std::int64_t value : field.get_packed_int64()) append(value);
}

}  // namespace rooflab::onnx
