// Where a TensorProto keeps its elements.
//
// raw_data is dense and little-endian, and so are packed float_data of floats and double_data of
// doubles on the wire: their place in the file is all a reader needs. int32_data, int64_data and
// uint64_data are varints (fp16 and bf16 are bit patterns in int32_data) and are decoded, as are
// numbers written one by one. Two 4-bit elements share a byte, the first in the low half; the graph
// has no type below a byte, so they are spread out. The graph does not keep which 8-bit float a
// tensor is in, so those have no data here.
//
// External data names a file by a path relative to the model's folder. A path that leaves the
// folder by its parts would let a model read any file of its user: it is refused. A link inside the
// folder is followed, which is how model caches store files.
// Source: github.com/onnx/onnx, onnx/onnx.proto (TensorProto), docs/ExternalData.md.

#include "tensor_data.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::onnx {
namespace {

constexpr std::int32_t uint4_code = 21;
constexpr std::int32_t int4_code = 22;

bool is_4_bit(const TensorView& tensor) {
  return tensor.element_type == uint4_code || tensor.element_type == int4_code;
}

void append(std::string& dense, std::uint64_t value, std::size_t width) {
  dense.append(reinterpret_cast<const char*>(&value), width);
}

/// Varints in their elements' width; nullopt when there are not `count` of them.
std::optional<std::string> from_varints(std::string_view data, std::size_t count,
                                        std::size_t width) {
  std::string dense;
  const char* place = data.data();
  const char* const end = place + data.size();
  try {
    for (; place != end && count > 0; --count)
      append(dense, protozero::decode_varint(&place, end), width);
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
  if (count > 0 || place != end) return std::nullopt;
  return dense;
}

/// What was written number by number; only the first few are kept (model_view.cpp).
std::optional<std::string> from_loose(const TensorView& tensor, const graph::TensorType& type,
                                      std::size_t count, std::size_t width) {
  std::string dense;
  if (tensor.loose_integers.size() == count) {
    for (const std::int64_t value : tensor.loose_integers) {
      append(dense, static_cast<std::uint64_t>(value), width);
    }
    return dense;
  }
  if (tensor.loose_floats.size() != count) return std::nullopt;
  for (const double value : tensor.loose_floats) {
    if (type.dtype == DType::f64) {
      append(dense, std::bit_cast<std::uint64_t>(value), width);
    } else {
      append(dense, std::bit_cast<std::uint32_t>(static_cast<float>(value)), width);
    }
  }
  return dense;
}

std::optional<std::string> from_nibbles(std::string_view raw, std::size_t count, bool has_sign) {
  if (raw.size() != (count + 1) / 2) return std::nullopt;
  std::string dense;
  for (std::size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(raw[i / 2]);
    int value = i % 2 == 0 ? byte & 0xf : byte >> 4;
    if (has_sign && value >= 8) value -= 16;
    dense.push_back(static_cast<char>(value));
  }
  return dense;
}

std::int64_t count_of(std::string_view text, std::string_view what, const TensorView& tensor,
                      const Source& source) {
  const std::optional<std::int64_t> value = parse_integer(text);
  if (!value || *value < 0) {
    throw Error(ErrorKind::input,
                format("the {} of the external data of '{}' is '{}'", what, tensor.name, text), {},
                source.at(tensor.offset));
  }
  return *value;
}

}  // namespace

StoredBytes TensorData::plain(const TensorView& tensor, const graph::TensorType& type) const {
  if (tensor.external || is_4_bit(tensor) || type.dtype == DType::f8) return {};
  StoredBytes data = tensor.raw;
  if (data.empty() && type.dtype == DType::f32) data = tensor.packed_floats;
  if (data.empty() && type.dtype == DType::f64) data = tensor.packed_doubles;
  if (!data.empty() && static_cast<std::int64_t>(data.size()) != type.bytes()) {
    throw Error(ErrorKind::input,
                format("the data of '{}' is {} bytes long and not {}", tensor.name, data.size(),
                       type.bytes()),
                {}, source_.at(source_.offset_of(data.place())));
  }
  return data;
}

ValuePlace TensorData::external_place(const TensorView& tensor, const graph::TensorType& type) {
  const ExternalData external = parse_external_data(tensor, source_);
  const auto fail = [&](std::string message, std::string hint = {}) {
    throw Error(ErrorKind::input, std::move(message), std::move(hint), source_.at(tensor.offset));
  };
  const std::filesystem::path location(external.location);
  const std::filesystem::path tidy = location.lexically_normal();
  if (location.empty()) fail(format("the external data of '{}' names no file", tensor.name));
  if (location.is_absolute() || tidy.begin()->string() == "..") {
    fail(format("the external data of '{}' is in '{}', which is not in the model's folder",
                tensor.name, external.location),
         "external data lies next to the .onnx file or in a folder below");
  }
  ValuePlace place{file_.parent_path() / tidy, 0};
  if (!external.offset.empty()) {
    place.offset = count_of(external.offset, "offset", tensor, source_);
  }
  if (!external.length.empty() &&
      count_of(external.length, "length", tensor, source_) != type.bytes()) {
    fail(format("the external data of '{}' is {} bytes long and not {}", tensor.name,
                external.length, type.bytes()));
  }
  const auto [known, added] = sizes_.try_emplace(place.file, 0);
  if (added) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(place.file, error);
    if (error) {
      fail(format("the external data of '{}' cannot be read: '{}': {}", tensor.name,
                  place.file.string(), error.message()),
           "keep it in the folder of the .onnx file, under the name that it was exported with");
    }
    known->second = static_cast<std::int64_t>(size);
  }
  if (type.bytes() > known->second || place.offset > known->second - type.bytes()) {
    throw Error(ErrorKind::input,
                format("the file ends before the data of '{}' does: {} bytes at {} of {}",
                       tensor.name, type.bytes(), place.offset, known->second),
                "is the file complete? compare its size with the original",
                {place.file.string(), {}, {}, known->second});
  }
  return place;
}

