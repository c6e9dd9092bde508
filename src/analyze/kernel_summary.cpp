#include "rooflab/analyze/kernel_summary.hpp"

#include <algorithm>
#include <utility>

#include "rooflab/base/format.hpp"
#include "rooflab/base/quotient.hpp"

namespace rooflab::analyze {

using record::KernelFigure;
using record::KernelSums;

std::vector<KernelGroup> kernel_groups(const record::KernelTable& kernels, bool tensor_cores) {
  std::vector<KernelGroup> groups;
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> group_of(kernels.names.size(), none);
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    std::size_t& group = group_of[kernels.name_id(row)];
    if (group == none) {
      group = groups.size();
      groups.push_back(
          {kernels.name(row), {.tensor_cores = tensor_cores, .whole_only = true}, 0.0, 0.0});
    }
    groups[group].sums.add(kernels, row);
  }
  const std::optional<double> all_s = kernels.sum(KernelFigure::time_s);
  for (KernelGroup& group : groups) {
    group.time_s = group.sums.known(KernelFigure::time_s).value_or(0.0);
    group.time_share = quotient(group.time_s, all_s).value_or(0.0);
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), &KernelGroup::time_s);
  return groups;
}

KernelSeries::KernelSeries(std::string name) {
  series.name = std::move(name);
  series.kind = PointKind::counted;
}

bool KernelSeries::add(std::string label, const KernelSums& sums, KernelFigure work,
                       double time_share) {
  const std::optional<double> flops = sums.at(work);
  const std::optional<double> time_s = sums.at(KernelFigure::time_s);
  const std::optional<double> intensity = quotient(flops, sums.at(KernelFigure::dram_bytes));
  const std::optional<double> flops_per_s = quotient(flops, time_s);
  if (!intensity || *intensity <= 0.0 || !flops_per_s) {
    ++series.without_flops;
    series.without_flops_share += time_share;
    return false;
  }
  series.points.push_back({std::move(label), *intensity, *flops_per_s, *time_s, time_share});
  return true;
}

void KernelSeries::use_paths(const KernelSums& sums) {
  for (const ArithmeticPath path : values_of<ArithmeticPath>) {
    const bool known = std::ranges::find(paths, path) != paths.end();
    if (!known && sums.known(path).value_or(0.0) > 0.0) paths.push_back(path);
  }
  std::ranges::sort(paths);
}

KernelSeries kernel_series(std::span<const KernelGroup> groups, const KernelSums& totals,
                           std::string name) {
  KernelSeries result(std::move(name));
  result.use_paths(totals);
  bool whole = true;
  for (const KernelGroup& group : groups) {
    const std::size_t launches = group.sums.launches;
    if (result.add(launches == 1 ? group.name : format("{} ({} launches)", group.name, launches),
                   group.sums, KernelFigure::collected_flops, group.time_share)) {
      whole = whole && group.sums.at(KernelFigure::flops);
    }
  }
  if (!whole) {
    result.series.remark =
        "tensor work was not collected: points show the work of the CUDA cores only and may lie"
        " too low and too far left";
  }
  return result;
}

void add_kernels(Roofline& roofline, KernelSeries kernels) {
  // What networks share need not hold for what ran under a profiler.
  const std::string networks = "networks: ";
  if (!roofline.setting.empty() && !roofline.setting.starts_with(networks)) {
    roofline.setting = networks + roofline.setting;
  }
  for (const ArithmeticPath path : kernels.paths) {
    if (std::ranges::find(roofline.paths, path) == roofline.paths.end()) {
      roofline.paths.push_back(path);
    }
  }
  std::ranges::sort(roofline.paths);
  roofline.series.push_back(std::move(kernels.series));
}

}  // namespace rooflab::analyze
