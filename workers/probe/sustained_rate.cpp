#include "sustained_rate.hpp"

#include <algorithm>
#include <utility>

namespace rooflab::probe_worker {

device::MeasuredFigure sustained_rate(std::string name, std::string unit, double work,
                                      std::span<const double> seconds, double last_s,
                                      std::string at) {
  double spent_s = 0.0;
  std::size_t first = seconds.size();
  while (first > 0 && spent_s + seconds[first - 1] <= last_s) spent_s += seconds[--first];
  if (first == seconds.size() && first > 0) spent_s = seconds[--first];  // one long piece
  const auto last = seconds.subspan(first);
  const auto [shortest, longest] = std::minmax_element(last.begin(), last.end());
  return {.name = std::move(name),
          .unit = std::move(unit),
          .value = work * static_cast<double>(last.size()) / spent_s,
          .least = work / *longest,
          .most = work / *shortest,
          .repetitions = static_cast<int>(last.size()),
          .at = std::move(at)};
}

}  // namespace rooflab::probe_worker
