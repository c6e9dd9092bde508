// A step in another batch, from two recordings of it.
//
// What depends on the batch, extents, strides, offsets and bytes, is read off the straight line
// through both: value(b) = v1 + (v2 - v1) (b - b1) / (b2 - b1). Extents of most programs are so:
// a multiple of the batch, or constant. Bytes of a storage that is dense follow from the extents,
// so that a matrix of batch x batch keeps its size. Where the two recordings run other ops, or a
// number on the line is not whole, no line goes through both and the batch has to be recorded.

#include <algorithm>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {
namespace {

[[noreturn]] void differ(const Recording& other, int line, const std::string& what) {
  throw Error(ErrorKind::input, format("the recordings are not of the same step: {}", what),
              "record the batch that you want", Location{other.file, std::max(line, 1), {}, {}});
}

/// A product of two numbers of a file may need more than 64 bits.
__extension__ using Wide = __int128;

/// Elements from the first to behind the last.
std::int64_t span_of(const Layout& layout) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < layout.strides.size(); ++i) {
    if (layout.type.shape[i] == 0) return 0;
    last = checked_add(last, checked_multiply(layout.type.shape[i] - 1, layout.strides[i]));
  }
  return last + 1;
}

/// Bytes that the tensors of each storage reach.
std::vector<Bytes> reached_bytes(const Recording& recording) {
  std::vector<Bytes> reached(recording.storages.size());
  for (const Tensor& tensor : recording.tensors) {
    const Layout& layout = recording.layouts[static_cast<std::size_t>(tensor.layout)];
    Bytes& most = reached[static_cast<std::size_t>(tensor.storage)];
    const std::int64_t end = checked_add(tensor.offset, span_of(layout));
    most = std::max(most, Bytes(checked_multiply(end, size_of(layout.type.dtype))));
  }
  return reached;
}

class Line {
 public:
  Line(const Recording& one, const Recording& other, std::int64_t batch)
      : one_(one), other_(other), batch_(batch) {
    if (!one.batch || !other.batch) differ(other, 1, "one of them does not say its batch");
    if (*one.batch == *other.batch) differ(other, 1, format("both have batch {}", *one.batch));
  }

  [[nodiscard]] std::int64_t at(std::int64_t of_one, std::int64_t of_other,
                                const std::string& what) const {
    if (of_one == of_other) return of_one;
    const Wide rise = static_cast<Wide>(of_other - of_one) * (batch_ - *one_.batch);
    const std::int64_t run = *other_.batch - *one_.batch;
    if (rise % run != 0) {
      differ(other_, 1,
             format("{} is {} in batch {} and {} in batch {}, and not whole in batch {}", what,
                    of_one, *one_.batch, of_other, *other_.batch, batch_));
    }
    const Wide value = of_one + rise / run;
    constexpr Wide most = std::int64_t{1} << 60;
    if (value < 0 || value > most) {
      differ(other_, 1, format("{} would be out of range in batch {}", what, batch_));
    }
    return static_cast<std::int64_t>(value);
  }

 private:
  const Recording& one_;
  const Recording& other_;
  std::int64_t batch_;
};

template <class List>
void same_count(const Recording& other, const List& one, const List& two, const char* what) {
  if (one.size() == two.size()) return;
  differ(other, 1, format("one has {} {}, the other {}", one.size(), what, two.size()));
}

/// Layouts are named once, so that two of one recording may be one of the other: tensors decide.
void check_ops(const Recording& one, const Recording& other) {
  same_count(other, one.ops, other.ops, "ops");
  same_count(other, one.tensors, other.tensors, "tensors");
  same_count(other, one.storages, other.storages, "storages");
  for (std::size_t i = 0; i < one.ops.size(); ++i) {
    const Op& a = one.ops[i];
    const Op& b = other.ops[i];
    if (one.name_of(a) != other.name_of(b)) {
      differ(other, b.line, format("op {} is {} and {}", i, one.name_of(a), other.name_of(b)));
    }
    if (a.in != b.in || a.out != b.out) {
      differ(other, b.line, format("op {} ({}) has other operands", i, one.name_of(a)));
    }
  }
}

}  // namespace

Recording interpolated(const Recording& one, const Recording& other, std::int64_t batch) {
  const Line line(one, other, batch);
  check_ops(one, other);
  Recording result = one;
  result.batch = batch;
  result.layouts.clear();
  std::vector<Bytes> lower = reached_bytes(one);
  std::vector<Bytes> upper = reached_bytes(other);
  for (std::size_t i = 0; i < one.tensors.size(); ++i) {
    const Layout& a = one.layout_of(static_cast<TensorId>(i));
    const Layout& b = other.layout_of(static_cast<TensorId>(i));
    if (a.type.dtype != b.type.dtype || a.type.shape.rank() != b.type.shape.rank() ||
        one.tensors[i].storage != other.tensors[i].storage) {
      differ(other, 1, format("tensor {} has another type, rank or storage", i));
    }
    Layout layout = a;
    const std::string what = format("an extent of tensor {} ({})", i, a.type.shape.to_string());
    for (std::size_t axis = 0; axis < layout.strides.size(); ++axis) {
      layout.type.shape[axis] = line.at(a.type.shape[axis], b.type.shape[axis], what);
    }
    // Strides of dense tensors follow from the extents; a stride may be a product of two of them.
    const bool dense = a.strides == schedule::contiguous_strides(a.type.shape) &&
                       b.strides == schedule::contiguous_strides(b.type.shape);
    if (dense) {
      layout.strides = schedule::contiguous_strides(layout.type.shape);
    } else {
      for (std::size_t axis = 0; axis < layout.strides.size(); ++axis) {
        layout.strides[axis] = line.at(a.strides[axis], b.strides[axis], what);
      }
    }
    result.tensors[i].layout = static_cast<std::int32_t>(result.layouts.size());
    result.tensors[i].offset = line.at(one.tensors[i].offset, other.tensors[i].offset, what);
    result.layouts.push_back(std::move(layout));
  }
  const std::vector<Bytes> reached = reached_bytes(result);
  for (std::size_t i = 0; i < one.storages.size(); ++i) {
    Bytes& bytes = result.storages[i].bytes;
    const bool full = one.storages[i].bytes == lower[i] && other.storages[i].bytes == upper[i];
    bytes = full ? reached[i]
                 : Bytes(line.at(one.storages[i].bytes.value(), other.storages[i].bytes.value(),
                                 format("the size of storage {}", i)));
  }
  return result;
}

void check_equal(const Recording& one, const Recording& other) {
  check_ops(one, other);
  for (std::size_t i = 0; i < one.tensors.size(); ++i) {
    const Layout& a = one.layout_of(static_cast<TensorId>(i));
    const Layout& b = other.layout_of(static_cast<TensorId>(i));
    if (a.type != b.type) {
      differ(other, 1,
             format("tensor {} is {} and not {}: its extents do not lie on one line", i,
                    b.type.shape.to_string(), a.type.shape.to_string()));
    }
  }
}

}  // namespace rooflab::recording
