#pragma once

#include <cstdint>
#include <cstring>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <utility>
#include <vector>

/// Writes small ONNX models for tests, message by message. Field numbers as in onnx.proto.
namespace rooflab::onnx::writer {

inline constexpr std::int32_t float_type = 1;
inline constexpr std::int32_t int64_type = 7;
inline constexpr std::int32_t bool_type = 9;

using Dims = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

/// TensorProto with raw data; without data it counts as external.
inline std::string tensor(const std::string& name, std::int32_t type, const Dims& dims,
                          const std::string& raw = {}, bool external = false) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_packed_int64(1, dims.begin(), dims.end());
  message.add_int32(2, type);
  message.add_string(8, name);
  if (external) {
    message.add_int32(14, 1);
  } else {
    message.add_bytes(9, raw);
  }
  return bytes;
}

inline std::string integers(const std::string& name, const std::vector<std::int64_t>& values,
                            bool scalar = false) {
  std::string raw(values.size() * sizeof(std::int64_t), '\0');
  std::memcpy(raw.data(), values.data(), raw.size());
  return tensor(name, int64_type, scalar ? Dims{} : Dims{static_cast<std::int64_t>(values.size())},
                raw);
}

inline std::string floats(const std::string& name, const std::vector<float>& values,
                          bool scalar = false) {
  std::string raw(values.size() * sizeof(float), '\0');
  std::memcpy(raw.data(), values.data(), raw.size());
  return tensor(name, float_type, scalar ? Dims{} : Dims{static_cast<std::int64_t>(values.size())},
                raw);
}

inline std::string truth(const std::string& name, bool value) {
  return tensor(name, bool_type, {}, std::string(1, value ? '\1' : '\0'));
}

/// A weight whose data lies elsewhere.
inline std::string weight(const std::string& name, const Dims& dims) {
  return tensor(name, float_type, dims, {}, true);
}

// ---- attributes ---------------------------------------------------------------------------------

inline std::string attribute(const std::string& name, std::int64_t value) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_string(1, name);
  message.add_int64(3, value);
  message.add_int32(20, 2);
  return bytes;
}

inline std::string attribute(const std::string& name, const Dims& values) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_string(1, name);
  for (const std::int64_t value : values) message.add_int64(8, value);
  message.add_int32(20, 7);
  return bytes;
}

inline std::string attribute_float(const std::string& name, float value) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_string(1, name);
  message.add_float(2, value);
  message.add_int32(20, 1);
  return bytes;
}

inline std::string attribute_floats(const std::string& name, const std::vector<float>& values) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_string(1, name);
  message.add_packed_float(7, values.begin(), values.end());
  message.add_int32(20, 6);
  return bytes;
}

inline std::string attribute_text(const std::string& name, const std::string& value) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_string(1, name);
  message.add_string(4, value);
  message.add_int32(20, 3);
  return bytes;
}

inline std::string attribute_texts(const std::string& name, const Names& values) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_string(1, name);
  for (const std::string& value : values) message.add_string(9, value);
  message.add_int32(20, 8);
  return bytes;
}

/// Field 5: tensor; field 6: graph.
inline std::string attribute_message(const std::string& name, protozero::pbf_tag_type field,
                                     const std::string& value) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_string(1, name);
  message.add_message(field, value);
  message.add_int32(20, field == 5 ? 4 : 5);
  return bytes;
}

/// Inside a function: the calling node's attribute `reference`.
inline std::string attribute_reference(const std::string& name, const std::string& reference) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_string(1, name);
  message.add_string(21, reference);
  return bytes;
}

// ---- nodes, graphs, models ----------------------------------------------------------------------

struct NodeSpec {
  std::string type;
  Names inputs;
  Names outputs;
  std::vector<std::string> attributes = {};
  std::string name = {};
  std::string domain = {};
  std::vector<std::pair<std::string, std::string>> metadata = {};
};