std::optional<ValuePlace> TensorData::place(const TensorView& tensor,
                                            const graph::TensorType& type) {
  if (type.shape.elements() == 0 || tensor.sparse) return std::nullopt;
  if (tensor.external) {
    if (file_.empty() || is_4_bit(tensor) || type.dtype == DType::f8) return std::nullopt;
    return external_place(tensor, type);
  }
  const StoredBytes data = plain(tensor, type);
  if (data.empty()) return std::nullopt;
  return ValuePlace{file_, source_.offset_of(data.place())};
}

std::optional<std::string> TensorData::bytes(const TensorView& tensor,
                                             const graph::TensorType& type) {
  if (type.shape.elements() == 0) return std::string();
  if (tensor.sparse || type.dtype == DType::f8) return std::nullopt;
  const auto count = static_cast<std::size_t>(type.shape.elements());
  const auto width = static_cast<std::size_t>(size_of(type.dtype));
  if (tensor.external) {
    const std::optional<ValuePlace> there = place(tensor, type);
    if (!there) return std::nullopt;
    std::unique_ptr<FileBytes>& file = files_[there->file];
    if (!file) file = std::make_unique<FileBytes>(there->file);
    const auto begin = static_cast<std::size_t>(there->offset);
    const std::size_t now = file->bytes().size();
    if (begin > now || count * width > now - begin) {
      throw Error(ErrorKind::input, "the file became shorter while it was read", {},
                  {there->file.string(), {}, {}, static_cast<std::int64_t>(now)});
    }
    return std::string(StoredBytes(file->bytes().substr(begin, count * width), &*file).read());
  }
  if (is_4_bit(tensor))
    return from_nibbles(tensor.raw.read(), count, tensor.element_type == int4_code);
  const StoredBytes data = plain(tensor, type);
  if (!data.empty()) return std::string(data.read());
  if (!tensor.packed_integers.empty()) {
    return from_varints(tensor.packed_integers.read(), count, width);
  }
  return from_loose(tensor, type, count, width);
}

std::string TensorData::reason(const TensorView& tensor, const graph::TensorType& type) const {
  if (tensor.sparse) return "it is stored as a sparse tensor";
  if (type.dtype == DType::f8) return "the graph does not keep which 8-bit float it is in";
  if (tensor.external && is_4_bit(tensor)) return "its elements of 4 bits are in another file";
  if (tensor.external) return "it is in another file";
  return "the file does not hold it in full";
}

}  // namespace rooflab::onnx
