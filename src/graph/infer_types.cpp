// Types of results from types of operands, one rule an op.
//
// Shapes follow PyTorch's documentation of the module of the same name and, for ops that only ONNX
// has, the ONNX operator specification; both agree wherever they overlap. Windows (convolution and
// pooling) use
//
//     out = floor((in + pad_begin + pad_end - dilation * (kernel - 1) - 1) / stride) + 1
//
// and, with ceil_mode, the ceiling of the same quotient, less one when the last window would start
// in the padding after the input (PyTorch, MaxPool2d). Element types: matrix ops, normalisation and
// activations keep the type of their first operand, elementwise ops promote, comparisons give bool.

#include <algorithm>
#include <map>

#include "rooflab/base/error.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {
namespace {

using Types = std::span<const TensorType>;

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::input, message); }

void require(bool condition, const std::string& message) {
  if (!condition) fail(message);
}

const TensorType& operand(Types inputs, std::size_t index, std::string_view what) {
  if (index >= inputs.size()) fail(format("operand {} ({}) is missing", index, what));
  return inputs[index];
}

std::size_t normalised_axis(std::int64_t axis, std::size_t rank) {
  const std::int64_t shifted = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
  if (shifted < 0 || shifted >= static_cast<std::int64_t>(rank)) {
    fail(format("axis {} is outside a tensor of rank {}", axis, rank));
  }
  return static_cast<std::size_t>(shifted);
}

/// Attributes of one spatial dimension of a window.
struct Window {
  std::int64_t kernel, stride, padding_begin, padding_end, dilation;
};

std::int64_t window_count(std::int64_t extent, const Window& window, bool ceil_mode) {
  require(window.kernel > 0 && window.stride > 0 && window.dilation > 0,
          "kernel, stride and dilation must be positive");
  const std::int64_t reach = window.dilation * (window.kernel - 1) + 1;
  const std::int64_t slack = extent + window.padding_begin + window.padding_end - reach;
  // With ceil_mode a window may hang over the end by less than a stride.
  require(slack + (ceil_mode ? window.stride - 1 : 0) >= 0,
          format("a window of {} does not fit an extent of {} (with padding {})", reach, extent,
                 window.padding_begin + window.padding_end));
  if (!ceil_mode) return slack / window.stride + 1;
  std::int64_t count = (slack + window.stride - 1) / window.stride + 1;
  if ((count - 1) * window.stride >= extent + window.padding_begin) --count;
  return count;
}

template <class Attributes>
void require_spatial(const Attributes& op, std::size_t spatial) {
  require(op.kernel.size() == spatial && op.stride.size() == spatial &&
              op.padding_begin.size() == spatial && op.padding_end.size() == spatial &&
              op.dilation.size() == spatial,
          format("attributes for {} spatial dimensions are needed", spatial));
}

