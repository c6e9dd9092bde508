// Forward rules of views, copies and ops that are known by their output only.

#include <algorithm>

#include "forward_rules.hpp"

namespace rooflab::schedule {

using namespace graph;

template <>
void ForwardRules::operator()(const Reshape&) {
  const TensorId result = l_.reshaped(in(0), out_type().shape, id_);
  if (l_.tensor(result).storage == l_.tensor(in(0)).storage) {
    l_.emit(ViewWork{}, id_, {}, {});
  }
  finish(result);
}

template <>
void ForwardRules::operator()(const Transpose& op) {
  Strides strides;
  const Strides& from = l_.tensor(in(0)).strides;
  for (const std::int64_t axis : op.permutation) {
    strides.push_back(from[static_cast<std::size_t>(
        axis < 0 ? axis + static_cast<std::int64_t>(from.size()) : axis)]);
  }
  view(in(0), std::move(strides));
}

template <>
void ForwardRules::operator()(const Expand&) {
  const Shape& from = l_.shape(in(0));
  const Shape& to = out_type().shape;
  Strides strides(to.rank(), 0);
  const std::size_t lead = to.rank() - from.rank();
  for (std::size_t i = 0; i < from.rank(); ++i) {
    if (from[i] == to[lead + i]) strides[lead + i] = l_.tensor(in(0)).strides[i];
  }
  view(in(0), std::move(strides));
}

template <>
void ForwardRules::operator()(const Slice& op) {
  if (std::ranges::any_of(op.step, [](std::int64_t step) { return step < 0; })) {
    // No strides run backwards: the elements are copied in their new order.
    const TensorId x = l_.alias(in(0), out_type(), contiguous_strides(out_type().shape));
    const TensorId result = l_.new_contiguous(out_type());
    l_.emit(NodeWork{}, id_, {x}, {result});
    finish(result);
    return;
  }
  Strides strides = l_.tensor(in(0)).strides;
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    const std::int64_t rank = static_cast<std::int64_t>(strides.size());
    const auto axis = static_cast<std::size_t>(op.axes[i] < 0 ? op.axes[i] + rank : op.axes[i]);
    strides[axis] *= op.step[i];
  }
  view(in(0), std::move(strides));
}

template <>
void ForwardRules::operator()(const Split&) {
  const TensorId x = in(0);
  l_.emit(ViewWork{}, id_, {}, {});
  for (const ValueId output : node_.outputs) {
    l_.set_value(output, l_.alias(x, l_.network().type(output), l_.tensor(x).strides));
  }
}

template <>
void ForwardRules::operator()(const Concat&) {
  const TensorType& type = out_type();
  const bool last = std::ranges::all_of(node_.inputs, [this](ValueId id) {
    return is_channels_last(l_.shape(l_.value(id)), l_.tensor(l_.value(id)).strides);
  });
  const TensorId result = l_.new_tensor(
      type, last ? channels_last_strides(type.shape) : contiguous_strides(type.shape));
  l_.emit(NodeWork{}, id_, all_inputs(), {result});
  finish(result);
}

template <>
void ForwardRules::operator()(const Gather&) {
  const TensorId result = l_.new_contiguous(out_type());
  l_.emit(NodeWork{}, id_, {in(0), in(1)}, {result});
  if (differentiable()) l_.save(id_, in(1));
  finish(result);
}

template <>
void ForwardRules::operator()(const GatherElements& op) {
  (*this)(Gather{});
  // torch.gather keeps its data too, of which its gradient reads the extents only.
  if (op.form == IndexForm::elements && differentiable()) l_.save(id_, in(0));
}

template <>
void ForwardRules::operator()(const Contiguous&) {
  const TensorId result = l_.contiguous(in(0), id_);
  if (result == in(0)) l_.emit(ViewWork{}, id_, {}, {});
  finish(result);
}

template <>
void ForwardRules::operator()(const Pad&) {
  finish(plain());
}

template <>
void ForwardRules::operator()(const Scatter& op) {
  const TensorId data = in(0);
  const bool by_coordinates = op.form == IndexForm::nd;
  const TensorId result = by_coordinates ? l_.new_tensor(out_type(), dense_like({data}))
                                         : l_.new_contiguous(out_type());
  l_.emit(CopyWork{}, id_, {data}, {result});
  l_.emit(NodeWork{}, id_, {in(2), in(1)}, {result});
  if (differentiable()) {
    l_.save(id_, in(1));
    if (op.reduction != ScatterReduction::none && op.reduction != ScatterReduction::add) {
      for (const TensorId kept : {data, in(2), result}) l_.save(id_, kept);
    }
  }
  finish(result);
}

template <>
void ForwardRules::operator()(const Resize&) {
  finish(plain());
}

template <>
void ForwardRules::operator()(const GridSample&) {
  const TensorId result = l_.new_contiguous(out_type());
  l_.emit(NodeWork{}, id_, all_inputs(), {result});
  if (differentiable()) {
    l_.save(id_, in(0));
    l_.save(id_, in(1));
  }
  finish(result);
}

template <>
void ForwardRules::operator()(const Roll& op) {
  TensorId result = in(0);
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    const TensorId x = l_.contiguous(result, id_);
    result = l_.new_contiguous(out_type());
    l_.emit(NodeWork{}, id_, {x}, {result});
  }
  finish(result);
}

template <>
void ForwardRules::operator()(const Triangle&) {
  finish(plain());
}

template <>
void ForwardRules::operator()(const Generate&) {
  const TensorId result = l_.new_contiguous(out_type());
  l_.emit(NodeWork{}, id_, {}, {result});
  finish(result);
}

template <>
void ForwardRules::operator()(const Opaque&) {
  std::vector<TensorId> results;
  for (const ValueId output : node_.outputs) {
    results.push_back(l_.new_contiguous(l_.network().type(output)));
    l_.set_value(output, results.back());
  }
  l_.emit(NodeWork{}, id_, all_inputs(), std::move(results));
}

void lower_movement_forward(Lowering& lowering, NodeId id) {
  visit_families<void, Family::movement, Family::unknown>(lowering.node(id).op,
                                                          ForwardRules(lowering, id));
}

}  // namespace rooflab::schedule
