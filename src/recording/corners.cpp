// The numbers of a step in another size.

#include "corners.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "layout_span.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::recording {
namespace {

constexpr std::int64_t most_number = std::int64_t{1} << 48;

}  // namespace

std::string StepSizes::Corners::op_text(std::size_t op) const {
  return op < all_[0]->ops.size() ? op_name(*all_[0], op) : "no op";
}

template <class What>
std::int64_t StepSizes::Corners::whole(const Corner& corner, const SizeRule& rule, std::size_t op,
                                       What what) const {
  if (const auto value = rule.at(corner)) return *value;
  std::vector<std::string> seen = {format("{} in {}", corner.base, known_.base.text())};
  each_other([&](std::size_t i, const Recording& other) {
    seen.push_back(
        format("{} in {}", i == 1 ? corner.by_batch : corner.by_context, size_of(other).text()));
  });
  const Recording& base = *all_[0];
  differ(base, op < base.ops.size() ? base.ops[op].line : 1,
         format("{} is {}, and no whole number follows from that", what(), join(seen, " and ")));
}

template <class What>
std::int64_t StepSizes::Corners::extent(const Corner& corner, const SizeRule& rule, std::size_t op,
                                        What what) const {
  const std::int64_t value = whole(corner, rule, op, what);
  check_range(value, what);
  return value;
}

template <class What>
void StepSizes::Corners::check_range(std::int64_t value, What what) const {
  if (value >= 0 && value <= most_number) return;
  throw Error(value < 0 ? ErrorKind::input : ErrorKind::range,
              format("{} would be out of range", what()), "record the size that you want",
              Location{all_[0]->file, {}, {}, {}});
}

Layout StepSizes::Corners::layout(const Matched& matched, const SizeRule& rule) const {
  Layout layout;
  layout.type.dtype = matched.dtype;
  std::vector<std::int64_t> extents;
  for (const Axis& axis : matched.axes) {
    extents.push_back(extent(axis.extent, rule, matched.op, [&] {
      return format("an extent of a tensor of {}", op_text(matched.op));
    }));
  }
  layout.type.shape = graph::Shape(extents);
  layout.strides.resize(extents.size());
  std::int64_t inside = 1;  // elements of the axes so far
  for (const std::size_t i : matched.order) {
    const Axis& axis = matched.axes[i];
    const std::int64_t all = checked_multiply(inside, std::max<std::int64_t>(extents[i], 1));
    if (axis.dense) {
      layout.strides[i] = inside;
    } else if (axis.follows >= 0) {
      const auto inner = static_cast<std::size_t>(axis.follows);
      layout.strides[i] =
          checked_multiply(layout.strides[inner], std::max<std::int64_t>(extents[inner], 1));
    } else if (extents[i] <= 1) {  // no step is taken
      layout.strides[i] = axis.stride.base;
    } else if (axis.unknown) {
      differ(*all_[0], matched.op < all_[0]->ops.size() ? all_[0]->ops[matched.op].line : 1,
             format("a stride of a tensor of {} does not follow from extents of 1",
                    op_text(matched.op)));
    } else {
      layout.strides[i] = extent(axis.stride, rule, matched.op, [&] {
        return format("a stride of a tensor of {}", op_text(matched.op));
      });
    }
    if (layout.strides[i] != 0) inside = all;
  }
  return layout;
}

Json StepSizes::Corners::argument(std::size_t op, const std::array<const Json*, 3>& corners,
                                  const SizeRule& rule, const std::string& name) const {
  const Json& base = *corners[0];
  const auto inside = [&](auto part) -> std::array<const Json*, 3> {
    return {part(*corners[0]), part(*corners[1]), part(*corners[2])};
  };
  if (base.is_array()) {
    Json list = Json::array();
    for (std::size_t i = 0; i < base.size(); ++i) {
      list.push_back(argument(op, inside([i](const Json& of) { return &of[i]; }), rule, name));
    }
    return list;
  }
  if (base.is_object()) {
    Json object = Json::object();
    for (const auto& key : base.keys()) {
      object[key] =
          argument(op, inside([&key](const Json& of) { return &*of.find(key); }), rule, key);
    }
    return object;
  }
  if (!base.is_number()) return base;
  if (std::ranges::all_of(corners, [](const Json* of) { return of->is_number_integer(); })) {
    const auto number = [&](std::size_t i) { return corners[i]->get<std::int64_t>(); };
    return whole({number(0), number(1), number(2)}, rule, op,
                 [&] { return format("argument '{}' of {}", name, op_text(op)); });
  }
  return rule.at(corners[0]->get<double>(), corners[1]->get<double>(), corners[2]->get<double>());
}

Recording StepSizes::Corners::at(const StepSize& size) const {
  const SizeRule rule(known_, size);
  Recording result = frame_;
  result.batch = size.batch;
  result.context = size.context;
  std::vector<Bytes> reached(result.storages.size());
  for (const Matched& matched : tensors_) {
    Tensor tensor{static_cast<std::int32_t>(result.layouts.size()), matched.storage, 0};
    const auto what = [&] { return format("the offset of a tensor of {}", op_text(matched.op)); };
    tensor.offset = whole(matched.offset, rule, matched.op, what);
    if (matched.parent >= 0) {
      tensor.offset += result.tensors[static_cast<std::size_t>(matched.parent)].offset;
    }
    check_range(tensor.offset, what);
    result.layouts.push_back(layout(matched, rule));
    result.tensors.push_back(tensor);
    reach(reached[static_cast<std::size_t>(matched.storage)], result.layouts.back(), tensor.offset);
  }
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const Size& of = sizes_[i];
    Bytes& bytes = result.storages[i].bytes;
    bytes = reached[i];
    if (of.kind == Size::Kind::rounded) bytes = Bytes(rounded_up(bytes.value(), of.multiple));
    if (of.kind != Size::Kind::line) continue;
    bytes = std::max(bytes, Bytes(extent(of.bytes, rule, frame_.born[i],
                                         [&] { return format("the size of storage {}", i); })));
  }
  for (const std::size_t op : changing_) {
    const Json& base = all_[0]->ops[op].arguments;
    std::array<const Json*, 3> corners = {&base, &base, &base};
    each_other(
        [&](std::size_t i, const Recording& other) { corners[i] = &other.ops[op].arguments; });
    result.ops[op].arguments = argument(op, corners, rule, "");
  }
  return result;
}

}  // namespace rooflab::recording
