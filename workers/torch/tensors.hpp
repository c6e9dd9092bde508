#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "rooflab/base/precision.hpp"
#include "rooflab/graph/shape.hpp"

/// The executor of `rooflab-torch`: any graph, op by op, through ATen; autograd runs the backward
/// pass. One source for libtorch 1.13 (CPU) and libtorch 2.x (CPU and CUDA).
namespace rooflab::torch_worker {

/// Exception for work that the installed framework or this executor does not support: the case is
/// `unsupported`.
struct Unsupported {
  std::string what;
};

/// ATen's element type; throws Unsupported for types that it lacks.
[[nodiscard]] at::ScalarType scalar_type(DType dtype);

[[nodiscard]] inline at::IntArrayRef extents(const std::vector<std::int64_t>& list) {
  return {list.data(), list.size()};
}
[[nodiscard]] inline at::IntArrayRef extents(const graph::Shape& shape) {
  return extents(shape.dims());
}

}  // namespace rooflab::torch_worker
