#include "rooflab/record/training_run.hpp"

#include <algorithm>
#include <array>

namespace rooflab::record {
namespace {

constexpr std::array<std::string_view, 4> schedule_names = {"constant", "step", "cosine",
                                                            "one-cycle"};

}  // namespace

std::string_view name_of(LearningRateSchedule schedule) {
  return schedule_names.at(static_cast<std::size_t>(schedule));
}

std::optional<LearningRateSchedule> schedule_from_name(std::string_view name) {
  const auto* const found = std::ranges::find(schedule_names, name);
  if (found == schedule_names.end()) return std::nullopt;
  return static_cast<LearningRateSchedule>(found - schedule_names.begin());
}

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
