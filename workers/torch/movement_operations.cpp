// Views, copies and reductions.

#include "operations.hpp"

namespace rooflab::torch_worker {
namespace {

using graph::ReduceFunction;

/// Folds a reduction that ATen has for one dimension over several, last first.
template <class OneAxis>
at::Tensor over_axes(at::Tensor x, const graph::Reduce& op, OneAxis reduce) {
  for (std::size_t i = op.axes.size(); i-- > 0;) x = reduce(x, op.axes[i]);
  return x;
}

bool is_integral(const at::Tensor& x) { return !at::isFloatingType(x.scalar_type()); }

/// Coordinates in the last dimension of `indices` as the list that data[...] takes, after
/// `batch_dims` dimensions of `data` that run in step with those of `indices`.
c10::List<c10::optional<at::Tensor>> coordinates(const at::Tensor& data, const at::Tensor& indices,
                                                 std::int64_t batch_dims) {
  c10::List<c10::optional<at::Tensor>> list;
  for (std::int64_t axis = 0; axis < batch_dims; ++axis) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(indices.dim() - 1), 1);
    shape[static_cast<std::size_t>(axis)] = data.size(axis);
    list.push_back(at::arange(data.size(axis), indices.options()).reshape(extents(shape)));
  }
  for (std::int64_t i = 0; i < indices.size(-1); ++i) list.push_back(indices.select(-1, i));
  return list;
}

/// ATen's word for reductions that scatter_reduce does.
const char* reduction_word(graph::ScatterReduction reduction) {
  switch (reduction) {
    case graph::ScatterReduction::mul:
      return "prod";
    case graph::ScatterReduction::maximum:
      return "amax";
    case graph::ScatterReduction::minimum:
      return "amin";
    default:
      throw Unsupported{"a reduction of a scatter"};
  }
}

/// index_put only replaces and adds: other reductions go over rows of slices, by their number.
at::Tensor reduced_slices(const at::Tensor& data, const at::Tensor& indices,
                          const at::Tensor& updates, const char* word) {
  const std::int64_t depth = indices.size(-1);
  at::Tensor row =
      at::zeros(indices.sizes().slice(0, indices.sizes().size() - 1), indices.options());
  std::int64_t rows = 1;
  for (std::int64_t i = 0; i < depth; ++i) {
    row = row * data.size(i) + at::remainder(indices.select(-1, i), data.size(i));
    rows *= data.size(i);
  }
  const at::Tensor flat = data.reshape({rows, -1});
  const at::Tensor which = row.reshape({-1, 1}).expand({-1, flat.size(1)});
  return at::scatter_reduce(flat, 0, which, updates.reshape({-1, flat.size(1)}), word)
      .reshape(data.sizes());
}

}  // namespace

at::Tensor run(const graph::Reduce& op, Operands in, Mode) {
  const at::Tensor& x = in[0];
  const at::IntArrayRef axes = extents(op.axes);
  switch (op.function) {
    case ReduceFunction::mean:
      if (is_integral(x)) return at::mean(x, axes, op.keep_dims, at::kDouble).to(x.scalar_type());
      return at::mean(x, axes, op.keep_dims);
    case ReduceFunction::sum:
      return at::sum(x, axes, op.keep_dims, x.scalar_type());
    case ReduceFunction::maximum:
      return at::amax(x, axes, op.keep_dims);
    case ReduceFunction::minimum:
      return at::amin(x, axes, op.keep_dims);
    case ReduceFunction::product:
      return over_axes(x, op, [&](const at::Tensor& part, std::int64_t axis) {
        return at::prod(part, axis, op.keep_dims, x.scalar_type());
      });
    case ReduceFunction::l1:
      return at::sum(at::abs(x), axes, op.keep_dims);
    case ReduceFunction::l2:
      // Not linalg_vector_norm, whose operand autocast casts.
      if (op.dtype) return at::norm(x, 2, axes, op.keep_dims, scalar_type(*op.dtype));
      return at::norm(x, 2, axes, op.keep_dims);
    case ReduceFunction::log_sum_exp:
      return at::logsumexp(x, axes, op.keep_dims);
    case ReduceFunction::sum_square:
      return at::sum(x * x, axes, op.keep_dims);
    case ReduceFunction::log_sum:
      return at::log(at::sum(x, axes, op.keep_dims));
    case ReduceFunction::arg_max:
      return at::argmax(x, op.axes.at(0), op.keep_dims);
    case ReduceFunction::arg_min:
      return at::argmin(x, op.axes.at(0), op.keep_dims);
  }
  throw Unsupported{"a reduction"};
}

