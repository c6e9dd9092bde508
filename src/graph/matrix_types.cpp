// Type rules of convolution, linear, products, attention and recurrent layers.

#include <map>

#include "base/format.hpp"
#include "rooflab/base/quantity.hpp"
#include "type_rules.hpp"

namespace rooflab::graph {

std::vector<TensorType> infer(const Conv& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  const TensorType& weight = operand(inputs, 1, "weight");
  require(x.shape.rank() >= 3 && weight.shape.rank() == x.shape.rank(), [&] {
    return format("convolution of {} with weight {}", x.shape.to_string(),
                  weight.shape.to_string());
  });
  const std::size_t spatial = x.shape.rank() - 2;
  require_spatial(op, spatial);
  const std::int64_t in_channels = x.shape[1];
  require(op.groups > 0 && in_channels % op.groups == 0, [&] {
    return format("{} channels do not divide into {} groups", in_channels, op.groups);
  });
  const std::int64_t weight_in = op.transposed ? weight.shape[0] : weight.shape[1] * op.groups;
  require(weight_in == in_channels, [&] {
    return format("the weight takes {} channels, the input has {}", weight_in, in_channels);
  });
  const std::int64_t out_channels = op.transposed ? weight.shape[1] * op.groups : weight.shape[0];
  require(out_channels % op.groups == 0, [&] {
    return format("{} output channels do not divide into {} groups", out_channels, op.groups);
  });
  std::vector<std::int64_t> dims = {x.shape[0], out_channels};
  for (std::size_t i = 0; i < spatial; ++i) {
    require(weight.shape[i + 2] == op.kernel[i], [&] {
      return format("the weight's kernel is {}, not {}", weight.shape[i + 2], op.kernel[i]);
    });
    const Window window{op.kernel[i], op.stride[i], op.padding_begin[i], op.padding_end[i],
                        op.dilation[i]};
    if (op.transposed) {
      const std::int64_t extra = i < op.output_padding.size() ? op.output_padding[i] : 0;
      const std::int64_t extent = checked_multiply(x.shape[i + 2] - 1, window.stride) -
                                  window.padding_begin - window.padding_end +
                                  window.dilation * (window.kernel - 1) + extra + 1;
      require(extent > 0, "a transposed convolution has an empty output");
      dims.push_back(extent);
    } else {
      dims.push_back(window_count(x.shape[i + 2], window, false));
    }
  }
  if (inputs.size() > 2) {
    require(inputs[2].shape.elements() == out_channels, [&] {
      return format("the bias has {} elements, not {}", inputs[2].shape.elements(), out_channels);
    });
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
          [&] { return format("a linear layer of {} inputs gets {}", in, x.shape.to_string()); });
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
  require(left.from_end(1) == right.from_end(2), [&] {
    return format("cannot multiply {} by {}", a.shape.to_string(), b.shape.to_string());
  });
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
  require(terms.size() == inputs.size(), [&] {
    return format("einsum '{}' has {} operands, {} are given", op.equation, terms.size(),
                  inputs.size());
  });
  std::map<char, std::int64_t> extents;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const std::string_view letters = trim(terms[t]);
    require(letters.size() == inputs[t].shape.rank(), [&] {
      return format("einsum term '{}' does not fit {}", letters, inputs[t].shape.to_string());
    });
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const auto [entry, added] = extents.emplace(letters[i], inputs[t].shape[i]);
      require(added || entry->second == inputs[t].shape[i],
              [&] { return format("einsum index '{}' has two extents", letters[i]); });
    }
  }
  std::vector<std::int64_t> dims;
  for (const char letter : trim(std::string_view(op.equation).substr(arrow + 2))) {
    const auto entry = extents.find(letter);
    require(entry != extents.end(),
            [&] { return format("einsum index '{}' is not in any operand", letter); });
    dims.push_back(entry->second);
  }
  return {{inputs[0].dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> infer(const Attention&, Types inputs) {
  const TensorType& q = operand(inputs, 0, "query");
  const TensorType& k = operand(inputs, 1, "key");
  const TensorType& v = operand(inputs, 2, "value");
  require(
      q.shape.rank() >= 2 && q.shape.rank() == k.shape.rank() && k.shape.rank() == v.shape.rank(),
      "query, key and value of attention need one rank");
  require(q.shape.from_end(1) == k.shape.from_end(1) && k.shape.from_end(2) == v.shape.from_end(2),
          [&] {
            return format("attention of {} with {} and {}", q.shape.to_string(),
                          k.shape.to_string(), v.shape.to_string());
          });
  if (q.shape.rank() >= 3) {
    const std::int64_t key_heads = k.shape.from_end(3);
    require(key_heads > 0 && q.shape.from_end(3) % key_heads == 0,
            "the query's heads must be a multiple of the key's");
  }
  Shape shape = q.shape;
  shape[shape.rank() - 1] = v.shape.from_end(1);
  return {{q.dtype, shape}};
}

namespace {

/// An operand of a recurrent layer, which has this shape and the type of x.
void require_shape(Types inputs, std::size_t index, std::string_view what, const Shape& shape) {
  const TensorType& found = operand(inputs, index, what);
  require(found.shape == shape, [&] {
    return format("the {} of recurrent layers is {}, not {}", what, found.shape.to_string(),
                  shape.to_string());
  });
  require(found.dtype == inputs[0].dtype, [&] {
    return format("recurrent layers on {} with a {} of {}", name_of(inputs[0].dtype), what,
                  name_of(found.dtype));
  });
}

}  // namespace

std::vector<TensorType> infer(const Recurrent& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(x.shape.rank() == 3,
          [&] { return format("recurrent layers on {}, not rank 3", x.shape.to_string()); });
  require(op.layers >= 1 && op.layers <= most_recurrent_layers,
          [&] { return format("{} recurrent layers", op.layers); });
  const std::size_t first = op.first_weight();
  const Shape& recurrent = operand(inputs, first + 1, "recurrent weight").shape;
  require(recurrent.rank() == 2, "a recurrent weight has rank 2");
  const std::int64_t hidden = recurrent[1];
  const std::int64_t gates = checked_multiply(op.gates(), hidden);
  const std::int64_t width = checked_multiply(op.directions(), hidden);
  const std::int64_t samples = x.shape[op.batch_first ? 0 : 1];
  const Shape state{op.layers * op.directions(), samples, hidden};
  if (op.initial_state) {
    for (std::size_t i = 0; i < op.states(); ++i) require_shape(inputs, 1 + i, "state", state);
  }
  std::size_t at = first;
  for (std::int64_t layer = 0; layer < op.layers; ++layer) {
    for (std::int64_t direction = 0; direction < op.directions(); ++direction) {
      require_shape(inputs, at++, "input weight", {gates, layer == 0 ? x.shape[2] : width});
      require_shape(inputs, at++, "recurrent weight", {gates, hidden});
      for (int i = 0; op.bias && i < 2; ++i) require_shape(inputs, at++, "bias", {gates});
    }
  }
  Shape y = x.shape;
  y[2] = width;
  std::vector<TensorType> types(1 + op.states(), {x.dtype, state});
  types.front() = {x.dtype, std::move(y)};
  return types;
}

std::vector<TensorType> infer_matrix(const Op& op, Types inputs) {
  return visit_families<std::vector<TensorType>, Family::matrix>(
      op, [inputs](const auto& attributes) { return infer(attributes, inputs); });
}

}  // namespace rooflab::graph
