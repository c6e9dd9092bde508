// What belongs together in recordings of one step in several sizes, and how each number follows.

#include <algorithm>

#include "base/format.hpp"
#include "corners.hpp"
#include "layout_span.hpp"

namespace rooflab::recording {

StepSizes::Corners::Corners(const Recording& base, const Recording* by_batch,
                            const Recording* by_context)
    : all_{&base, by_batch, by_context},
      known_{.base = size_of(base),
             .batch = by_batch == nullptr ? std::nullopt : by_batch->batch,
             .context = by_context == nullptr ? std::nullopt : by_context->context},
      frame_(base) {
  each_other([&](std::size_t, const Recording& other) { check_form(base, other); });
  match_tensors();
  match_arguments();
  match_sizes();
  frame_.layouts.clear();
  frame_.tensors.clear();
}

void StepSizes::Corners::match_tensors() {
  const Recording& base = *all_[0];
  std::map<Ids, std::size_t> first_op;
  const auto ids_at = [&](auto operand_of, std::size_t k) -> Ids {
    Ids ids = {element(operand_of(base), k), -1, -1};
    each_other(
        [&](std::size_t i, const Recording& other) { ids[i] = element(operand_of(other), k); });
    return ids;
  };
  // Twice: the numbers keep the order of the base.
  const auto each_operand = [&](auto visit) {
    for (std::size_t op = 0; op < base.ops.size(); ++op) {
      for (const auto member : {&Op::in, &Op::out}) {
        for (std::size_t i = 0; i < (base.ops[op].*member).size(); ++i) {
          const auto operand_of = [&](const Recording& of) -> const Operand& {
            return (of.ops[op].*member)[i];
          };
          for (std::size_t k = 0; k < count_of(operand_of(base)); ++k) {
            if (element(operand_of(base), k) < 0) continue;
            visit(op, ids_at(operand_of, k), element((frame_.ops[op].*member)[i], k));
          }
        }
      }
    }
    for (std::size_t i = 0; i < base.outputs.size(); ++i) {
      Ids ids = {base.outputs[i], -1, -1};
      each_other([&](std::size_t k, const Recording& other) { ids[k] = other.outputs[i]; });
      visit(base.ops.size(), ids, frame_.outputs[i]);
    }
  };
  each_operand([&](std::size_t op, const Ids& ids, TensorId& /*named*/) {
    first_op.try_emplace(ids, op);
    ids_.try_emplace(ids, 0);
  });
  match_unnamed();
  for (auto& [ids, id] : ids_) {
    id = static_cast<TensorId>(tensors_.size());
    Matched& matched = tensors_.emplace_back();
    const auto first = first_op.find(ids);
    matched.op = first == first_op.end() ? base.ops.size() : first->second;
    describe(ids, matched);
  }
  each_operand([&](std::size_t /*op*/, const Ids& ids, TensorId& named) { named = ids_.at(ids); });
  find_parents();
}

/// The offset of a view is that of the tensor that it was taken of and what the op adds: the sum of
/// both has not the form that each of them has.
void StepSizes::Corners::find_parents() {
  const auto named_in = [](const std::vector<Operand>& operands, auto visit) {
    for (const Operand& operand : operands) {
      for (std::size_t k = 0; k < count_of(operand); ++k) {
        if (element(operand, k) >= 0) visit(element(operand, k));
      }
    }
  };
  std::vector<Corner> whole;
  for (const Matched& each : tensors_) whole.push_back(each.offset);
  for (std::size_t op = 0; op < frame_.ops.size(); ++op) {
    named_in(frame_.ops[op].out, [&](TensorId out) {
      Matched& view = tensors_[static_cast<std::size_t>(out)];
      if (view.op != op || view.parent >= 0) return;
      named_in(frame_.ops[op].in, [&](TensorId in) {
        const Matched& of = tensors_[static_cast<std::size_t>(in)];
        if (view.parent >= 0 || of.storage != view.storage || in >= out) return;
        view.parent = in;
        const Corner& begin = whole[static_cast<std::size_t>(in)];
        view.offset = {view.offset.base - begin.base, view.offset.by_batch - begin.by_batch,
                       view.offset.by_context - begin.by_context};
      });
    });
  }
}

/// Tensors that neither an op nor the step's result names: by storage, in their order.
void StepSizes::Corners::match_unnamed() {
  std::array<std::vector<std::vector<TensorId>>, 3> unnamed;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i] == nullptr) continue;
    std::vector<bool> named(all_[i]->tensors.size(), false);
    for (const auto& [ids, id] : ids_) named[static_cast<std::size_t>(ids[i])] = true;
    unnamed[i].resize(all_[i]->storages.size());
    for (std::size_t t = 0; t < named.size(); ++t) {
      if (named[t]) continue;
      const auto storage = static_cast<std::size_t>(all_[i]->tensors[t].storage);
      unnamed[i][storage].push_back(static_cast<TensorId>(t));
    }
  }
  for (std::size_t storage = 0; storage < unnamed[0].size(); ++storage) {
    for (std::size_t k = 0; k < unnamed[0][storage].size(); ++k) {
      Ids ids = {unnamed[0][storage][k], -1, -1};
      each_other([&](std::size_t i, const Recording& other) {
        if (k >= unnamed[i][storage].size()) {
          differ(other, 1, format("storage {} has fewer tensors", storage));
        }
        ids[i] = unnamed[i][storage][k];
      });
      ids_.try_emplace(ids, 0);
    }
  }
}