at::Tensor run(const graph::CumulativeSum& op, Operands in, Mode) {
  return at::cumsum(in[0], op.axis, in[0].scalar_type());
}

std::vector<at::Tensor> run(const graph::TopK& op, Operands in, Mode) {
  auto [values, indices] = at::topk(in[0], op.k, op.axis);
  return {values, indices};
}

at::Tensor run(const graph::Reshape& op, Operands in, Mode) {
  return at::reshape(in[0], extents(op.target));
}

at::Tensor run(const graph::Transpose& op, Operands in, Mode) {
  return in[0].permute(extents(op.permutation));
}

at::Tensor run(const graph::Expand& op, Operands in, Mode) {
  return in[0].expand(extents(op.target));
}

at::Tensor run(const graph::Slice& op, Operands in, Mode) {
  at::Tensor x = in[0];
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    if (op.step[i] > 0) {
      x = at::slice(x, op.axes[i], op.begin[i], op.end[i], op.step[i]);
      continue;
    }
    // ATen slices forwards only: turn the axis round, then count from its other end.
    const std::int64_t last = x.size(op.axes[i]) - 1;
    x = at::flip(x, {op.axes[i]});
    x = at::slice(x, op.axes[i], last - op.begin[i], last - op.end[i], -op.step[i]);
  }
  return x;
}

std::vector<at::Tensor> run(const graph::Split& op, Operands in, Mode) {
  return at::split_with_sizes(in[0], extents(op.sizes), op.axis);
}

at::Tensor run(const graph::Concat& op, Operands in, Mode) {
  const std::vector<at::Tensor> parts(in.begin(), in.end());
  return at::cat(parts, op.axis);
}

at::Tensor run(const graph::Pad& op, Operands in, Mode) {
  // Last dimension first; dimensions in front that stay as they are need no mention.
  std::size_t first = 0;
  while (first < op.begin.size() && op.begin[first] == 0 && op.end[first] == 0) ++first;
  std::vector<std::int64_t> pads;
  for (std::size_t i = op.begin.size(); i-- > first;) {
    pads.push_back(op.begin[i]);
    pads.push_back(op.end[i]);
  }
  if (pads.empty()) return in[0].clone();  // as torch.nn.functional.pad does
  if (op.mode == graph::PadMode::constant) {
    return at::constant_pad_nd(in[0], extents(pads), op.value);
  }
  const bool reflect = op.mode == graph::PadMode::reflect;
  switch (pads.size() / 2) {
    case 1:
      return reflect ? at::reflection_pad1d(in[0], extents(pads))
                     : at::replication_pad1d(in[0], extents(pads));
    case 2:
      return reflect ? at::reflection_pad2d(in[0], extents(pads))
                     : at::replication_pad2d(in[0], extents(pads));
    case 3:
      return reflect ? at::reflection_pad3d(in[0], extents(pads))
                     : at::replication_pad3d(in[0], extents(pads));
    default:
      throw Unsupported{"reflected or edge padding of more than three dimensions"};
  }
}

at::Tensor run(const graph::Gather& op, Operands in, Mode) {
  const at::Tensor& data = in[0];
  const at::Tensor indices = in[1].to(at::kLong);
  if (op.axis == 0 && data.dim() == 2) return at::embedding(data, indices);
  const at::Tensor rows = at::index_select(data, op.axis, indices.reshape({-1}));
  std::vector<std::int64_t> shape;
  for (std::int64_t axis = 0; axis < data.dim(); ++axis) {
    if (axis != op.axis) {
      shape.push_back(data.size(axis));
      continue;
    }
    shape.insert(shape.end(), indices.sizes().begin(), indices.sizes().end());
  }
  return rows.reshape(extents(shape));
}

