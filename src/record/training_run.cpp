#include "rooflab/record/training_run.hpp"

namespace rooflab::record {

std::int64_t Evaluation::images() const {
  std::int64_t sum = 0;
  for (const std::vector<std::int64_t>& row : confusion) {
    for (const std::int64_t count : row) sum += count;
  }
  return sum;
}

double Evaluation::accuracy() const {
  const std::int64_t all = images();
  if (all == 0) return 0.0;
  std::int64_t right = 0;
  for (std::size_t i = 0; i < confusion.size(); ++i) right += confusion[i].at(i);
  return static_cast<double>(right) / static_cast<double>(all);
}

}  // namespace rooflab::record
