// The protobuf wire format of ONNX, field by field.
//
// A message is a sequence of (tag, value); a value of unknown length carries its length first.
// protozero checks every length against the enclosing message, so a length that lies is found
// before anything is read or allocated by it, and skipping a tensor's data moves a pointer: of a
// file only the rest is read.
// Repeated numbers may be packed into one field or written one by one; both are read.
// Source: github.com/onnx/onnx, onnx/onnx.proto; protobuf.dev, "Encoding".

#include "model_view.hpp"

#include <algorithm>
#include <protozero/pbf_reader.hpp>

#include "limits.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::onnx {
namespace {

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
std::string_view view_of(pbf_reader& field) {
  const protozero::data_view view = field.get_view();
  return {view.data(), view.size()};
}

std::string_view text_of(pbf_reader& field, const Source& source) {
  const std::string_view text = view_of(field);
  source.load(text);
  return text;
}

/// Takes a copy: the field is still to be read.
void load_content(pbf_reader field, const Source& source) { source.load(view_of(field)); }

StoredBytes data_of(pbf_reader& field, const Source& source) {
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

/// SparseTensorProto as the dense tensor it stands for, without data.
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

DimensionView parse_dimension(std::string_view message, const Source& source) {
  DimensionView dimension;
  read_fields(message, source, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case varint(1):
        dimension.value = field.get_int64();
        return true;
      case bytes(2):
        dimension.symbol = text_of(field, source);
        return true;
      default:
        return false;
    }
  });
  return dimension;
}

TypeView parse_type(std::string_view message, const Source& source) {
  TypeView type;
  const auto on_dimension = [&](pbf_reader& field) {
    if (field.tag_and_type() != bytes(1)) return false;
    type.dims.push_back(parse_dimension(view_of(field), source));
    return true;
  };
  const auto on_tensor_type = [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case varint(1):
        type.element_type = field.get_int32();
        return true;
      case bytes(2):
        type.has_shape = true;
        read_fields(view_of(field), source, on_dimension);
        return true;
      default:
        return false;
    }
  };
  read_fields(message, source, [&](pbf_reader& field) {
    if (field.tag_and_type() != bytes(1)) return false;
    type.is_tensor = true;
    read_fields(view_of(field), source, on_tensor_type);
    return true;
  });
  return type;
}

ValueInfoView parse_value_info(std::string_view message, const Source& source) {
  ValueInfoView info;
  info.offset = source.offset_of(message.data());
  read_fields(message, source, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case bytes(1):
        info.name = text_of(field, source);
        return true;
      case bytes(2):
        info.type = parse_type(view_of(field), source);
        return true;
      default:
        return false;
    }
  });
  return info;
}

AttributeView parse_attribute(std::string_view message, const Source& source) {
  AttributeView attribute;
  read_fields(message, source, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case bytes(1):
        attribute.name = text_of(field, source);
        return true;
      case fixed32(2):
        attribute.number = field.get_float();
        return true;
      case varint(3):
        attribute.integer = field.get_int64();
        return true;
      case bytes(4):
        attribute.text = data_of(field, source);
        return true;
      case bytes(5):
        attribute.tensor = parse_tensor(view_of(field), source);
        return true;
      case bytes(6):
        attribute.graph = view_of(field);
        return true;
      case fixed32(7):
        attribute.numbers.push_back(field.get_float());
        return true;
      case bytes(7):
        load_content(field, source);
        for (const float number : field.get_packed_float()) attribute.numbers.push_back(number);
        return true;
      case varint(8):
        attribute.integers.push_back(field.get_int64());
        return true;
      case bytes(8):
        read_packed(field, source,
                    [&](std::int64_t value) { attribute.integers.push_back(value); });
        return true;
      case bytes(9):
        attribute.texts.push_back(text_of(field, source));
        return true;
      case bytes(21):
        attribute.reference = text_of(field, source);
        return true;
      case bytes(22):
        attribute.tensor = parse_sparse_tensor(view_of(field), source);
        return true;
      default:
        return false;
    }
  });
  return attribute;
}

struct Entry {
  std::string_view key;
  std::string_view value;
};

/// StringStringEntryProto.
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

