// The messages of ONNX, field by field. Source: github.com/onnx/onnx, onnx/onnx.proto.

#include "model_view.hpp"

#include "tensor_message.hpp"

namespace rooflab::onnx {
namespace {

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

GraphView parse_graph(std::string_view message, const Source& source) {
  GraphView graph;
  parse_graph_into(graph, message, source);
  return graph;
}

}  // namespace rooflab::onnx
