#include "rooflab/record/training_run.hpp"

#include "rooflab/base/quotient.hpp"

namespace rooflab::record {

std::int64_t Evaluation::images() const {
  std::int64_t sum = 0;
  for (const std::vector<std::int64_t>& row : confusion) {
    for (const std::int64_t count : row) sum += count;
  }
  return sum;
}

std::int64_t Evaluation::correct() const {
  std::int64_t right = 0;
  for (std::size_t i = 0; i < confusion.size(); ++i) right += confusion[i].at(i);
  return right;
}

std::optional<double> Evaluation::accuracy() const {
  return quotient(static_cast<double>(correct()), static_cast<double>(images()));
}

}  // namespace rooflab::record
