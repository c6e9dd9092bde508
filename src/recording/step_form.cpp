#include "step_form.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::recording {
namespace {

/// Whether both have as many operands, each of the same form.
bool same_form(const std::vector<Operand>& one, const std::vector<Operand>& other) {
  if (one.size() != other.size()) return false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i].index() != other[i].index() || count_of(one[i]) != count_of(other[i])) return false;
    for (std::size_t k = 0; k < count_of(one[i]); ++k) {
      const TensorId a = element(one[i], k);
      const TensorId b = element(other[i], k);
      if ((a < 0 || b < 0) && a != b) return false;
    }
  }
  return true;
}

bool same_form(const Json& one, const Json& other) {
  if (one.is_number() && other.is_number()) return true;
  if (one.kind() != other.kind()) return false;
  if (one.is_array()) {
    if (one.size() != other.size()) return false;
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (!same_form(one[i], other[i])) return false;
    }
    return true;
  }
  if (!one.is_object()) return one == other;
  if (one.keys() != other.keys()) return false;
  return std::ranges::all_of(one.keys(), [&](const std::string& key) {
    return same_form(*one.find(key), *other.find(key));
  });
}

/// Fractions follow only roughly: no work depends on them.
bool same_whole_numbers(const Json& one, const Json& other) {
  if (one.is_number_float() || other.is_number_float()) return one.is_number() && other.is_number();
  if (one.is_array() || one.is_object()) {
    if (!same_form(one, other)) return false;
    auto its = other.begin();
    return std::ranges::all_of(one,
                               [&](const Json& each) { return same_whole_numbers(each, *its++); });
  }
  return one == other;
}

template <class List>
void same_count(const Recording& other, const List& one, const List& two, const char* what) {
  if (one.size() == two.size()) return;
  differ(other, 1, format("one has {} {}, the other {}", one.size(), what, two.size()));
}

}  // namespace

void differ(const Recording& other, int line, const std::string& what) {
  throw Error(ErrorKind::input, format("the recordings are not of the same step: {}", what),
              "record the size that you want", Location{other.file, std::max(line, 1), {}, {}});
}

std::size_t count_of(const Operand& operand) {
  const auto* const list = std::get_if<std::vector<TensorId>>(&operand);
  return list == nullptr ? 1 : list->size();
}

TensorId& element(Operand& operand, std::size_t i) {
  if (auto* const list = std::get_if<std::vector<TensorId>>(&operand)) return (*list)[i];
  return std::get<TensorId>(operand);
}

TensorId element(const Operand& operand, std::size_t i) {
  if (const auto* const list = std::get_if<std::vector<TensorId>>(&operand)) return (*list)[i];
  return std::get<TensorId>(operand);
}

std::string op_name(const Recording& recording, std::size_t op) {
  return format("{} (op {})", recording.name_of(recording.ops[op]), op);
}

namespace {

/// What the head of a recording says of how its numbers are computed, and which optimizers run.
void check_heads(const Recording& one, const Recording& other) {
  if (one.tf32_products != other.tf32_products ||
      one.tf32_convolutions != other.tf32_convolutions) {
    differ(other, 1, "one is recorded with TF32 and the other without");
  }
  if (one.grad != other.grad) {
    differ(other, 1, "one is recorded with autograd and the other without");
  }
  const bool same_optimizers = std::ranges::equal(one.optimizers, other.optimizers, {},
                                                  &Optimizer::class_name, &Optimizer::class_name);
  if (!same_optimizers) differ(other, 1, "they have other optimizers");
}

/// Types of tensors do not follow from the size.
bool same_types(const Recording& one, const std::vector<Operand>& a, const Recording& other,
                const std::vector<Operand>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < count_of(a[i]); ++k) {
      const TensorId x = element(a[i], k);
      if (x < 0) continue;
      if (one.layout_of(x).type.dtype != other.layout_of(element(b[i], k)).type.dtype) return false;
    }
  }
  return true;
}

}  // namespace

void check_form(const Recording& one, const Recording& other) {
  for (std::size_t i = 0; i < std::min(one.ops.size(), other.ops.size()); ++i) {
    const Op& a = one.ops[i];
    const Op& b = other.ops[i];
    if (one.name_of(a) != other.name_of(b)) {
      differ(other, b.line, format("op {} is {} and {}", i, one.name_of(a), other.name_of(b)));
    }
    if (!same_form(a.in, b.in) || !same_form(a.out, b.out) || a.writes != b.writes ||
        a.ranks != b.ranks || a.wrapped != b.wrapped) {
      differ(other, b.line, format("{} has other operands", op_name(one, i)));
    }
    if (!same_types(one, a.in, other, b.in) || !same_types(one, a.out, other, b.out)) {
      differ(other, b.line, format("{} has tensors of other types", op_name(one, i)));
    }
    const Place& here = one.place_of(a);
    const Place& there = other.place_of(b);
    if (here.part != there.part || here.autocast != there.autocast) {
      differ(other, b.line,
             format("{} is in another pass, or under another autocast", op_name(one, i)));
    }
    if (!same_form(a.arguments, b.arguments)) {
      differ(other, b.line, format("{} has other arguments", op_name(one, i)));
    }
  }
  same_count(other, one.ops, other.ops, "ops");
  same_count(other, one.storages, other.storages, "storages");
  same_count(other, one.outputs, other.outputs, "results");
  check_heads(one, other);
  for (std::size_t i = 0; i < one.storages.size(); ++i) {
    const Storage& a = one.storages[i];
    const Storage& b = other.storages[i];
    if (a.device != b.device || a.role != b.role || a.before != b.before) {
      differ(other, 1, format("storage {} is of another device, role or birth", i));
    }
  }
}

void check_equal(const Recording& one, const Recording& other) {
  check_form(one, other);
  for (std::size_t op = 0; op < one.ops.size(); ++op) {
    const Op& a = one.ops[op];
    const Op& b = other.ops[op];
    const auto differs = [&](const std::string& what) {
      differ(other, b.line, format("{} has {}", op_name(one, op), what));
    };
    for (const auto member : {&Op::in, &Op::out}) {
      for (std::size_t i = 0; i < (a.*member).size(); ++i) {
        for (std::size_t k = 0; k < count_of((a.*member)[i]); ++k) {
          const TensorId x = element((a.*member)[i], k);
          const TensorId y = element((b.*member)[i], k);
          if (x < 0) continue;
          const Layout& expected = one.layout_of(x);
          const Layout& found = other.layout_of(y);
          if (expected.type != found.type) {
            differs(format("a tensor {} in place of {}, which follows from the others",
                           found.type.shape.to_string(), expected.type.shape.to_string()));
          }
          for (std::size_t axis = 0; axis < expected.strides.size(); ++axis) {
            const bool steps = expected.type.shape[axis] > 1;
            if (steps && expected.strides[axis] != found.strides[axis]) {
              differs("a tensor of other strides than those that follow from the others");
            }
          }
        }
      }
    }
    if (!same_whole_numbers(a.arguments, b.arguments)) {
      differs(format("arguments {} in place of {}, which follow from the others",
                     b.arguments.dump(), a.arguments.dump()));
    }
  }
  for (std::size_t i = 0; i < one.storages.size(); ++i) {
    if (one.storages[i].bytes == other.storages[i].bytes) continue;
    differ(other, 1,
           format("storage {} has {} B in place of {} B, which follow from the others", i,
                  other.storages[i].bytes.value(), one.storages[i].bytes.value()));
  }
}

}  // namespace rooflab::recording