/// An entry of a node's metadata; the long ones (stack traces) are only stepped over.
void parse_metadata(std::string_view message, const Source& source, NodeView& node) {
  const auto [key, value] = parse_entry(message, source);
  if (key == "pkg.torch.onnx.name_scopes") node.name_scopes = value;
  if (key == "namespace") node.name_space = value;
}

/// `ai.onnx` is the default domain's long name.
std::string_view canonical_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view{} : domain;
}

NodeView parse_node(std::string_view message, const Source& source) {
  NodeView node;
  node.offset = source.offset_of(message.data());
  read_fields(message, source, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case bytes(1):
        node.inputs.push_back(text_of(field, source));
        return true;
      case bytes(2):
        node.outputs.push_back(text_of(field, source));
        return true;
      case bytes(3):
        node.name = text_of(field, source);
        return true;
      case bytes(4):
        node.type = text_of(field, source);
        return true;
      case bytes(5):
        node.attributes.push_back(parse_attribute(view_of(field), source));
        return true;
      case bytes(7):
        node.domain = canonical_domain(text_of(field, source));
        return true;
      case bytes(8):
        node.overload = text_of(field, source);
        return true;
      case bytes(9):
        parse_metadata(view_of(field), source, node);
        return true;
      default:
        return false;
    }
  });
  return node;
}

OperatorSet parse_operator_set(std::string_view message, const Source& source) {
  OperatorSet set;
  read_fields(message, source, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case bytes(1):
        set.domain = canonical_domain(text_of(field, source));
        return true;
      case varint(2):
        set.version = field.get_int64();
        return true;
      default:
        return false;
    }
  });
  return set;
}

void parse_graph_into(GraphView& graph, std::string_view message, const Source& source) {
  read_fields(message, source, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case bytes(1):
        graph.nodes.push_back(parse_node(view_of(field), source));
        return true;
      case bytes(2):
        graph.name = text_of(field, source);
        return true;
      case bytes(5):
        graph.initializers.push_back(parse_tensor(view_of(field), source));
        return true;
      case bytes(11):
        graph.inputs.push_back(parse_value_info(view_of(field), source));
        return true;
      case bytes(12):
        graph.outputs.push_back(parse_value_info(view_of(field), source));
        return true;
      case bytes(13):
        graph.value_info.push_back(parse_value_info(view_of(field), source));
        return true;
      case bytes(15):
        graph.initializers.push_back(parse_sparse_tensor(view_of(field), source));
        return true;
      default:
        return false;
    }
  });
}

FunctionView parse_function(std::string_view message, const Source& source) {
  FunctionView function;
  read_fields(message, source, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case bytes(1):
        function.name = text_of(field, source);
        return true;
      case bytes(4):
        function.inputs.push_back(text_of(field, source));
        return true;
      case bytes(5):
        function.outputs.push_back(text_of(field, source));
        return true;
      case bytes(7):
        function.nodes.push_back(parse_node(view_of(field), source));
        return true;
      case bytes(9):
        function.operator_sets.push_back(parse_operator_set(view_of(field), source));
        return true;
      case bytes(10):
        function.domain = canonical_domain(text_of(field, source));
        return true;
      case bytes(11):
        function.defaults.push_back(parse_attribute(view_of(field), source));
        return true;
      case bytes(12):
        function.value_info.push_back(parse_value_info(view_of(field), source));
        return true;
      case bytes(13):
        function.overload = text_of(field, source);
        return true;
      default:
        return false;
    }
  });
  return function;
}

}  // namespace

ModelView parse_model(const Source& source) {
  ModelView model;
  read_fields(source.bytes, source, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case varint(1):
        model.ir_version = field.get_int64();
        return true;
      case bytes(2):
        model.producer_name = text_of(field, source);
        return true;
      case bytes(3):
        model.producer_version = text_of(field, source);
        return true;
      case bytes(7):
        if (!model.graph) model.graph.emplace();
        parse_graph_into(*model.graph, view_of(field), source);
        return true;
      case bytes(8):
        model.operator_sets.push_back(parse_operator_set(view_of(field), source));
        return true;
      case bytes(25):
        model.functions.push_back(parse_function(view_of(field), source));
        return true;
      default:
        return false;
    }
  });
  return model;
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

GraphView parse_graph(std::string_view message, const Source& source) {
  GraphView graph;
  parse_graph_into(graph, message, source);
  return graph;
}

}  // namespace rooflab::onnx
