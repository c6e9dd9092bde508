#include "tensor_message.hpp"

#include "limits.hpp"

namespace rooflab::onnx {

TensorView parse_tensor(std::string_view message, const Source& source) {
  TensorView tensor;
  tensor.offset = source.offset_of(message.data());
  const auto keep_integer = [&tensor](std::int64_t value) {
    if (tensor.loose_integers.size() <= max_folded_elements) tensor.loose_integers.push_back(value);
  };
  const auto keep_float = [&tensor](double value) {
    if (tensor.loose_floats.size() <= max_folded_elements) tensor.loose_floats.push_back(value);
  };
  read_fields(message, source, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case varint(1):
        tensor.dims.push_back(field.get_int64());
        return true;
      case bytes(1):
        read_packed(field, source,
                    [&tensor](std::int64_t extent) { tensor.dims.push_back(extent); });
        return true;
      case varint(2):
        tensor.element_type = field.get_int32();
        return true;
      case bytes(4):
        tensor.packed_floats = data_of(field, source);
        return true;
      case fixed32(4):
        keep_float(static_cast<double>(field.get_float()));
        return true;
      case bytes(5):
      case bytes(7):
      case bytes(11):
        tensor.packed_integers = data_of(field, source);
        return true;
      case varint(5):
      case varint(7):
      case varint(11):
        keep_integer(field.get_int64());
        return true;
      case bytes(8):
        tensor.name = text_of(field, source);
        return true;
      case bytes(9):
        tensor.raw = data_of(field, source);
        return true;
      case bytes(10):
        tensor.packed_doubles = data_of(field, source);
        return true;
      case fixed64(10):
        keep_float(field.get_double());
        return true;
      case bytes(13):
        tensor.external_entries.push_back(view_of(field));
        return true;
      case varint(14):
        tensor.external = field.get_int32() == 1;
        return true;
      default:
        return false;
    }
  });
  return tensor;
}

TensorView parse_sparse_tensor(std::string_view message, const Source& source) {
  TensorView tensor;
  tensor.sparse = true;
  tensor.offset = source.offset_of(message.data());
  read_fields(message, source, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case bytes(1): {
        const TensorView values = parse_tensor(view_of(field), source);
        tensor.name = values.name;
        tensor.element_type = values.element_type;
        return true;
      }
      case varint(3):
        tensor.dims.push_back(field.get_int64());
        return true;
      case bytes(3):
        read_packed(field, source,
                    [&tensor](std::int64_t extent) { tensor.dims.push_back(extent); });
        return true;
      default:
        return false;
    }
  });
  return tensor;
}

Entry parse_entry(std::string_view message, const Source& source) {
  Entry entry;
  read_fields(message, source, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case bytes(1):
        entry.key = text_of(field, source);
        return true;
      case bytes(2):
        entry.value = text_of(field, source);
        return true;
      default:
        return false;
    }
  });
  return entry;
}

ExternalData parse_external_data(const TensorView& tensor, const Source& source) {
  ExternalData data;
  for (const std::string_view message : tensor.external_entries) {
    const auto [key, value] = parse_entry(message, source);
    if (key == "location") data.location = value;
    if (key == "offset") data.offset = value;
    if (key == "length") data.length = value;
  }
  return data;
}

}  // namespace rooflab::onnx
