#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "kernel_class.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/base/statistics.hpp"

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

/// Sums of a class of work. A figure that one of them lacks is not known of the class.
class CountedSums {
 public:
  void add(const std::string& name, const KernelSums& sums, KernelFigure work,
           std::optional<double> time_share) {
    const auto known = std::ranges::find(classes_, name, &Sum::name);
    Sum& sum = known == classes_.end() ? classes_.emplace_back() : *known;
    sum.name = name;
    sum.launches += static_cast<std::int64_t>(sums.launches);
    const auto fold = [](std::optional<double>& into, const std::optional<double>& more) {
      into = into && more ? std::optional(*into + *more) : std::nullopt;
    };
    fold(sum.work, sums.at(work));
    fold(sum.bytes, sums.at(KernelFigure::dram_bytes));
    fold(sum.time_s, sums.at(KernelFigure::time_s));
    fold(sum.time_share, time_share);
  }

  void add_to(RooflineSeries& series) const {
    for (const Sum& each : classes_) {
      if (series.add(each.name, each.work, each.bytes, each.time_s, each.time_share)) {
        series.points.back().launches = each.launches;
      }
    }
  }

 private:
  struct Sum {
    std::string name;
    std::int64_t launches = 0;
    std::optional<double> work = 0.0;
    std::optional<double> bytes = 0.0;
    std::optional<double> time_s = 0.0;
    std::optional<double> time_share = 0.0;
  };
  std::vector<Sum> classes_;
};

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
                             const std::string& name, PointPer per) {
  RooflineSeries series{.name = name, .kind = PointKind::counted, .network = name};
  series.point = per == PointPer::model ? "file" : per == PointPer::layer ? "kernel" : "class";
  use_paths(series, totals);
  bool whole = true;
  if (per == PointPer::model) {
    add(series, series.name, totals, KernelFigure::collected_flops, 1.0);
    whole = !totals.flop_is_bound();
  }
  CountedSums classes;
  for (const KernelGroup& group : groups) {
    if (per == PointPer::model) break;
    if (per == PointPer::op_class) {
      classes.add(std::string(name_of(work_class_of_kernel(group.name))), group.sums,
                  KernelFigure::collected_flops, group.time_share);
      whole = whole && group.sums.at(KernelFigure::flops);
    } else if (add(series, group.name, group.sums, KernelFigure::collected_flops,
                   group.time_share)) {
      whole = whole && group.sums.at(KernelFigure::flops);
    }
  }
  classes.add_to(series);
  if (!whole) {
    const bool no_tensor_work = totals.tensor_cores && !totals.at(KernelFigure::tensor_flops);
    series.remark =
        format("{} not collected: points show a lower bound and may lie too low and too far left",
               no_tensor_work ? "tensor work was" : "some FLOPs were");
  }
  return series;
}

RooflineSeries counted_series(const CountedLayers& counted, const std::string& name, PointPer per) {
  RooflineSeries series{.name = name, .kind = PointKind::counted, .network = name};
  series.point = per == PointPer::model ? "network" : name_of(per);
  if (per == PointPer::model) {
    use_paths(series, counted.total.sums);
    add(series, series.name, counted.total.sums, KernelFigure::flops, 1.0);
    if (!counted.total.sums.has_all(KernelFigure::flops)) {
      series.remark = "not all kernels were counted in full: the point may lie too low";
    }
    return series;
  }
  std::size_t above = 0;
  CountedSums classes;
  for (const CountedLayer& layer : counted.layers) {
    if (per == PointPer::op_class) {
      use_paths(series, layer.sums);
      classes.add(std::string(name_of(graph::work_class_of(layer.op_class))), layer.sums,
                  KernelFigure::flops, layer.time_share);
      continue;
    }
    if (!add(series, layer.name, layer.sums, KernelFigure::flops, layer.time_share)) continue;
    use_paths(series, layer.sums);
    if (!std::ranges::all_of(layer.breaches, &RoofBreach::modelled)) ++above;
  }
  classes.add_to(series);
  if (per == PointPer::layer) series.remark = "a point is a layer, the sum of its kernels";
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
