#include "extent_scaler.hpp"

#include "rooflab/base/quantity.hpp"
#include "rooflab/graph/op_facts.hpp"

namespace rooflab::graph {
namespace {

/// Scales the extent along `axis` in the attributes of each op that holds extents.
struct ExtentScaler {
  std::size_t axis;
  std::int64_t old_batch;
  std::int64_t new_batch;

  void operator()(Reshape& o) const { scale(o.target); }
  void operator()(Expand& o) const { scale(o.target); }
  void operator()(Resize& o) const { scale(o.output); }
  void operator()(Generate& o) const { scale(o.output); }
  void operator()(Opaque& o) const {
    for (Shape& output : o.outputs) scale(output);
  }
  void operator()(Slice& o) const {
    for (std::size_t i = 0; i < o.axes.size(); ++i) {
      if (o.axes[i] == static_cast<std::int64_t>(axis)) scale(o.end[i]);
    }
  }

 private:
  void scale(std::int64_t& extent) const {
    // An open extent (-1) follows by itself; what is not a multiple shows when types are inferred.
    if (extent < 0 || extent % old_batch != 0) return;
    extent = checked_multiply(extent / old_batch, new_batch);
  }
  void scale(std::vector<std::int64_t>& extents) const {
    if (axis < extents.size()) scale(extents[axis]);
  }
  void scale(Shape& shape) const {
    if (axis < shape.rank()) scale(shape[axis]);
  }
};

}  // namespace

Op with_batch_at(const Op& op, std::size_t axis, std::int64_t old_batch, std::int64_t new_batch) {
  Op result = op;
  std::visit(
      [&]<class Struct>(Struct& attributes) {
        if constexpr (facts<Struct>.holds_extents) {
          ExtentScaler{axis, old_batch, new_batch}(attributes);
        }
      },
      result);
  return result;
}

}  // namespace rooflab::graph
