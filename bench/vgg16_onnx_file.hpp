#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::bench {

// A 550 MB file is too much to keep, so it is made: an ONNX model that has its weights outside is
// copied field by field, and every initialiser gets `raw_data` (zeros) of its size instead of the
// place in the other file. Protobuf's wire format is simple enough for that: a field is a varint
// tag (number * 8 + wire type) and, here, a varint or a length followed by its bytes. Lengths of
// enclosing messages grow, so they are computed first and the bytes are streamed after.
//
// Field numbers of onnx.proto: ModelProto.graph 7, GraphProto.initializer 5, TensorProto.dims 1,
// .data_type 2, .raw_data 9, .external_data 13, .data_location 14.

/// One field of a message: its bytes as they stand, tag included, and its content.
struct WireField {
  std::uint64_t number = 0;
  std::uint64_t wire_type = 0;
  std::uint64_t value = 0;   ///< value of a varint
  std::string_view content;  ///< content of a length-delimited field
  std::string_view whole;
};

inline std::uint64_t read_varint(std::string_view bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(at++));
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
  throw std::runtime_error("a varint is too long");
}

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>((value & 0x7FU) | 0x80U);
  return bytes + static_cast<char>(value);
}

inline std::vector<WireField> fields_of(std::string_view message) {
  std::vector<WireField> fields;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t begin = at;
    const std::uint64_t tag = read_varint(message, at);
    WireField field{tag >> 3U, tag & 7U, 0, {}, {}};
    if (field.wire_type == 0) {
      field.value = read_varint(message, at);
    } else if (field.wire_type == 2) {
      const std::uint64_t length = read_varint(message, at);
      if (length > message.size() - at) throw std::runtime_error("a length lies");
      field.content = message.substr(at, length);
      at += length;
    } else {
      at += field.wire_type == 1 ? 8 : 4;
    }
    field.whole = message.substr(begin, at - begin);
    fields.push_back(field);
  }
  return fields;
}

/// A tensor without its external data, and the bytes of zeros that follow it as `raw_data`.
struct FilledTensor {
  std::string head;
  std::uint64_t raw_bytes = 0;

  [[nodiscard]] std::uint64_t size() const { return head.size() + raw_bytes; }
};

inline FilledTensor filled(std::string_view tensor) {
  FilledTensor result;
  std::uint64_t elements = 1;
  bool external = false;
  for (const WireField& field : fields_of(tensor)) {
    if (field.number == 1 && field.wire_type == 0) elements *= field.value;
    if (field.number == 1 && field.wire_type == 2) {  // packed
      for (std::size_t at = 0; at < field.content.size();)
        elements *= read_varint(field.content, at);
    }
    if (field.number == 14) external = field.value == 1;
    if (field.number != 13 && field.number != 14) result.head += field.whole;
  }
  if (!external) return {std::string(tensor), 0};
  result.raw_bytes = elements * sizeof(float);
  result.head += varint(9U * 8U + 2U) + varint(result.raw_bytes);
  return result;
}

/// Writes `source`, an ONNX file with external float weights, with the weights inside. Returns the
/// size of the new file in bytes.
inline std::uint64_t write_with_weights(const std::filesystem::path& source,
                                        const std::filesystem::path& target) {
  std::ifstream in(source, std::ios::binary);
  const std::string model((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (model.empty()) throw std::runtime_error("cannot read " + source.string());
  std::ofstream out(target, std::ios::binary);
  const std::string zeros(std::size_t{1} << 20U, '\0');
  for (const WireField& field : fields_of(model)) {
    if (field.number != 7) {
      out << field.whole;
      continue;
    }
    const std::vector<WireField> parts = fields_of(field.content);
    std::uint64_t graph_size = 0;
    for (const WireField& part : parts) {
      if (part.number != 5) {
        graph_size += part.whole.size();
      } else {
        const std::uint64_t size = filled(part.content).size();
        graph_size += 1 + varint(size).size() + size;
      }
    }
    out << varint(7U * 8U + 2U) << varint(graph_size);
    for (const WireField& part : parts) {
      if (part.number != 5) {
        out << part.whole;
        continue;
      }
      const FilledTensor tensor = filled(part.content);
      out << varint(5U * 8U + 2U) << varint(tensor.size()) << tensor.head;
      for (std::uint64_t left = tensor.raw_bytes; left > 0;) {
        const std::uint64_t chunk = left < zeros.size() ? left : zeros.size();
        out.write(zeros.data(), static_cast<std::streamsize>(chunk));
        left -= chunk;
      }
    }
  }
  out.close();
  if (!out) throw std::runtime_error("cannot write " + target.string());
  return std::filesystem::file_size(target);
}

}  // namespace rooflab::bench
