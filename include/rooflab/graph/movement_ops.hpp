#pragma once

#include <cstdint>
#include <vector>

#include "rooflab/base/precision.hpp"
#include "rooflab/graph/shape.hpp"

/// The ops that move elements without computing with them: views and copies.
namespace rooflab::graph {

// ---- views: no device work, the result shares the operand's memory where strides allow --------

/// New extents for the same elements in order; one may be -1. A copy where strides do not allow it.
struct Reshape {
  std::vector<std::int64_t> target = {};
  friend bool operator==(const Reshape&, const Reshape&) = default;
};

/// Dimensions in a new order: output axis i is input axis permutation[i].
struct Transpose {
  std::vector<std::int64_t> permutation = {};
  friend bool operator==(const Transpose&, const Transpose&) = default;
};

/// Extents of 1 repeated by stride 0; -1 keeps an extent.
struct Expand {
  std::vector<std::int64_t> target = {};
  friend bool operator==(const Expand&, const Expand&) = default;
};

/// A range of every listed axis, end exclusive; all values already clamped to the extents.
struct Slice {
  std::vector<std::int64_t> axes = {};
  std::vector<std::int64_t> begin = {};
  std::vector<std::int64_t> end = {};
  std::vector<std::int64_t> step = {};
  friend bool operator==(const Slice&, const Slice&) = default;
};

/// One output per size along an axis (non-negative).
struct Split {
  std::int64_t axis = 0;
  std::vector<std::int64_t> sizes = {};
  friend bool operator==(const Split&, const Split&) = default;
};

// ---- copies ---------------------------------------------------------------------------------

/// All inputs along an axis (non-negative).
struct Concat {
  std::int64_t axis = 0;
  friend bool operator==(const Concat&, const Concat&) = default;
};

enum class PadMode : std::uint8_t { constant, reflect, edge };

/// Border around x; one entry per dimension, a negative one crops.
struct Pad {
  std::vector<std::int64_t> begin = {};
  std::vector<std::int64_t> end = {};
  PadMode mode = PadMode::constant;
  double value = 0.0;  ///< value of the constant
  friend bool operator==(const Pad&, const Pad&) = default;
};

/// Rows of data (input 0) chosen along an axis by integer indices (input 1): embeddings too.
struct Gather {
  std::int64_t axis = 0;
  friend bool operator==(const Gather&, const Gather&) = default;
};

/// Form in which an index tensor names elements of `data`.
enum class IndexForm : std::uint8_t {
  elements,  ///< an index for each element, along one axis (torch.gather, ONNX GatherElements)
  nd,        ///< its last dimension holds coordinates, of slices where they are few (ONNX GatherND)
};

/// Elements of data (input 0) chosen by an index tensor (input 1). Form elements: the result has
/// the index tensor's shape and element p is data[p with p[axis] replaced by index[p]]. Form nd:
/// the first `batch_dims` dimensions of both run in step, and each row of the index tensor's last
/// dimension gives coordinates of the dimensions of data that follow; data[index] in PyTorch.
struct GatherElements {
  IndexForm form = IndexForm::elements;
  std::int64_t axis = 0;        ///< elements only
  std::int64_t batch_dims = 0;  ///< nd only
  friend bool operator==(const GatherElements&, const GatherElements&) = default;
};

/// Combination of an update with the element that it names; with `none` the last update stays.
enum class ScatterReduction : std::uint8_t { none, add, mul, maximum, minimum };

/// A copy of data (input 0) whose elements that an index tensor (input 1) names are combined with
/// updates (input 2). The index tensor is as in GatherElements without batch_dims, the updates have
/// the shape that such a gather would give (ONNX ScatterElements and ScatterND).
struct Scatter {
  IndexForm form = IndexForm::elements;
  std::int64_t axis = 0;  ///< elements only
  ScatterReduction reduction = ScatterReduction::none;
  friend bool operator==(const Scatter&, const Scatter&) = default;
};

enum class ResizeMode : std::uint8_t { nearest, linear, cubic };

/// Resampling of x [N, C, spatial...] to the given full output shape.
struct Resize {
  ResizeMode mode = ResizeMode::nearest;
  std::vector<std::int64_t> output = {};
  bool align_corners = false;  ///< linear and cubic: the corners' pixels keep their places
  friend bool operator==(const Resize&, const Resize&) = default;
};

enum class GridSampleMode : std::uint8_t { bilinear, nearest, bicubic };
enum class GridSamplePadding : std::uint8_t { zeros, border, reflection };

/// Input 0, x [N, C, spatial...], sampled at the places in input 1, grid [N, out spatial...,
/// dimensions], of two or three spatial dimensions (bicubic: two). A place is x, y (and z) from -1
/// to 1: x along x's last dimension. Result [N, C, out spatial...]. As PyTorch's grid_sample.
struct GridSample {
  GridSampleMode mode = GridSampleMode::bilinear;
  GridSamplePadding padding_mode = GridSamplePadding::zeros;  ///< padding of places outside
  bool align_corners = false;  ///< -1 and 1 are the centres of the outer pixels, not their edges
  friend bool operator==(const GridSample&, const GridSample&) = default;
};

/// A dense copy in contiguous order where the operand is not already so (PyTorch's contiguous()).
struct Contiguous {
  friend bool operator==(const Contiguous&, const Contiguous&) = default;
};

/// Cyclic shift: element i of an axis (non-negative) goes to i + shift, modulo the extent. Axes are
/// shifted one after the other, one pass over the data each, as torch.roll does.
struct Roll {
  std::vector<std::int64_t> shifts = {};  ///< one for each axis; may be negative
  std::vector<std::int64_t> axes = {};
  friend bool operator==(const Roll&, const Roll&) = default;
};

/// Upper or lower triangle kept.
struct Triangle {
  bool upper = false;
  std::int64_t diagonal = 0;
  friend bool operator==(const Triangle&, const Triangle&) = default;
};

/// Data made from nothing: Range, ConstantOfShape, random numbers. No inputs are read.
struct Generate {
  Shape output = {};
  DType dtype = DType::f32;
  friend bool operator==(const Generate&, const Generate&) = default;
};

}  // namespace rooflab::graph
