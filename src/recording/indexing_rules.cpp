// Gathers, scatters and tables of rows. What an index names is read or written, not the whole.

#include <algorithm>
#include <array>

#include "rules.hpp"

namespace rooflab::recording {
namespace {

using graph::Gather;
using graph::GatherElements;
using graph::IndexForm;
using graph::Scatter;
using graph::ScatterReduction;
using graph::ValueId;

bool lower_gather(const OpView& view, graph::Op op, STensor data, STensor index,
                  bool host_reads = false) {
  Lowerer& l = view.lowerer();
  const STensor y = view.out(0);
  if (data == no_tensor || index == no_tensor || y == no_tensor) return false;
  const graph::NodeId node =
      l.node(view, std::move(op), {weight_value(l, data), l.value(index)}, {l.value(y)});
  l.emit(schedule::NodeWork{}, node, view.plain_pass(), {data, index}, {y}).host_reads = host_reads;
  return true;
}

bool embedding(const OpView& view) { return lower_gather(view, Gather{}, view.in(0), view.in(1)); }

/// The gradient of a whole table: zeros, then the rows that were read.
bool embedding_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor dy = view.in(0);
  const STensor index = view.in(1);
  const STensor dw = view.out(0);
  if (dy == no_tensor || index == no_tensor || dw == no_tensor) return false;
  const graph::NodeId node =
      gradient_node(view, Gather{}, {l.value(dw), l.value(index)}, l.value(dy));
  l.emit(schedule::FillWork{}, node, Pass::weight_gradient, {}, {dw});
  l.emit(schedule::NodeWork{}, node, Pass::weight_gradient, {dy, index}, {dw});
  return true;
}

bool index_select(const OpView& view) {
  const STensor data = view.in(0);
  if (data == no_tensor) return false;
  const std::int64_t axis = axis_of(view.integer("dim", 0), view.lowerer().shape(data));
  if (view.lowerer().shape(data).rank() == 0) return false;
  return lower_gather(view, Gather{axis}, data, view.in(1));
}

bool gather(const OpView& view) {
  const STensor data = view.in(0);
  if (data == no_tensor) return false;
  return lower_gather(
      view, GatherElements{.axis = axis_of(view.integer("dim", 0), view.lowerer().shape(data))},
      data, view.in(1));
}

/// data[index, ...]: the first index tensor stands for all. How many elements a mask selects, the
/// host has to know.
bool index(const OpView& view) {
  const std::vector<STensor> indices = view.list(1);
  if (indices.empty()) return false;
  const bool masked = std::ranges::any_of(indices, [&](STensor each) {
    const DType dtype = view.lowerer().tensor(each).type.dtype;
    return dtype == DType::boolean || dtype == DType::u8;
  });
  return lower_gather(view, GatherElements{.form = IndexForm::nd}, view.in(0), indices.front(),
                      masked);
}

/// Updates that go to places of `data`, in place or into a copy of it.
bool lower_scatter(const OpView& view, Scatter op, STensor index, STensor updates) {
  Lowerer& l = view.lowerer();
  const STensor data = view.in(0);
  const STensor y = view.out(0);
  if (data == no_tensor || index == no_tensor || y == no_tensor) return false;
  // A number goes to as many places as there are indices.
  const ValueId moved = updates == no_tensor
                            ? l.described({l.tensor(data).type.dtype, l.shape(index)})
                            : l.value(updates);
  std::vector<STensor> reads = present({updates, index});
  if (!view.in_place()) reads = present({data, updates, index});
  emit_node(view, op, {l.value(data), l.value(index), moved}, std::move(reads), {y},
            view.plain_pass());
  return true;
}

ScatterReduction reduction_of(const OpView& view) {
  const std::string word = view.text("reduce");
  const bool adds = view.name() == "scatter_add" || view.name() == "index_add" || word == "add" ||
                    word == "sum" || word == "mean" || view.flag("accumulate", false);
  if (adds) return ScatterReduction::add;
  if (word == "multiply" || word == "prod") return ScatterReduction::mul;
  if (word == "amax") return ScatterReduction::maximum;
  if (word == "amin") return ScatterReduction::minimum;
  return ScatterReduction::none;
}

bool scatter(const OpView& view) {
  return lower_scatter(view, {.reduction = reduction_of(view)}, view.in(1), view.in(2));
}

bool index_put(const OpView& view) {
  const std::vector<STensor> indices = view.list(1);
  if (indices.empty()) return false;
  return lower_scatter(view, {.form = IndexForm::nd, .reduction = reduction_of(view)},
                       indices.front(), view.in(2));
}

/// Sums of rows of a table. Bytes: the rows that are named.
bool embedding_bag(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor table = view.in(0);
  const STensor index = view.in(1);
  const STensor y = view.out(0);
  if (table == no_tensor || index == no_tensor || y == no_tensor || l.shape(table).rank() != 2) {
    return false;
  }
  const std::int64_t width = l.shape(table)[1];
  const STensor rows = l.view_of(table, {l.tensor(table).type.dtype, {l.elements(index), width}});
  std::vector<STensor> reads = present({rows, index, view.in(2), view.in(3)});
  emit_known(view, view.name(), l.elements(rows), "copy", graph::OpClass::copy, std::move(reads),
             view.all_out());
  return true;
}

bool embedding_bag_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor dy = view.in(0);
  const STensor index = view.in(1);
  const STensor dw = view.out(0);
  if (dy == no_tensor || index == no_tensor || dw == no_tensor || l.shape(dw).rank() != 2) {
    return false;
  }
  const STensor rows =
      l.view_of(dw, {l.tensor(dw).type.dtype, {l.elements(index), l.shape(dw)[1]}});
  emit_known(view, "fill", 0, "fill", graph::OpClass::copy, {}, {dw});
  emit_known(view, view.name(), l.elements(rows), "copy", graph::OpClass::copy,
             present({dy, index, rows}), {rows});
  return true;
}

constexpr std::array indexing_table = {
    NamedRule{"embedding", embedding},
    NamedRule{"embedding_dense_backward", embedding_backward},
    NamedRule{"index_select", index_select},
    NamedRule{"gather", gather},
    NamedRule{"take", gather},
    NamedRule{"index", index},
    NamedRule{"_unsafe_index", index},
    NamedRule{"scatter", scatter},
    NamedRule{"scatter_add", scatter},
    NamedRule{"scatter_reduce", scatter},
    NamedRule{"index_add", scatter},
    NamedRule{"index_copy", scatter},
    NamedRule{"index_fill", scatter},
    NamedRule{"index_reduce", scatter},
    NamedRule{"index_put", index_put},
    NamedRule{"_index_put_impl", index_put},
    NamedRule{"_unsafe_index_put", index_put},
    NamedRule{"_embedding_bag", embedding_bag},
    NamedRule{"_embedding_bag_forward_only", embedding_bag},
    NamedRule{"_embedding_bag_dense_backward", embedding_bag_backward},
    NamedRule{"_embedding_bag_backward", embedding_bag_backward},
};

}  // namespace

std::span<const NamedRule> indexing_rules() { return indexing_table; }

}  // namespace rooflab::recording