void StepSizes::Corners::describe(const Ids& ids, Matched& matched) const {
  const Recording& base = *all_[0];
  const Layout& layout = base.layout_of(ids[0]);
  matched.storage = base.tensors[static_cast<std::size_t>(ids[0])].storage;
  matched.dtype = layout.type.dtype;
  each_other([&](std::size_t i, const Recording& other) {
    const Layout& its = other.layout_of(ids[i]);
    if (its.type.dtype == matched.dtype && its.type.shape.rank() == layout.type.shape.rank() &&
        other.tensors[static_cast<std::size_t>(ids[i])].storage == matched.storage) {
      return;
    }
    const int line = matched.op < other.ops.size() ? other.ops[matched.op].line : 1;
    differ(other, line,
           format("a tensor of {} has another type, rank or storage", op_text(matched.op)));
  });
  for (std::size_t axis = 0; axis < layout.strides.size(); ++axis) {
    matched.axes.push_back(
        {corner([&](std::size_t i) { return all_[i]->layout_of(ids[i]).type.shape[axis]; }),
         corner([&](std::size_t i) { return all_[i]->layout_of(ids[i]).strides[axis]; })});
  }
  matched.offset = corner(
      [&](std::size_t i) { return all_[i]->tensors[static_cast<std::size_t>(ids[i])].offset; });
  find_followed(matched);
}

