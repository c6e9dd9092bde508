// The workspace of an op from those of measured ones.
//
// A workspace is that of an algorithm, not of a size: neighbours have none, copies of their
// operands or many times that. So the workspace of each of the nearest measured ops is explained by
// a rule (workspace_rule.cpp), and the rule is applied to the op. Kernel and stride must agree
// first; the batch matters less. Near rows weigh more, by the square of their distance.
//
// Which algorithm a library picks changes from one size to the next, most of all for FP32
// convolutions between direct sums and FFTs: left out one by one, six of seven of their rows get
// the algorithm that they ran. So the largest plausible amount is that of a wider neighbourhood.
//
// A convolution that finds no room for the algorithm that is picked first falls back to one that
// copies its operands into another layout, whose workspace is known, if that is less. Seen in the
// allocations of VGG-16's training steps at the edge of an H200's memory.

#include <algorithm>
#include <cmath>

#include "rooflab/predict/op_model.hpp"
#include "workspace_rule.hpp"

namespace rooflab::predict {
namespace {

constexpr std::size_t nearest_ops = 5;
constexpr std::size_t plausible_ops = 16;
constexpr double nearest_distance = 0.05;

double column_weight(std::string_view column) {
  if (column == "kernel" || column == "stride") return 8.0;
  return column == "batch" ? 0.3 : 1.0;
}

struct ObservedOp {
  std::size_t row;
  double distance;
};

}  // namespace

std::optional<Workspace> OpModel::workspace_of(std::span<const double> sizes) const {
  std::vector<double> weights;
  std::vector<double> at;
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    weights.push_back(column_weight(table_.columns[j]));
    at.push_back(std::log2(sizes[j]));
  }
  const std::size_t width = table_.lengths.size();
  std::vector<ObservedOp> observed;
  for (std::size_t i = 0; i < table_.rows.size(); ++i) {
    if (!table_.rows[i].workspace_bytes) continue;
    double square = 0.0;
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      const double place = coordinates_[i * width + j] * table_.lengths[j];
      const double away = weights[j] * (at[j] - place);
      square += away * away;
    }
    observed.push_back({i, std::sqrt(square)});
  }
  if (observed.empty()) return std::nullopt;
  const std::size_t kept = std::min(observed.size(), plausible_ops);
  std::ranges::partial_sort(observed, observed.begin() + static_cast<std::ptrdiff_t>(kept), {},
                            &ObservedOp::distance);
  observed.resize(kept);

  OpShape asked = kind_;
  asked.sizes.assign(sizes.begin(), sizes.end());
  OpShape other = kind_;
  Workspace result;
  double all = 0.0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const device::OpRow& row = table_.rows[observed[i].row];
    other.sizes = row.sizes;
    const double bytes =
        workspace_by(rule_of(other, *row.workspace_bytes, multiprocessors_), asked);
    result.most = std::max(result.most, bytes);
    if (i >= nearest_ops) continue;
    result.amounts.push_back({bytes, std::pow(observed[i].distance + nearest_distance, -2.0)});
    all += result.amounts.back().share;
  }
  for (Workspace::Amount& amount : result.amounts) amount.share /= all;
  std::ranges::sort(result.amounts, {}, &Workspace::Amount::bytes);
  const bool copies = asked.op.starts_with("conv") && asked.layout != "nhwc";
  if (copies) result.less = bytes_of_copies(asked, Copies::all, ChannelPadding::none);
  return result;
}

}  // namespace rooflab::predict
