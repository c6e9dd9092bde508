#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constant_tensor.hpp"
#include "rooflab/graph/op.hpp"

namespace rooflab::onnx {

/// Flat index into data of the element that an index tensor names at `at`, a position in what it
/// gathers; negative if it does not exist.
class IndexedElement {
 public:
  IndexedElement(graph::IndexForm form, std::int64_t axis, std::int64_t batch_dims,
                 const graph::Shape& data, const ConstantTensor& indices)
      : form_(form),
        axis_(static_cast<std::size_t>(axis)),
        batch_dims_(static_cast<std::size_t>(batch_dims)),
        data_(data),
        strides_(strides_of(data)),
        indices_(indices),
        index_strides_(strides_of(indices.type.shape)) {}

  std::int64_t operator()(std::span<const std::int64_t> at) const {
    std::int64_t flat = 0;
    std::int64_t which = 0;
    if (form_ == graph::IndexForm::elements) {
      for (std::size_t i = 0; i < at.size(); ++i) which += at[i] * index_strides_[i];
      for (std::size_t i = 0; i < at.size(); ++i) {
        const std::int64_t step = i == axis_ ? coordinate(which, i) : at[i];
        if (step < 0) return -1;
        flat += step * strides_[i];
      }
      return flat;
    }
    const std::size_t rows = indices_.type.shape.rank() - 1;
    const auto depth = static_cast<std::size_t>(indices_.type.shape.from_end(1));
    for (std::size_t i = 0; i < rows; ++i) which += at[i] * index_strides_[i];
    for (std::size_t i = 0; i < data_.rank(); ++i) {
      const bool is_chosen = i >= batch_dims_ && i < batch_dims_ + depth;
      const std::int64_t step =
          is_chosen ? coordinate(which + static_cast<std::int64_t>(i - batch_dims_), i)
                    : at[i < batch_dims_ ? i : i + rows - batch_dims_ - depth];
      if (step < 0) return -1;
      flat += step * strides_[i];
    }
    return flat;
  }

 private:
  /// Element `which` of the indices, counted from the front of a dimension.
  [[nodiscard]] std::int64_t coordinate(std::int64_t which, std::size_t dimension) const {
    const std::int64_t index = indices_.integer(static_cast<std::size_t>(which));
    const std::int64_t wrapped = index < 0 ? index + data_[dimension] : index;
    return wrapped < data_[dimension] ? wrapped : -1;
  }

  graph::IndexForm form_;
  std::size_t axis_;
  std::size_t batch_dims_;
  const graph::Shape& data_;
  std::vector<std::int64_t> strides_;
  const ConstantTensor& indices_;
  std::vector<std::int64_t> index_strides_;
};

}  // namespace rooflab::onnx