at::Tensor run(const graph::GatherElements& op, Operands in, Mode) {
  const at::Tensor indices = in[1].to(at::kLong);
  if (op.form == graph::IndexForm::elements) return at::gather(in[0], op.axis, indices);
  return at::index(in[0], coordinates(in[0], indices, op.batch_dims));
}

at::Tensor run(const graph::Scatter& op, Operands in, Mode) {
  using enum graph::ScatterReduction;
  const at::Tensor indices = in[1].to(at::kLong);
  const bool is_plain = op.reduction == none || op.reduction == add;
  if (op.form == graph::IndexForm::nd) {
    if (!is_plain) return reduced_slices(in[0], indices, in[2], reduction_word(op.reduction));
    return at::index_put(in[0], coordinates(in[0], indices, 0), in[2], op.reduction == add);
  }
  if (op.reduction == none) return at::scatter(in[0], op.axis, indices, in[2]);
  if (op.reduction == add) return at::scatter_add(in[0], op.axis, indices, in[2]);
  return at::scatter_reduce(in[0], op.axis, indices, in[2], reduction_word(op.reduction));
}

at::Tensor run(const graph::Resize& op, Operands in, Mode) {
  const at::Tensor& x = in[0];
  if (x.dim() < 3 || op.output[0] != x.size(0) || op.output[1] != x.size(1)) {
    throw Unsupported{"resampling of the batch or of channels"};
  }
  const at::IntArrayRef size = extents(op.output).slice(2);
  switch (op.mode) {
    case graph::ResizeMode::nearest:
      if (size.size() == 1) return at::upsample_nearest1d(x, size);
      if (size.size() == 2) return at::upsample_nearest2d(x, size);
      if (size.size() == 3) return at::upsample_nearest3d(x, size);
      break;
    case graph::ResizeMode::linear:
      if (size.size() == 1) return at::upsample_linear1d(x, size, op.align_corners);
      if (size.size() == 2) return at::upsample_bilinear2d(x, size, op.align_corners);
      if (size.size() == 3) return at::upsample_trilinear3d(x, size, op.align_corners);
      break;
    case graph::ResizeMode::cubic:
      if (size.size() == 2) return at::upsample_bicubic2d(x, size, op.align_corners);
      break;
  }
  throw Unsupported{"resampling in this mode over this number of dimensions"};
}

at::Tensor run(const graph::GridSample& op, Operands in, Mode) {
  // Ways of sampling and padding have ATen's order (GridSamplerInterpolation, GridSamplerPadding).
  return at::grid_sampler(in[0], in[1], static_cast<std::int64_t>(op.mode),
                          static_cast<std::int64_t>(op.padding_mode), op.align_corners);
}

at::Tensor run(const graph::Contiguous&, Operands in, Mode) { return in[0].contiguous(); }

at::Tensor run(const graph::Roll& op, Operands in, Mode) {
  return at::roll(in[0], extents(op.shifts), extents(op.axes));
}

at::Tensor run(const graph::Triangle& op, Operands in, Mode) {
  return op.upper ? at::triu(in[0], op.diagonal) : at::tril(in[0], op.diagonal);
}

at::Tensor run(const graph::Generate& op, Operands, Mode mode) {
  return at::zeros(extents(op.output),
                   at::TensorOptions().dtype(scalar_type(op.dtype)).device(mode.device));
}

Results run_movement(const graph::Op& op, Operands in, Mode mode) {
  return graph::visit_families<Results, graph::Family::movement, graph::Family::reduction>(
      op, [&]<class Struct>(const Struct& attributes) -> Results {
        return as_list(run(attributes, in, mode));
      });
}

}  // namespace rooflab::torch_worker
