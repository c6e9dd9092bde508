#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "file_bytes.hpp"
#include "rooflab/base/error.hpp"

/// Messages of onnx.proto that are needed for shapes, as views into the file's bytes: names are not
/// copied and tensor data are not read. Field numbers are those of the public onnx.proto.
namespace rooflab::onnx {

/// Source of the bytes, for messages with an offset.
struct Source {
  std::string file;
  std::string_view bytes;
  const FileBytes* reader = nullptr;  ///< file to read bytes from first; nullptr: in memory

  /// Must be called before a part of the bytes is used.
  void load(std::string_view part) const {
    if (reader != nullptr) reader->load(part);
  }

  /// Offset of a place inside the bytes.
  [[nodiscard]] std::int64_t offset_of(const char* place) const { return place - bytes.data(); }
  [[nodiscard]] Location at(std::optional<std::int64_t> offset = std::nullopt) const {
    return {file, std::nullopt, std::nullopt, offset};
  }
};

/// TensorProto. At most one of the data fields is filled; none when the data is external or absent.
struct TensorView {
  std::string_view name;
  std::int32_t element_type = 0;
  std::vector<std::int64_t> dims;
  StoredBytes raw;                           ///< little-endian elements
  StoredBytes packed_floats;                 ///< float_data
  StoredBytes packed_doubles;                ///< double_data
  StoredBytes packed_integers;               ///< int32_data, int64_data or uint64_data: varints
  std::vector<std::int64_t> loose_integers;  ///< unpacked elements (first few only)
  std::vector<double> loose_floats;          ///< unpacked elements (first few only)
  bool external = false;
  bool sparse = false;  ///< represents a tensor stored by its non-zero elements
  std::vector<std::string_view> external_entries;  ///< entries of external_data, read when needed
  std::int64_t offset = 0;                         ///< place of the message in the file
};

struct DimensionView {
  std::optional<std::int64_t> value;
  std::string_view symbol;
};

/// TypeProto of a tensor; other types (sequence, map, optional) have `is_tensor` false.
struct TypeView {
  bool is_tensor = false;
  std::int32_t element_type = 0;
  bool has_shape = false;
  std::vector<DimensionView> dims;
};

struct ValueInfoView {
  std::string_view name;
  TypeView type;
  std::int64_t offset = 0;
};

struct AttributeView {
  std::string_view name;
  std::string_view reference;  ///< attribute of the calling node to use here (in functions)
  std::int64_t integer = 0;
  float number = 0;
  StoredBytes text;  ///< may have gigabytes, if it contains an engine
  std::vector<std::string_view> texts;
  std::optional<TensorView> tensor;
  std::string_view graph;  ///< bytes of a GraphProto, read when needed
  std::vector<std::int64_t> integers;
  std::vector<float> numbers;
};

struct NodeView {
  std::string_view name;
  std::string_view type;
  std::string_view domain;
  std::string_view overload;
  std::vector<std::string_view> inputs;  ///< an empty name is an absent optional operand
  std::vector<std::string_view> outputs;
  std::vector<AttributeView> attributes;
  std::string_view name_scopes;  ///< metadata `pkg.torch.onnx.name_scopes`
  std::string_view name_space;   ///< metadata `namespace`
  std::int64_t offset = 0;
};

struct GraphView {
  std::string_view name;
  std::vector<NodeView> nodes;
  std::vector<TensorView> initializers;
  std::vector<ValueInfoView> inputs;
  std::vector<ValueInfoView> outputs;
  std::vector<ValueInfoView> value_info;
};

struct OperatorSet {
  std::string_view domain;  ///< empty for the default domain, also where the file says `ai.onnx`
  std::int64_t version = 0;
};

struct FunctionView {
  std::string_view name;
  std::string_view domain;
  std::string_view overload;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<AttributeView> defaults;
  std::vector<NodeView> nodes;
  std::vector<OperatorSet> operator_sets;
  std::vector<ValueInfoView> value_info;
};

struct ModelView {
  std::int64_t ir_version = 0;
  std::string_view producer_name;
  std::string_view producer_version;
  std::vector<OperatorSet> operator_sets;
  std::optional<GraphView> graph;
  std::vector<FunctionView> functions;
};

/// Place of external_data of a TensorProto: a file next to the model, and the bytes in it.
struct ExternalData {
  std::string_view location;
  std::string_view offset;  ///< decimal; empty: 0
  std::string_view length;  ///< decimal; empty: length of the tensor's type
};
[[nodiscard]] ExternalData parse_external_data(const TensorView& tensor, const Source& source);

/// Parses a model. Throws Error (input) with the byte offset of the field at fault.
[[nodiscard]] ModelView parse_model(const Source& source);

/// Parses a graph inside an attribute (the branches of an If).
[[nodiscard]] GraphView parse_graph(std::string_view bytes, const Source& source);

}  // namespace rooflab::onnx