/// A stride that is another axis' stride times its extent in all recordings stays so: it may be a
/// product of two extents that change. The stride of an extent of 1 says nothing. Where not every
/// recording tells, a stride that those which do explain by the extents inside of it is dense; one
/// that no extents explain counts as constant where two recordings tell it, since one alone would
/// make a constant of any number.
void StepSizes::Corners::find_followed(Matched& matched) const {
  using Values = std::array<std::int64_t, 3>;
  const auto values = [](const Corner& corner) -> Values {
    return {corner.base, corner.by_batch, corner.by_context};
  };
  const auto there = std::ranges::count_if(all_, [](const auto* each) { return each != nullptr; });
  // By the strides of the recording in which most of them say something.
  const auto telling_in = [&](std::size_t recording) {
    return std::ranges::count_if(
        matched.axes, [&](const Axis& axis) { return values(axis.extent)[recording] > 1; });
  };
  std::size_t told_most = 0;
  each_other([&](std::size_t i, const Recording&) {
    if (telling_in(i) > telling_in(told_most)) told_most = i;
  });
  for (std::size_t i = matched.axes.size(); i-- > 0;) matched.order.push_back(i);
  std::ranges::stable_sort(
      matched.order, {}, [&](std::size_t i) { return values(matched.axes[i].stride)[told_most]; });
  for (std::size_t k = 0; k < matched.order.size(); ++k) {
    Axis& axis = matched.axes[matched.order[k]];
    const Values strides = values(axis.stride);
    const Values extents = values(axis.extent);
    std::vector<std::size_t> told;  // recordings that say something
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i] != nullptr && extents[i] > 1) told.push_back(i);
    }
    const auto all_are = [&](auto expected) {
      return std::ranges::all_of(told, [&](std::size_t i) { return strides[i] == expected(i); });
    };
    const bool all_tell = std::ssize(told) == there;
    if (told.empty() || (all_tell && axis.stride.is_constant())) continue;
    if (!all_tell) {
      axis.dense = all_are([&](std::size_t i) {
        std::int64_t inside = 1;
        for (std::size_t j = 0; j < k; ++j) {
          const Axis& inner = matched.axes[matched.order[j]];
          if (values(inner.stride)[i] == 0) continue;  // the same elements again
          inside = checked_multiply(inside, std::max<std::int64_t>(values(inner.extent)[i], 1));
        }
        return inside;
      });
      if (axis.dense) continue;
    }
    for (std::size_t j = k; j-- > 0 && axis.follows < 0;) {
      const Axis& inner = matched.axes[matched.order[j]];
      const Values its_strides = values(inner.stride);
      const Values its_extents = values(inner.extent);
      const bool follows = all_are([&](std::size_t i) {
        return its_extents[i] > 1 ? checked_multiply(its_strides[i], its_extents[i]) : -1;
      });
      if (follows) axis.follows = static_cast<int>(matched.order[j]);
    }
    if (axis.follows >= 0 || all_tell) continue;
    const std::int64_t first = strides[told.front()];
    // An expanded axis has a stride of 0 in every size.
    const bool is_witnessed = told.size() > 1 || first == 0;
    if (is_witnessed && all_are([first](std::size_t) { return first; })) {
      axis.stride = {first, first, first};
    } else {
      axis.unknown = true;
    }
  }
}

void StepSizes::Corners::match_arguments() {
  const Recording& base = *all_[0];
  for (std::size_t op = 0; op < base.ops.size(); ++op) {
    bool changes = false;
    each_other([&](std::size_t, const Recording& other) {
      changes = changes || other.ops[op].arguments != base.ops[op].arguments;
    });
    if (changes) changing_.push_back(op);
  }
}

std::array<std::vector<Bytes>, 3> StepSizes::Corners::reached() const {
  std::array<std::vector<Bytes>, 3> all;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i] == nullptr) continue;
    all[i].resize(all_[i]->storages.size());
    for (const auto& [ids, id] : ids_) {
      const Tensor& tensor = all_[i]->tensors[static_cast<std::size_t>(ids[i])];
      reach(all[i][static_cast<std::size_t>(tensor.storage)], all_[i]->layout_of(ids[i]),
            tensor.offset);
    }
  }
  return all;
}

void StepSizes::Corners::match_sizes() {
  constexpr std::array multiples = {16, 32, 64, 128, 256, 512};
  const std::array<std::vector<Bytes>, 3> reach = reached();
  for (std::size_t s = 0; s < all_[0]->storages.size(); ++s) {
    Size& size = sizes_.emplace_back();
    size.bytes = corner([&](std::size_t i) { return all_[i]->storages[s].bytes.value(); });
    const Corner used = corner([&](std::size_t i) { return reach[i][s].value(); });
    if (used == size.bytes) size.kind = Size::Kind::full;
    if (size.kind == Size::Kind::full || used.is_constant()) continue;
    for (const std::int64_t multiple : multiples) {
      const Corner rounded = {rounded_up(used.base, multiple), rounded_up(used.by_batch, multiple),
                              rounded_up(used.by_context, multiple)};
      if (rounded != size.bytes) continue;
      size.kind = Size::Kind::rounded;
      size.multiple = multiple;
      break;
    }
  }
}

}  // namespace rooflab::recording
