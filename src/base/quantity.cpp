#include "rooflab/base/quantity.hpp"

#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

[[noreturn]] void throw_overflow() {
  throw Error(ErrorKind::range, "a count exceeds the 64-bit range",
              "use a smaller batch size or smaller dimensions");
}

}  // namespace

std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw_overflow();
  return sum;
}

std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw_overflow();
  return product;
}

std::int64_t checked_product(std::span<const std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) product = checked_multiply(product, factor);
  return product;
}

}  // namespace rooflab
