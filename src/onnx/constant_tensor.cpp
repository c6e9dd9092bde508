#include "constant_tensor.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <protozero/varint.hpp>

#include "limits.hpp"

namespace rooflab::onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "raw tensor data is little-endian");

template <class Element>
Element load(const char* place) {
  Element element;
  std::memcpy(&element, place, sizeof element);
  return element;
}

double from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0x1f) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

double from_bfloat(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

/// One element of raw data; false for a type whose values are never computed with.
bool push_raw(ConstantTensor& tensor, const char* place) {
  switch (tensor.type.dtype) {
    case DType::f64:
      tensor.push(load<double>(place));
      return true;
    case DType::f32:
      tensor.push(static_cast<double>(load<float>(place)));
      return true;
    case DType::f16:
      tensor.push(from_half(load<std::uint16_t>(place)));
      return true;
    case DType::bf16:
      tensor.push(from_bfloat(load<std::uint16_t>(place)));
      return true;
    case DType::i64:
      tensor.push(load<std::int64_t>(place));
      return true;
    case DType::i32:
      tensor.push(std::int64_t{load<std::int32_t>(place)});
      return true;
    case DType::i16:
      tensor.push(std::int64_t{load<std::int16_t>(place)});
      return true;
    case DType::i8:
      tensor.push(std::int64_t{load<std::int8_t>(place)});
      return true;
    case DType::u64:
      tensor.push(static_cast<std::int64_t>(load<std::uint64_t>(place)));
      return true;
    case DType::u32:
      tensor.push(std::int64_t{load<std::uint32_t>(place)});
      return true;
    case DType::u16:
      tensor.push(std::int64_t{load<std::uint16_t>(place)});
      return true;
    case DType::u8:
    case DType::boolean:
      tensor.push(std::int64_t{load<std::uint8_t>(place)});
      return true;
    case DType::f8:
      return false;
  }
  return false;
}

std::uint16_t to_bfloat(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

/// The steps between halves near 2^e are 2^(e - 10), and 2^-24 below 2^-14.
std::uint16_t to_half(double value) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000U : 0U;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00U);
  int exponent = -14;
  if (magnitude >= 0x1p-14) exponent = std::ilogb(magnitude);
  // nearbyint rounds ties to even; a mantissa of 2048 carries into the exponent by itself.
  const auto steps =
      static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  const auto before = static_cast<std::uint32_t>(exponent + 14) << 10U;
  return static_cast<std::uint16_t>(sign + before + steps);
}

template <class Element>
void append(std::string& bytes, Element element) {
  bytes.append(reinterpret_cast<const char*>(&element), sizeof element);
}

/// An element of int32_data and its kind: 16-bit floats are stored there as bit patterns.
void push_stored_integer(ConstantTensor& tensor, std::int64_t value) {
  if (tensor.type.dtype == DType::f16) {
    tensor.push(from_half(static_cast<std::uint16_t>(value)));
  } else if (tensor.type.dtype == DType::bf16) {
    tensor.push(from_bfloat(static_cast<std::uint16_t>(value)));
  } else {
    tensor.push(value);
  }
}

void push_varints(ConstantTensor& tensor, std::string_view data, std::size_t count) {
  const char* place = data.data();
  const char* const end = place + data.size();
  try {
    while (place != end && tensor.size() < count) {
      push_stored_integer(tensor, static_cast<std::int64_t>(protozero::decode_varint(&place, end)));
    }
  } catch (const protozero::exception&) {
    // Fewer elements than announced: the caller compares the counts.
  }
}

}  // namespace

std::optional<DType> dtype_of(std::int32_t element_type) {
  switch (element_type) {
    case 1:
      return DType::f32;
    case 2:
      return DType::u8;
    case 3:
      return DType::i8;
    case 4:
      return DType::u16;
    case 5:
      return DType::i16;
    case 6:
      return DType::i32;
    case 7:
      return DType::i64;
    case 9:
      return DType::boolean;
    case 10:
      return DType::f16;
    case 11:
      return DType::f64;
    case 12:
      return DType::u32;
    case 13:
      return DType::u64;
    case 16:
      return DType::bf16;
    case 17:
    case 18:
    case 19:
    case 20:
      return DType::f8;
    case 21:
      return DType::u8;
    case 22:
      return DType::i8;
    default:
      return std::nullopt;
  }
}

std::int64_t ConstantTensor::integer(std::size_t i) const {
  if (!floating()) return integers[i];
  const double value = numbers[i];
  if (std::isnan(value)) return 0;
  if (value >= 9.2e18) return std::numeric_limits<std::int64_t>::max();
  if (value <= -9.2e18) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

std::vector<std::int64_t> ConstantTensor::as_integers() const {
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < size(); ++i) values.push_back(integer(i));
  return values;
}

std::vector<double> ConstantTensor::as_numbers() const {
  std::vector<double> values;
  for (std::size_t i = 0; i < size(); ++i) values.push_back(number(i));
  return values;
}

void ConstantTensor::push(double value) {
  if (type.dtype == DType::f64) {
    numbers.push_back(value);
  } else if (floating()) {
    // Steps of float arithmetic round as float does: floor(7 * 0.1f * 10) must come out the same.
    numbers.push_back(static_cast<double>(static_cast<float>(value)));
  } else {
    ConstantTensor converter = empty({DType::f64, {}});
    converter.numbers.push_back(value);
    push(type.dtype == DType::boolean ? std::int64_t{value != 0.0} : converter.integer(0));
  }
}

