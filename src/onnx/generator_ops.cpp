// Ops that make data from nothing: constants in all their spellings, ranges, random numbers.
// Source: ONNX operators Constant-13, ConstantOfShape-9, Range-11, RandomNormal-1, EyeLike-9.

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "limits.hpp"
#include "op_table.hpp"
#include "rooflab/base/quantity.hpp"

namespace rooflab::onnx {
namespace {

using graph::Shape;
using graph::ValueId;

ValueId constant_of_tensor(NodeImport& node, const TensorView& tensor) {
  const std::optional<DType> dtype = dtype_of(tensor.element_type);
  if (!dtype) throw NotExpressible{format("its element type is {}", tensor.element_type)};
  const Shape shape(tensor.dims);
  require_plausible(shape);
  return node.stored_constant(tensor, {*dtype, shape});
}

void import_constant(NodeImport& node) {
  const Attributes& attributes = node.attributes;
  for (const std::string_view name : {"value", "sparse_value"}) {
    const AttributeView* value = attributes.find(name);
    if (value != nullptr && value->tensor) {
      return node.set_result(0, constant_of_tensor(node, *value->tensor));
    }
  }
  if (attributes.has("value_int")) {
    const std::int64_t value = attributes.integer("value_int", 0);
    return node.set_result(0, node.constant(ConstantTensor::scalar(value)));
  }
  if (const auto values = attributes.integers("value_ints")) {
    return node.set_result(0, node.constant(ConstantTensor::of(*values)));
  }
  if (attributes.has("value_float")) {
    ConstantTensor scalar = ConstantTensor::empty({DType::f32, {}});
    scalar.push(attributes.number("value_float", 0.0));
    return node.set_result(0, node.constant(std::move(scalar)));
  }
  if (const auto values = attributes.numbers("value_floats")) {
    ConstantTensor list =
        ConstantTensor::empty({DType::f32, Shape{static_cast<std::int64_t>(values->size())}});
    for (const double value : *values) list.push(value);
    return node.set_result(0, node.constant(std::move(list)));
  }
  throw NotExpressible{"it holds text or nothing"};
}

/// The result is that of `make`: computed now if it is small, else on request.
void set_constant(NodeImport& node, const graph::TensorType& type, Assembly::Recipe make) {
  const bool small = type.shape.elements() <= static_cast<std::int64_t>(max_folded_elements);
  node.set_result(0, small ? node.constant(make()) : node.constant_of_type(type, std::move(make)));
}

void import_constant_of_shape(NodeImport& node) {
  const Shape shape(node.integers(0, "shape"));
  require_plausible(shape);
  graph::TensorType type{DType::f32, shape};
  ConstantTensor fill = ConstantTensor::empty({DType::f32, {}});
  fill.push(0.0);
  const AttributeView* value = node.attributes.find("value");
  if (value != nullptr && value->tensor) {
    const std::optional<DType> dtype = dtype_of(value->tensor->element_type);
    if (!dtype) throw NotExpressible{"its element type is not a number"};
    type.dtype = *dtype;
    std::optional<ConstantTensor> stored = read_tensor(*value->tensor, {*dtype, Shape{1}});
    if (!stored) return node.set_result(0, node.constant_of_type(std::move(type)));
    fill = std::move(*stored);
  }
  set_constant(node, type, [type, fill] {
    ConstantTensor tensor = ConstantTensor::empty(type);
    for (std::int64_t i = 0; i < type.shape.elements(); ++i) tensor.push_element(fill, 0);
    return tensor;
  });
}

/// max(ceil((limit - start) / delta), 0) elements.
void import_range(NodeImport& node) {
  const std::vector<double> start = node.numbers(0, "start");
  const std::vector<double> limit = node.numbers(1, "limit");
  const std::vector<double> delta = node.numbers(2, "delta");
  if (start.size() != 1 || limit.size() != 1 || delta.size() != 1 || delta[0] == 0.0) {
    node.fail("a range needs a start, a limit and a delta other than 0");
  }
  const double count = std::max(0.0, std::ceil((limit[0] - start[0]) / delta[0]));
  if (!(count <= static_cast<double>(max_extent))) node.fail("a range beyond any network");
  const auto elements = static_cast<std::int64_t>(count);
  const graph::TensorType type{node.type(0).dtype, Shape{elements}};
  set_constant(node, type, [type, first = start[0], step = delta[0]] {
    ConstantTensor tensor = ConstantTensor::empty(type);
    for (std::int64_t i = 0; i < type.shape.elements(); ++i) {
      const double value = first + static_cast<double>(i) * step;
      if (tensor.floating()) {
        tensor.push(value);
      } else {
        tensor.push(static_cast<std::int64_t>(std::clamp(value, -9.2e18, 9.2e18)));
      }
    }
    return tensor;
  });
}

DType dtype_attribute(const NodeImport& node, DType otherwise) {
  const std::int64_t code = node.attributes.integer("dtype", 0);
  if (code == 0) return otherwise;
  const std::optional<DType> dtype =
      code > 0 && code < 1000 ? dtype_of(static_cast<std::int32_t>(code)) : std::nullopt;
  if (!dtype) throw NotExpressible{format("its element type is {}", code)};
  return *dtype;
}

void import_random(NodeImport& node) {
  const Shape shape(node.attributes.integers("shape").value_or(std::vector<std::int64_t>{}));
  require_plausible(shape);
  node.note_values("is random in the file and all 0 here");
  node.set_result(0, node.emit(graph::Generate{shape, dtype_attribute(node, DType::f32)}, {}));
}

void import_random_like(NodeImport& node) {
  const graph::Generate op{node.shape(0), dtype_attribute(node, node.type(0).dtype)};
  node.note_values("is random in the file and all 0 here");
  node.set_result(0, node.emit(op, {}));
}

void import_eye_like(NodeImport& node) {
  const graph::TensorType type{dtype_attribute(node, node.type(0).dtype), node.shape(0)};
  if (type.shape.rank() != 2) node.fail("an identity matrix has two dimensions");
  const std::int64_t diagonal = node.attributes.integer("k", 0);
  const auto make = [type, diagonal] {
    ConstantTensor tensor = ConstantTensor::empty(type);
    for (std::int64_t row = 0; row < type.shape[0]; ++row) {
      for (std::int64_t column = 0; column < type.shape[1]; ++column) {
        tensor.push(std::int64_t{column - row == diagonal});
      }
    }
    return tensor;
  };
  node.set_result(0, node.constant_of_type(type, make));
}

}  // namespace

void add_generator_rules(RuleTable& table) {
  table["Constant"] = import_constant;
  table["ConstantOfShape"] = import_constant_of_shape;
  table["Range"] = import_range;
  table["RandomNormal"] = import_random;
  table["RandomUniform"] = import_random;
  table["RandomNormalLike"] = import_random_like;
  table["RandomUniformLike"] = import_random_like;
  table["Bernoulli"] = import_random_like;
  table["EyeLike"] = import_eye_like;
}

}  // namespace rooflab::onnx
