#include "rooflab/device/overlap.hpp"

#include <limits>
#include <set>

#include "base/format.hpp"

namespace rooflab::device {
namespace {

/// What a name begins with, before the number of ranks.
std::string prefix_of(OverlapFigure figure) { return format("overlap.{}.", name_of(figure)); }

double& member_of(Overlap& overlap, OverlapFigure figure) {
  switch (figure) {
    case OverlapFigure::product:
      return overlap.product;
    case OverlapFigure::copy:
      return overlap.copy;
    case OverlapFigure::all_reduce_beside_product:
      return overlap.all_reduce_beside_product;
    case OverlapFigure::all_reduce_beside_copy:
      break;
  }
  return overlap.all_reduce_beside_copy;
}

}  // namespace

std::string overlap_figure_name(OverlapFigure figure, int ranks) {
  return format("{}{}", prefix_of(figure), ranks);
}

std::optional<int> overlap_ranks(std::string_view name, OverlapFigure figure) {
  const std::string prefix = prefix_of(figure);
  if (!name.starts_with(prefix)) return std::nullopt;
  const auto ranks = parse_integer(name.substr(prefix.size()));
  if (!ranks || *ranks < 2 || *ranks > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*ranks);
}

std::vector<Overlap> overlaps_of(const Calibration& calibration) {
  std::set<int> numbers;
  for (const MeasuredFigure& figure : calibration.figures) {
    if (const auto ranks = overlap_ranks(figure.name, OverlapFigure::product)) {
      numbers.insert(*ranks);
    }
  }
  std::vector<Overlap> overlaps;
  for (const int ranks : numbers) {
    Overlap overlap{.ranks = ranks};
    bool complete = true;
    for (const OverlapFigure figure : values_of<OverlapFigure>) {
      const MeasuredFigure* const found = calibration.find(overlap_figure_name(figure, ranks));
      complete = complete && found != nullptr;
      if (found != nullptr) member_of(overlap, figure) = found->value;
    }
    if (complete) overlaps.push_back(overlap);
  }
  return overlaps;
}

}  // namespace rooflab::device