inline std::string node(const NodeSpec& spec) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  for (const std::string& input : spec.inputs) message.add_string(1, input);
  for (const std::string& output : spec.outputs) message.add_string(2, output);
  if (!spec.name.empty()) message.add_string(3, spec.name);
  message.add_string(4, spec.type);
  for (const std::string& attribute_bytes : spec.attributes)
    message.add_message(5, attribute_bytes);
  if (!spec.domain.empty()) message.add_string(7, spec.domain);
  for (const auto& [key, value] : spec.metadata) {
    protozero::pbf_writer entry(message, 9);
    entry.add_string(1, key);
    entry.add_string(2, value);
  }
  return bytes;
}

/// A dimension: an extent, or a symbol, or (both absent) unnamed and open.
struct Dimension {
  Dimension(std::int64_t extent) : value(extent), fixed(true) {}  // NOLINT: written as a number
  Dimension(const char* name) : symbol(name) {}                   // NOLINT: or as a name
  std::int64_t value = 0;
  std::string symbol;
  bool fixed = false;
};
using Extents = std::vector<Dimension>;

inline std::string value_info(const std::string& name, const Extents& extents,
                              std::int32_t type = float_type) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_string(1, name);
  std::string shape;
  protozero::pbf_writer shape_message(shape);
  for (const Dimension& extent : extents) {
    std::string dimension;
    protozero::pbf_writer dimension_message(dimension);
    if (extent.fixed) dimension_message.add_int64(1, extent.value);
    if (!extent.symbol.empty()) dimension_message.add_string(2, extent.symbol);
    shape_message.add_message(1, dimension);
  }
  std::string tensor_type;
  protozero::pbf_writer tensor_message(tensor_type);
  tensor_message.add_int32(1, type);
  tensor_message.add_message(2, shape);
  std::string whole_type;
  protozero::pbf_writer(whole_type).add_message(1, tensor_type);
  message.add_message(2, whole_type);
  return bytes;
}

/// A GraphProto or, with the same calls, the body of a function.
class GraphWriter {
 public:
  GraphWriter& add(const NodeSpec& spec) { return raw(1, node(spec)); }
  GraphWriter& initializer(const std::string& tensor_bytes) { return raw(5, tensor_bytes); }
  GraphWriter& input(const std::string& name, const Extents& extents,
                     std::int32_t type = float_type) {
    return raw(11, value_info(name, extents, type));
  }
  GraphWriter& output(const std::string& name) { return raw(12, value_info(name, {})); }
  GraphWriter& info(const std::string& name, const Extents& extents) {
    return raw(13, value_info(name, extents));
  }
  GraphWriter& raw(protozero::pbf_tag_type field, const std::string& message) {
    protozero::pbf_writer(bytes_).add_message(field, message);
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

inline std::string operator_set(std::int64_t version, const std::string& domain = {}) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_string(1, domain);
  message.add_int64(2, version);
  return bytes;
}

struct FunctionSpec {
  std::string name;
  std::string domain;
  Names inputs;
  Names outputs;
  std::vector<NodeSpec> nodes;
};

inline std::string function(const FunctionSpec& spec, std::int64_t opset) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_string(1, spec.name);
  for (const std::string& name : spec.inputs) message.add_string(4, name);
  for (const std::string& name : spec.outputs) message.add_string(5, name);
  for (const NodeSpec& body : spec.nodes) message.add_message(7, node(body));
  message.add_message(9, operator_set(opset));
  message.add_string(10, spec.domain);
  return bytes;
}

inline std::string model(const GraphWriter& graph, std::int64_t opset = 17,
                         const std::vector<std::string>& functions = {},
                         const std::string& producer = "test") {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_int64(1, 8);
  message.add_string(2, producer);
  message.add_message(7, graph.bytes());
  message.add_message(8, operator_set(opset));
  for (const std::string& body : functions) message.add_message(25, body);
  return bytes;
}

/// Written as PyTorch's exporters write it.
inline std::string pytorch_model(const GraphWriter& graph, std::int64_t opset = 17) {
  return model(graph, opset, {}, "pytorch");
}

}  // namespace rooflab::onnx::writer