void ConstantTensor::push(std::int64_t value) {
  if (floating()) return push(static_cast<double>(value));
  switch (type.dtype) {
    case DType::boolean:
      value = value != 0;
      break;
    case DType::i32:
      value = static_cast<std::int32_t>(value);
      break;
    case DType::i16:
      value = static_cast<std::int16_t>(value);
      break;
    case DType::i8:
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): the sign counts
      value = static_cast<std::int8_t>(value);
      break;
    case DType::u32:
      value = static_cast<std::uint32_t>(value);
      break;
    case DType::u16:
      value = static_cast<std::uint16_t>(value);
      break;
    case DType::u8:
      value = static_cast<std::uint8_t>(value);
      break;
    default:
      break;
  }
  integers.push_back(value);
}

void ConstantTensor::push_element(const ConstantTensor& from, std::size_t i) {
  if (from.floating()) {
    push(from.numbers[i]);
  } else {
    push(from.integers[i]);
  }
}

ConstantTensor ConstantTensor::of(std::vector<std::int64_t> values) {
  ConstantTensor tensor;
  tensor.type = {DType::i64, graph::Shape(std::vector{static_cast<std::int64_t>(values.size())})};
  tensor.integers = std::move(values);
  return tensor;
}

ConstantTensor ConstantTensor::scalar(std::int64_t value) {
  ConstantTensor tensor;
  tensor.type = {DType::i64, {}};
  tensor.integers = {value};
  return tensor;
}

ConstantTensor ConstantTensor::empty(graph::TensorType type) {
  ConstantTensor tensor;
  tensor.type = std::move(type);
  return tensor;
}

ConstantTensor ConstantTensor::filled(graph::TensorType type, std::int64_t value) {
  ConstantTensor tensor = empty(std::move(type));
  for (std::int64_t i = 0; i < tensor.type.shape.elements(); ++i) tensor.push(value);
  return tensor;
}

std::optional<ConstantTensor> read_tensor(const TensorView& view, const graph::TensorType& type) {
  const auto count = static_cast<std::size_t>(type.shape.elements());
  const std::size_t limit = is_floating(type.dtype) ? max_folded_elements : max_read_integers;
  if (view.external || count > limit) return std::nullopt;
  // Two 4-bit elements share a byte: their values are not needed for shapes.
  if (view.element_type == 21 || view.element_type == 22) return std::nullopt;
  ConstantTensor tensor = ConstantTensor::empty(type);
  const auto width = static_cast<std::size_t>(size_of(type.dtype));
  if (!view.raw.empty()) {
    if (view.raw.size() < count * width) return std::nullopt;
    const std::string_view raw = view.raw.read();
    for (std::size_t i = 0; i < count; ++i) {
      if (!push_raw(tensor, raw.data() + i * width)) return std::nullopt;
    }
  } else if (!view.packed_floats.empty()) {
    const std::string_view packed = view.packed_floats.read();
    const std::size_t stored = packed.size() / sizeof(float);
    for (std::size_t i = 0; i < count && i < stored; ++i) {
      const float value = load<float>(packed.data() + i * sizeof(float));
      tensor.push(static_cast<double>(value));
    }
  } else if (!view.packed_doubles.empty()) {
    const std::string_view packed = view.packed_doubles.read();
    const std::size_t stored = packed.size() / sizeof(double);
    for (std::size_t i = 0; i < count && i < stored; ++i) {
      tensor.push(load<double>(packed.data() + i * sizeof(double)));
    }
  } else if (!view.packed_integers.empty()) {
    push_varints(tensor, view.packed_integers.read(), count);
  } else if (!view.loose_integers.empty()) {
    for (std::size_t i = 0; i < count && i < view.loose_integers.size(); ++i) {
      push_stored_integer(tensor, view.loose_integers[i]);
    }
  } else {
    for (std::size_t i = 0; i < count && i < view.loose_floats.size(); ++i) {
      tensor.push(view.loose_floats[i]);
    }
  }
  if (tensor.size() != count) return std::nullopt;
  return tensor;
}

std::optional<ConstantTensor> tensor_of_bytes(std::string_view dense,
                                              const graph::TensorType& type) {
  ConstantTensor tensor = ConstantTensor::empty(type);
  const auto width = static_cast<std::size_t>(size_of(type.dtype));
  for (std::size_t at = 0; at + width <= dense.size(); at += width) {
    if (!push_raw(tensor, dense.data() + at)) return std::nullopt;
  }
  return tensor;
}

std::string dense_bytes(const ConstantTensor& tensor) {
  std::string bytes;
  const auto width = static_cast<std::size_t>(size_of(tensor.type.dtype));
  bytes.reserve(tensor.size() * width);
  for (const double number : tensor.numbers) {
    if (tensor.type.dtype == DType::f64) append(bytes, number);
    if (tensor.type.dtype == DType::f32) append(bytes, static_cast<float>(number));
    if (tensor.type.dtype == DType::f16) append(bytes, to_half(number));
    if (tensor.type.dtype == DType::bf16) append(bytes, to_bfloat(number));
  }
  // Two's complement: the low bytes are the same number in fewer.
  for (const std::int64_t integer : tensor.integers) {
    bytes.append(reinterpret_cast<const char*>(&integer), width);
  }
  return bytes;
}

std::vector<std::int64_t> strides_of(const graph::Shape& shape) {
  std::vector<std::int64_t> strides(shape.rank(), 1);
  for (std::size_t i = shape.rank(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

void Positions::advance() {
  for (std::size_t axis = index_.size(); axis-- > 0;) {
    if (++index_[axis] < shape_[axis]) return;
    index_[axis] = 0;
  }
}

}  // namespace rooflab::onnx
