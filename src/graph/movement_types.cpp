// Type rules of views, copies and ops that are known by their output only.

#include <optional>

#include "base/format.hpp"
#include "rooflab/base/quantity.hpp"
#include "type_rules.hpp"

namespace rooflab::graph {

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
      require(dims[i] >= 0, [&] { return format("a reshape to an extent of {}", dims[i]); });
      known = checked_multiply(known, dims[i]);
    }
  }
  const std::int64_t elements = x.shape.elements();
  if (open) {
    require(known > 0 && elements % known == 0, [&] {
      return format("cannot reshape {} to {}", x.shape.to_string(), Shape(dims).to_string());
    });
    dims[*open] = elements / known;
  } else {
    require(known == elements, [&] {
      return format("cannot reshape {} to {}", x.shape.to_string(), Shape(dims).to_string());
    });
  }
  return {{x.dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> infer(const Transpose& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(op.permutation.size() == x.shape.rank(), [&] {
    return format("a permutation of {} dimensions for {}", op.permutation.size(),
                  x.shape.to_string());
  });
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
          [&] { return format("cannot expand {} to fewer dimensions", x.shape.to_string()); });
  std::vector<std::int64_t> dims = op.target;
  const std::size_t lead = dims.size() - x.shape.rank();
  for (std::size_t i = 0; i < x.shape.rank(); ++i) {
    std::int64_t& extent = dims[lead + i];
    if (extent == -1) extent = x.shape[i];
    require(x.shape[i] == extent || x.shape[i] == 1,
            [&] { return format("cannot expand an extent of {} to {}", x.shape[i], extent); });
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
    const std::int64_t span = op.step[i] > 0 ? op.end[i] - op.begin[i] : op.begin[i] - op.end[i];
    const std::int64_t stride = op.step[i] > 0 ? op.step[i] : -op.step[i];
    const std::int64_t count = span > 0 ? (span + stride - 1) / stride : 0;
    require(count <= x.shape[axis],
            [&] { return format("a slice of {} from an extent of {}", count, x.shape[axis]); });
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
          [&] { return format("the parts of a split sum to {}, not {}", total, x.shape[axis]); });
  return parts;
}

std::vector<TensorType> infer(const Concat& op, Types inputs) {
  TensorType result = operand(inputs, 0, "first part");
  const std::size_t axis = normalised_axis(op.axis, result.shape.rank());
  for (const TensorType& part : inputs.subspan(1)) {
    require(part.shape.rank() == result.shape.rank(), "parts of a concat differ in rank");
    for (std::size_t i = 0; i < part.shape.rank(); ++i) {
      require(i == axis || part.shape[i] == result.shape[i], [&] {
        return format("cannot concatenate {} and {} along {}", result.shape.to_string(),
                      part.shape.to_string(), axis);
      });
    }
    result.shape[axis] = checked_add(result.shape[axis], part.shape[axis]);
    result.dtype = promote(result.dtype, part.dtype);
  }
  return {result};
}

std::vector<TensorType> infer(const Pad& op, Types inputs) {
  TensorType x = operand(inputs, 0, "input");
  require(op.begin.size() == x.shape.rank() && op.end.size() == x.shape.rank(), [&] {
    return format("a pad of {} dimensions for {}", op.begin.size(), x.shape.to_string());
  });
  for (std::size_t i = 0; i < x.shape.rank(); ++i) {
    x.shape[i] = checked_add(x.shape[i], checked_add(op.begin[i], op.end[i]));
    require(x.shape[i] >= 0, "a pad cuts more than the extent");
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

namespace {

/// Shape of what the indices name in `data`: that of a gather's result and of a scatter's updates.
Shape indexed_shape(IndexForm form, std::int64_t axis, std::int64_t batch_dims, const Shape& data,
                    const Shape& indices) {
  const auto misfit = [&] {
    return format("indices of {} into {}", indices.to_string(), data.to_string());
  };
  if (form == IndexForm::elements) {
    require(indices.rank() == data.rank(), misfit);
    const std::size_t along = normalised_axis(axis, data.rank());
    for (std::size_t i = 0; i < data.rank(); ++i) {
      require(i == along || indices[i] <= data[i], misfit);
    }
    return indices;
  }
  require(indices.rank() > 0 && batch_dims >= 0, misfit);
  const auto batch = static_cast<std::size_t>(batch_dims);
  const std::int64_t depth = indices.from_end(1);
  require(depth > 0 && batch < indices.rank() && batch <= data.rank() &&
              depth <= static_cast<std::int64_t>(data.rank() - batch),
          misfit);
  for (std::size_t i = 0; i < batch; ++i) require(indices[i] == data[i], misfit);
  std::vector<std::int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), data.dims().begin() + batch_dims + depth, data.dims().end());
  return Shape(std::move(dims));
}

}  // namespace

std::vector<TensorType> infer(const GatherElements& op, Types inputs) {
  const TensorType& data = operand(inputs, 0, "data");
  const Shape& indices = operand(inputs, 1, "indices").shape;
  return {{data.dtype, indexed_shape(op.form, op.axis, op.batch_dims, data.shape, indices)}};
}

std::vector<TensorType> infer(const Scatter& op, Types inputs) {
  const TensorType& data = operand(inputs, 0, "data");
  const Shape& indices = operand(inputs, 1, "indices").shape;
  const Shape& updates = operand(inputs, 2, "updates").shape;
  const Shape named = indexed_shape(op.form, op.axis, 0, data.shape, indices);
  require(updates == named, [&] {
    return format("updates of {} for elements of {}", updates.to_string(), named.to_string());
  });
  return {data};
}

std::vector<TensorType> infer(const Resize& op, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  require(op.output.size() == x.shape.rank(), "a resize needs every extent of its output");
  for (const std::int64_t extent : op.output) require(extent > 0, "a resize to nothing");
  return {{x.dtype, Shape(op.output)}};
}

std::vector<TensorType> infer(const GridSample&, Types inputs) {
  const TensorType& x = operand(inputs, 0, "input");
  const TensorType& grid = operand(inputs, 1, "grid");
  const auto dimensions = static_cast<std::int64_t>(x.shape.rank()) - 2;
  require(dimensions >= 1 && grid.shape.rank() == x.shape.rank() && grid.shape[0] == x.shape[0] &&
              grid.shape.from_end(1) == dimensions,
          [&] {
            return format("a grid {} does not sample {}", grid.shape.to_string(),
                          x.shape.to_string());
          });
  require(is_floating(x.dtype) && grid.dtype == x.dtype, [&] {
    return format("{} is sampled with a grid of {}: both need one floating type",
                  rooflab::name_of(x.dtype), rooflab::name_of(grid.dtype));
  });
  Shape shape = x.shape;
  for (std::size_t i = 2; i < shape.rank(); ++i) shape[i] = grid.shape[i - 1];
  return {{x.dtype, shape}};
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

std::vector<TensorType> infer_movement(const Op& op, Types inputs) {
  return visit_families<std::vector<TensorType>, Family::movement, Family::unknown>(
      op, [inputs](const auto& attributes) { return infer(attributes, inputs); });
}

}  // namespace rooflab::graph
