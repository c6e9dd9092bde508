#include <algorithm>
#include <utility>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::analyze {

using record::KernelFigure;
using record::KernelSums;

namespace {

bool add(RooflineSeries& series, std::string label, const KernelSums& sums, KernelFigure work,
         std::optional<double> time_share) {
  if (!series.add(std::move(label), sums.at(work), sums.at(KernelFigure::dram_bytes),
                  sums.at(KernelFigure::time_s), time_share)) {
    return false;
  }
  RooflinePoint& point = series.points.back();
  point.launches = static_cast<std::int64_t>(sums.launches);
  point.l2_intensity = quotient(sums.at(work), sums.at(KernelFigure::l2_bytes));
  return true;
}

/// The paths on which the sums have work.
void use_paths(RooflineSeries& series, const KernelSums& sums) {
  for (const ArithmeticPath path : values_of<ArithmeticPath>) {
    if (sums.known(path).value_or(0.0) > 0.0) series.paths.insert(path);
  }
}

}  // namespace

std::vector<KernelGroup> kernel_groups(const record::KernelTable& kernels, bool tensor_cores) {
  std::vector<KernelGroup> groups;
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> group_of(kernels.names.size(), none);
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    std::size_t& group = group_of[kernels.name_id(row)];
    if (group == none) {
      group = groups.size();
      groups.push_back(
          {kernels.name(row), {.tensor_cores = tensor_cores, .whole_only = true}, {}, {}});
    }
    groups[group].sums.add(kernels, row);
  }
  const std::optional<double> all_s = kernels.sum(KernelFigure::time_s);
  for (KernelGroup& group : groups) {
    group.time_s = group.sums.known(KernelFigure::time_s);
    group.time_share = quotient(group.sums.at(KernelFigure::time_s), all_s);
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), &KernelGroup::time_s);
  return groups;
}

RooflineSeries kernel_series(std::span<const KernelGroup> groups, const KernelSums& totals,
                             std::string name) {
  RooflineSeries series{.name = name, .kind = PointKind::counted, .network = std::move(name)};
  use_paths(series, totals);
  bool whole = true;
  for (const KernelGroup& group : groups) {
    if (add(series, group.name, group.sums, KernelFigure::collected_flops, group.time_share)) {
      whole = whole && group.sums.at(KernelFigure::flops);
    }
  }
  if (!whole) {
    series.remark =
        "tensor work was not collected: points show the work of the CUDA cores only and may lie"
        " too low and too far left";
  }
  return series;
}

RooflineSeries counted_series(const CountedLayers& counted, std::string name) {
  RooflineSeries series{.name = name, .kind = PointKind::counted, .network = std::move(name)};
  std::size_t above = 0;
  for (const CountedLayer& layer : counted.layers) {
    if (!add(series, layer.name, layer.sums, KernelFigure::flops, layer.time_share)) continue;
    use_paths(series, layer.sums);
    if (!std::ranges::all_of(layer.breaches, &RoofBreach::modelled)) ++above;
  }
  series.remark = "a point is a layer, the sum of its kernels";
  if (above > 0) {
    series.remark += format("; {} lie{} above a roof: the table of such points says why", above,
                            above == 1 ? "s" : "");
  }
  return series;
}

void add_kernels(Roofline& roofline, RooflineSeries kernels) {
  // What networks share need not hold for what ran under a profiler.
  const std::string networks = "networks: ";
  if (!roofline.setting.empty() && !roofline.setting.starts_with(networks)) {
    roofline.setting = networks + roofline.setting;
  }
  roofline.add(std::move(kernels));
}

}  // namespace rooflab::analyze
