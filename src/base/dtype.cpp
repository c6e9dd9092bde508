#include <array>

#include "assert.hpp"
#include "rooflab/base/precision.hpp"

namespace rooflab {
namespace {

struct DTypeFacts {
  DType dtype;
  std::int64_t bytes;
  bool floating;
  int rank;  ///< promotion order within floating or integer types
};

constexpr std::array dtype_facts = {
    DTypeFacts{DType::f64, 8, true, 4},  DTypeFacts{DType::f32, 4, true, 3},
    DTypeFacts{DType::f16, 2, true, 2},  DTypeFacts{DType::bf16, 2, true, 2},
    DTypeFacts{DType::f8, 1, true, 1},   DTypeFacts{DType::i64, 8, false, 8},
    DTypeFacts{DType::i32, 4, false, 6}, DTypeFacts{DType::i16, 2, false, 4},
    DTypeFacts{DType::i8, 1, false, 2},  DTypeFacts{DType::u64, 8, false, 7},
    DTypeFacts{DType::u32, 4, false, 5}, DTypeFacts{DType::u16, 2, false, 3},
    DTypeFacts{DType::u8, 1, false, 1},  DTypeFacts{DType::boolean, 1, false, 0},
};

const DTypeFacts& facts_of(DType dtype) {
  const DTypeFacts& row = dtype_facts[static_cast<std::size_t>(dtype)];
  ROOFLAB_ASSERT(row.dtype == dtype);
  return row;
}

}  // namespace

std::int64_t size_of(DType dtype) { return facts_of(dtype).bytes; }
bool is_floating(DType dtype) { return facts_of(dtype).floating; }

DType promote(DType a, DType b) {
  if (a == b) return a;
  const DTypeFacts& left = facts_of(a);
  const DTypeFacts& right = facts_of(b);
  if (left.floating != right.floating) return left.floating ? a : b;
  if (left.floating && left.rank == right.rank) return DType::f32;
  const bool bytes = left.bytes == 1 && right.bytes == 1 && left.rank > 0 && right.rank > 0;
  if (!left.floating && bytes) return DType::i16;  // u8 with i8: neither holds the other
  return left.rank > right.rank ? a : b;
}

}  // namespace rooflab
