// Ops without a graph op whose result types are known all the same: they stay Opaque, are listed,
// and what follows them is still imported with its shapes.
// Source: ONNX operators RoiAlign-16, DynamicQuantizeLinear-11.

#include "op_table.hpp"

namespace rooflab::onnx {
namespace {

using graph::Shape;

void import_same_type(NodeImport& node) { node.keep_opaque({node.type(0)}); }

void import_roi_align(NodeImport& node) {
  const Shape& x = node.shape(0);
  const Shape& rois = node.shape(1);
  if (x.rank() != 4 || rois.rank() != 2) node.fail("regions of interest do not fit the input");
  const Shape result{rois[0], x[1], node.attributes.integer("output_height", 1),
                     node.attributes.integer("output_width", 1)};
  node.keep_opaque({{node.type(0).dtype, result}});
}

void import_dynamic_quantize(NodeImport& node) {
  node.keep_opaque({{DType::u8, node.shape(0)}, {DType::f32, {}}, {DType::u8, {}}});
}

}  // namespace

void add_uncosted_rules(RuleTable& table) {
  for (const std::string_view type : {"Asinh", "Acosh", "Atanh", "Hardmax", "ReverseSequence"}) {
    table[type] = import_same_type;
  }
  table["RoiAlign"] = import_roi_align;
  table["DynamicQuantizeLinear"] = import_dynamic_quantize;
}

}  // namespace rooflab::onnx