std::vector<TensorType> infer(const Conv& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  const TensorType& weight = operand(inputs, 1, "weight");
  require(x.shape.rank() >= 3 && weight.shape.rank() == x.shape.rank(),
          format("convolution of {} with weight {}", x.shape.to_string(), weight.shape.to_string()));
  const std::size_t spatial = x.shape.rank() - 2;
  require_spatial(op, spatial);
  const std::int64_t in_channels = x.shape[1];
  require(op.groups > 0 && in_channels % op.groups == 0,
          format("{} channels do not divide into {} groups", in_channels, op.groups));
  const std::int64_t weight_in = op.transposed ? weight.shape[0] : weight.shape[1] * op.groups;
  require(weight_in == in_channels,
          format("the weight takes {} channels, the input has {}", weight_in, in_channels));
  const std::int64_t out_channels = op.transposed ? weight.shape[1] * op.groups : weight.shape[0];
  require(out_channels % op.groups == 0,
          format("{} output channels do not divide into {} groups", out_channels, op.groups));
  std::vector<std::int64_t> dims = {x.shape[0], out_channels};
  for (std::size_t i = 0; i < spatial; ++i) {
    require(weight.shape[i + 2] == op.kernel[i],
            format("the weight's kernel is {}, not {}", weight.shape[i + 2], op.kernel[i]));
    const Window window{op.kernel[i], op.stride[i], op.padding_begin[i], op.padding_end[i],
                        op.dilation[i]};
    if (op.transposed) {
      const std::int64_t extra = i < op.output_padding.size() ? op.output_padding[i] : 0;
      const std::int64_t extent = (x.shape[i + 2] - 1) * window.stride - window.padding_begin -
                                  window.padding_end + window.dilation * (window.kernel - 1) +
                                  extra + 1;
      require(extent > 0, "a transposed convolution has an empty output");
      dims.push_back(extent);
    } else {
      dims.push_back(window_count(x.shape[i + 2], window, false));
    }
  }
  if (inputs.size() > 2) {
    require(inputs[2].shape.elements() == out_channels,
            format("the bias has {} elements, not {}", inputs[2].shape.elements(), out_channels));
  }
  return {{x.dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> infer(const Linear& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  const TensorType& weight = operand(inputs, 1, "weight");
  require(weight.shape.rank() == 2 && x.shape.rank() >= 1, "a linear weight has rank 2");
  const std::int64_t in = weight.shape[op.weight_in_by_out ? 0 : 1];
  const std::int64_t out = weight.shape[op.weight_in_by_out ? 1 : 0];
  require(x.shape.from_end(1) == in,
          format("a linear layer of {} inputs gets {}", in, x.shape.to_string()));
  Shape shape = x.shape;
  shape[shape.rank() - 1] = out;
  return {{x.dtype, shape}};
}

std::vector<TensorType> infer(const MatMul&, Types inputs) {
  const TensorType& a = operand(inputs, 0, "left factor");
  const TensorType& b = operand(inputs, 1, "right factor");
  require(a.shape.rank() >= 1 && b.shape.rank() >= 1, "a matrix product needs rank 1 or more");
  const auto padded = [](const Shape& shape, bool left) {
    if (shape.rank() > 1) return shape;
    return left ? Shape{1, shape[0]} : Shape{shape[0], 1};
  };
  const Shape left = padded(a.shape, true);
  const Shape right = padded(b.shape, false);
  require(left.from_end(1) == right.from_end(2), format("cannot multiply {} by {}",
                                                        a.shape.to_string(), b.shape.to_string()));
  const auto outer = [](const Shape& shape) {
    return Shape(std::vector<std::int64_t>(shape.dims().begin(), shape.dims().end() - 2));
  };
  std::vector<std::int64_t> dims = broadcast(outer(left), outer(right)).dims();
  if (a.shape.rank() > 1) dims.push_back(left.from_end(2));
  if (b.shape.rank() > 1) dims.push_back(right.from_end(1));
  return {{promote(a.dtype, b.dtype), Shape(std::move(dims))}};
}

std::vector<TensorType> infer(const Einsum& op, Types inputs) {
  const std::size_t arrow = op.equation.find("->");
  require(arrow != std::string::npos, "an einsum equation needs an explicit result ('->')");
  const std::vector<std::string> terms = split(op.equation.substr(0, arrow), ',');
  require(terms.size() == inputs.size(), format("einsum '{}' has {} operands, {} are given",
                                                op.equation, terms.size(), inputs.size()));
  std::map<char, std::int64_t> extents;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const std::string_view letters = trim(terms[t]);
    require(letters.size() == inputs[t].shape.rank(),
            format("einsum term '{}' does not fit {}", letters, inputs[t].shape.to_string()));
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const auto [entry, added] = extents.emplace(letters[i], inputs[t].shape[i]);
      require(added || entry->second == inputs[t].shape[i],
              format("einsum index '{}' has two extents", letters[i]));
    }
  }
  std::vector<std::int64_t> dims;
  for (const char letter : trim(std::string_view(op.equation).substr(arrow + 2))) {
    const auto entry = extents.find(letter);
    require(entry != extents.end(), format("einsum index '{}' is not in any operand", letter));
    dims.push_back(entry->second);
  }
  return {{inputs[0].dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> infer(const Attention&, Types inputs) {
  const TensorType& q = operand(inputs, 0, "query");
  const TensorType& k = operand(inputs, 1, "key");
  const TensorType& v = operand(inputs, 2, "value");
  require(q.shape.rank() >= 2 && q.shape.rank() == k.shape.rank() &&
              k.shape.rank() == v.shape.rank(),
          "query, key and value of attention need one rank");
  require(q.shape.from_end(1) == k.shape.from_end(1) && k.shape.from_end(2) == v.shape.from_end(2),
          format("attention of {} with {} and {}", q.shape.to_string(), k.shape.to_string(),
                 v.shape.to_string()));
  if (q.shape.rank() >= 3) {
    const std::int64_t key_heads = k.shape.from_end(3);
    require(key_heads > 0 && q.shape.from_end(3) % key_heads == 0,
            "the query's heads must be a multiple of the key's");
  }
  Shape shape = q.shape;
  shape[shape.rank() - 1] = v.shape.from_end(1);
  return {{q.dtype, shape}};
}

std::vector<TensorType> infer(const BatchNorm&, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(inputs.size() == 5, "batch norm takes input, weight, bias, running mean and variance");
  require(x.shape.rank() >= 2, "batch norm needs a channel dimension");
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    require(inputs[i].shape.elements() == x.shape[1],
            format("batch norm of {} channels gets {} values", x.shape[1],
                   inputs[i].shape.elements()));
  }
  return {x};
}

std::vector<TensorType> infer(const LayerNorm& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(op.normalized_rank >= 1 &&
              op.normalized_rank <= static_cast<std::int64_t>(x.shape.rank()),
          format("layer norm over {} of {} dimensions", op.normalized_rank, x.shape.rank()));
  return {x};
}

std::vector<TensorType> infer(const RmsNorm&, Types inputs) {
  return {operand(inputs, 0, "input")};
}

std::vector<TensorType> infer(const GroupNorm& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(x.shape.rank() >= 2 && op.groups > 0 && x.shape[1] % op.groups == 0,
          format("group norm of {} in {} groups", x.shape.to_string(), op.groups));
  return {x};
}

std::vector<TensorType> infer(const LocalResponseNorm&, Types inputs) {
  return {operand(inputs, 0, "input")};
}

std::vector<TensorType> infer(const Unary& op, Types inputs) {
  TensorType x = operand(inputs, 0, "input");
  using enum UnaryFunction;
  if (op.function == logical_not || op.function == is_nan || op.function == is_inf) {
    x.dtype = DType::boolean;
  }
  return {x};
}

std::vector<TensorType> infer(const Binary& op, Types inputs) {
  const TensorType& a = operand(inputs, 0, "left operand");
  const TensorType& b = operand(inputs, 1, "right operand");
  const Shape shape = broadcast(a.shape, b.shape);
  require(!op.inplace || shape == a.shape, "an in-place result must have its operand's shape");
  if (is_comparison(op.function)) return {{DType::boolean, shape}};
  // A scalar does not widen a tensor of its own category (PyTorch, type promotion).
  const bool scalar_a = a.shape.rank() == 0 && b.shape.rank() > 0;
  const bool scalar_b = b.shape.rank() == 0 && a.shape.rank() > 0;
  DType dtype = promote(a.dtype, b.dtype);
  if (scalar_a && is_floating(a.dtype) == is_floating(b.dtype)) dtype = b.dtype;
  if ((scalar_b && is_floating(a.dtype) == is_floating(b.dtype)) || op.inplace) dtype = a.dtype;
  return {{dtype, shape}};
}

std::vector<TensorType> infer(const Where&, Types inputs) {
  const TensorType& condition = operand(inputs, 0, "condition");
  const TensorType& x = operand(inputs, 1, "first choice");
  const TensorType& y = operand(inputs, 2, "second choice");
  return {{promote(x.dtype, y.dtype), broadcast(condition.shape, broadcast(x.shape, y.shape))}};
}

std::vector<TensorType> infer(const Softmax& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  (void)normalised_axis(op.axis, x.shape.rank());
  return {x};
}

std::vector<TensorType> infer(const Cast& op, Types inputs) {
  return {{op.to, operand(inputs, 0, "input").shape}};
}

std::vector<TensorType> infer(const Dropout&, Types inputs) {
  return {operand(inputs, 0, "input")};
}

std::vector<TensorType> infer(const StochasticDepth&, Types inputs) {
  return {operand(inputs, 0, "input")};
}

std::vector<TensorType> infer(const Pool& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(x.shape.rank() >= 3, "pooling needs spatial dimensions");
  const std::size_t spatial = x.shape.rank() - 2;
  require_spatial(op, spatial);
  Shape shape = x.shape;
  for (std::size_t i = 0; i < spatial; ++i) {
    const Window window{op.kernel[i], op.stride[i], op.padding_begin[i], op.padding_end[i],
                        op.dilation[i]};
    shape[i + 2] = window_count(x.shape[i + 2], window, op.ceil_mode);
  }
  return {{x.dtype, shape}};
}

std::vector<TensorType> infer(const AdaptivePool& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(x.shape.rank() == op.output_size.size() + 2,
          format("adaptive pooling of {} to {} extents", x.shape.to_string(),
                 op.output_size.size()));
  Shape shape = x.shape;
  for (std::size_t i = 0; i < op.output_size.size(); ++i) {
    require(op.output_size[i] > 0, "adaptive pooling needs positive extents");
    shape[i + 2] = op.output_size[i];
  }
  return {{x.dtype, shape}};
}

std::vector<TensorType> infer(const Reduce& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  std::vector<std::int64_t> dims;
  for (const std::int64_t axis : op.axes) (void)normalised_axis(axis, x.shape.rank());
  for (std::size_t axis = 0; axis < x.shape.rank(); ++axis) {
    const bool reduced = std::ranges::find(op.axes, static_cast<std::int64_t>(axis)) != op.axes.end();
    if (!reduced) dims.push_back(x.shape[axis]);
    if (reduced && op.keep_dims) dims.push_back(1);
  }
  const bool index =
      op.function == ReduceFunction::arg_max || op.function == ReduceFunction::arg_min;
  return {{index ? DType::i64 : x.dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> infer(const CumulativeSum& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  (void)normalised_axis(op.axis, x.shape.rank());
  return {x};
}

std::vector<TensorType> infer(const TopK& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  Shape shape = x.shape;
  const std::size_t axis = normalised_axis(op.axis, shape.rank());
  require(op.k >= 0 && op.k <= shape[axis], format("top {} of {}", op.k, shape[axis]));
  shape[axis] = op.k;
  return {{x.dtype, shape}, {DType::i64, shape}};
}

std::vector<TensorType> infer(const Reshape& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  std::vector<std::int64_t> dims = op.target;
  std::optional<std::size_t> open;
  std::int64_t known = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == -1) {
      require(!open, "a reshape may leave one extent open");
      open = i;
    } else {
      require(dims[i] >= 0, format("a reshape to an extent of {}", dims[i]));
      known = checked_multiply(known, dims[i]);
    }
  }
  const std::int64_t elements = x.shape.elements();
  if (open) {
    require(known > 0 && elements % known == 0,
            format("cannot reshape {} to {}", x.shape.to_string(), Shape(dims).to_string()));
    dims[*open] = elements / known;
  } else {
    require(known == elements,
            format("cannot reshape {} to {}", x.shape.to_string(), Shape(dims).to_string()));
  }
  return {{x.dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> infer(const Transpose& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(op.permutation.size() == x.shape.rank(),
          format("a permutation of {} dimensions for {}", op.permutation.size(),
                 x.shape.to_string()));
  std::vector<std::int64_t> dims;
  std::vector<bool> used(x.shape.rank(), false);
  for (const std::int64_t axis : op.permutation) {
    const std::size_t source = normalised_axis(axis, x.shape.rank());
    require(!used[source], "a permutation names a dimension twice");
    used[source] = true;
    dims.push_back(x.shape[source]);
  }
  return {{x.dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> infer(const Expand& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(op.target.size() >= x.shape.rank(),
          format("cannot expand {} to fewer dimensions", x.shape.to_string()));
  std::vector<std::int64_t> dims = op.target;
  const std::size_t lead = dims.size() - x.shape.rank();
  for (std::size_t i = 0; i < x.shape.rank(); ++i) {
    std::int64_t& extent = dims[lead + i];
    if (extent == -1) extent = x.shape[i];
    require(x.shape[i] == extent || x.shape[i] == 1,
            format("cannot expand an extent of {} to {}", x.shape[i], extent));
  }
  for (const std::int64_t extent : dims) require(extent >= 0, "an expanded extent is open");
  return {{x.dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> infer(const Slice& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(op.begin.size() == op.axes.size() && op.end.size() == op.axes.size() &&
              op.step.size() == op.axes.size(),
          "a slice needs begin, end and step for every axis");
  Shape shape = x.shape;
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    const std::size_t axis = normalised_axis(op.axes[i], shape.rank());
    require(op.step[i] != 0, "a slice needs a step other than 0");
    const std::int64_t span =
        op.step[i] > 0 ? op.end[i] - op.begin[i] : op.begin[i] - op.end[i];
    const std::int64_t stride = op.step[i] > 0 ? op.step[i] : -op.step[i];
    const std::int64_t count = span > 0 ? (span + stride - 1) / stride : 0;
    require(count <= x.shape[axis], format("a slice of {} from an extent of {}", count,
                                           x.shape[axis]));
    shape[axis] = count;
  }
  return {{x.dtype, shape}};
}

std::vector<TensorType> infer(const Split& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  const std::size_t axis = normalised_axis(op.axis, x.shape.rank());
  std::vector<TensorType> parts;
  std::int64_t total = 0;
  for (const std::int64_t size : op.sizes) {
    require(size >= 0, "a part of a split is negative");
    Shape shape = x.shape;
    shape[axis] = size;
    total = checked_add(total, size);
    parts.push_back({x.dtype, shape});
  }
  require(total == x.shape[axis],
          format("the parts of a split sum to {}, not {}", total, x.shape[axis]));
  return parts;
}

std::vector<TensorType> infer(const Concat& op, Types inputs) {
  TensorType result = operand(inputs, 0, "first part");
  const std::size_t axis = normalised_axis(op.axis, result.shape.rank());
  for (const TensorType& part : inputs.subspan(1)) {
    require(part.shape.rank() == result.shape.rank(), "parts of a concat differ in rank");
    for (std::size_t i = 0; i < part.shape.rank(); ++i) {
      require(i == axis || part.shape[i] == result.shape[i],
              format("cannot concatenate {} and {} along {}", result.shape.to_string(),
                     part.shape.to_string(), axis));
    }
    result.shape[axis] = checked_add(result.shape[axis], part.shape[axis]);
    result.dtype = promote(result.dtype, part.dtype);
  }
  return {result};
}

std::vector<TensorType> infer(const Pad& op, Types inputs) {
  TensorType x = operand(inputs, 0, "input");
  require(op.begin.size() == x.shape.rank() && op.end.size() == x.shape.rank(),
          format("a pad of {} dimensions for {}", op.begin.size(), x.shape.to_string()));
  for (std::size_t i = 0; i < x.shape.rank(); ++i) {
    x.shape[i] = checked_add(x.shape[i], checked_add(op.begin[i], op.end[i]));
    require(x.shape[i] >= 0, "a pad cuts more than there is");
  }
  return {x};
}

std::vector<TensorType> infer(const Gather& op, Types inputs) {
  const TensorType& data = operand(inputs, 0, "data");
  const TensorType& indices = operand(inputs, 1, "indices");
  const std::size_t axis = normalised_axis(op.axis, data.shape.rank());
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < data.shape.rank(); ++i) {
    if (i != axis) {
      dims.push_back(data.shape[i]);
    } else {
      dims.insert(dims.end(), indices.shape.dims().begin(), indices.shape.dims().end());
    }
  }
  return {{data.dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> infer(const GatherElements& op, Types inputs) {
  return {{operand(inputs, 0, "data").dtype, op.output}};
}

std::vector<TensorType> infer(const Scatter&, Types inputs) {
  (void)operand(inputs, 2, "updates");
  return {operand(inputs, 0, "data")};
}

std::vector<TensorType> infer(const Resize& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(op.output.size() == x.shape.rank(), "a resize needs every extent of its output");
  for (const std::int64_t extent : op.output) require(extent > 0, "a resize to nothing");
  return {{x.dtype, Shape(op.output)}};
}

std::vector<TensorType> infer(const Contiguous&, Types inputs) {
  return {operand(inputs, 0, "input")};
}

std::vector<TensorType> infer(const Roll&, Types inputs) { return {operand(inputs, 0, "input")}; }

std::vector<TensorType> infer(const Triangle&, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(x.shape.rank() >= 2, "a triangle needs a matrix");
  return {x};
}

std::vector<TensorType> infer(const Generate& op, Types) { return {{op.dtype, op.output}}; }

std::vector<TensorType> infer(const Opaque& op, Types) {
  require(op.outputs.size() == op.dtypes.size(), "an opaque op needs a type for every output");
  std::vector<TensorType> results;
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    results.push_back({op.dtypes[i], op.outputs[i]});
  }
  return results;
}

}  // namespace

std::vector<TensorType> infer_types(const Op& op, std::span<const TensorType> inputs) {
  return std::visit([inputs](const auto& attributes) { return infer(attributes, inputs); }, op);
}

}  // namespace rooflab::graph
