#include "rooflab/analyze/kernel_summary.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "known_sum.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/quotient.hpp"
#include "rooflab/record/counter_metric.hpp"
#include "rooflab/record/kernel_work.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;
using record::KernelTable;
using record::KernelWork;

constexpr std::array tensor_types = {
    KernelFigure::tensor_fp64, KernelFigure::tensor_tf32,      KernelFigure::tensor_bf16,
    KernelFigure::tensor_fp16, KernelFigure::tensor_fp16_fp16, KernelFigure::tensor_fp16_bf16_tf32,
    KernelFigure::tensor_fp8,  KernelFigure::tensor_fp4,       KernelFigure::tensor_int8,
    KernelFigure::tensor_int4, KernelFigure::tensor_int1};

/// Where a kernel's work belongs among a device's roofs.
constexpr std::array<std::pair<KernelFigure, ArithmeticPath>, 8> tensor_paths = {{
    {KernelFigure::tensor_fp64, ArithmeticPath::fp64_tensor},
    {KernelFigure::tensor_tf32, ArithmeticPath::tf32_tensor},
    {KernelFigure::tensor_bf16, ArithmeticPath::bf16_tensor_fp32},
    {KernelFigure::tensor_fp16, ArithmeticPath::fp16_tensor_fp32},
    {KernelFigure::tensor_fp16_fp16, ArithmeticPath::fp16_tensor_fp16},
    {KernelFigure::tensor_fp16_bf16_tf32, ArithmeticPath::fp16_tensor_fp32},
    {KernelFigure::tensor_fp8, ArithmeticPath::fp8_tensor_fp32},
    {KernelFigure::tensor_fp4, ArithmeticPath::fp8_tensor_fp32},
}};

std::vector<ArithmeticPath> paths_of(const KernelTable& kernels) {
  std::vector<ArithmeticPath> paths;
  const auto use = [&](ArithmeticPath path) {
    if (std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
  };
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const KernelWork work = record::work_of(kernels, row);
    if (work.fp64.value_or(0.0) > 0.0) use(ArithmeticPath::fp64_vector);
    if (work.fp32.value_or(0.0) > 0.0) use(ArithmeticPath::fp32_vector);
    if (work.fp16.value_or(0.0) > 0.0 && !work.fp16_is_moves) use(ArithmeticPath::fp16_vector);
  }
  for (const auto& [figure, path] : tensor_paths) {
    if (kernels.sum(figure).value_or(0.0) > 0.0) use(path);
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

KernelTotals kernel_totals(const KernelTable& kernels,
                           const std::optional<std::string>& compute_capability) {
  const bool tensor_cores = record::may_have_tensor_cores(compute_capability);
  KnownSum time, bytes, fp64, fp32, fp16, moves, tensor, collected, flops, both_flops, both_bytes;
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const KernelWork work = record::work_of(kernels, row);
    const std::optional<double> moved = record::dram_bytes(kernels, row);
    const std::optional<double> done = work.flops(tensor_cores);
    time.add(kernels.at(KernelFigure::time_s, row));
    bytes.add(moved);
    fp64.add(work.fp64);
    fp32.add(work.fp32);
    fp16.add(work.fp16);
    if (work.fp16_is_moves) moves.add(work.fp16);
    tensor.add(work.tensor);
    collected.add(work.collected());
    flops.add(done);
    if (done && moved) {
      both_flops.add(done);
      both_bytes.add(moved);
    }
  }

  KernelTotals totals;
  totals.kernels = kernels.size();
  totals.time_s = time.value();
  totals.dram_bytes = bytes.value();
  totals.fp64_flops = fp64.value();
  totals.fp32_flops = fp32.value();
  totals.fp16_flops = fp16.value();
  totals.tensor_flops = tensor.value();
  totals.fp16_move_flops = moves.value();
  totals.collected_flops = collected.value().value_or(0.0);
  totals.flops = flops.value();
  totals.intensity = quotient(both_flops.value(), both_bytes.value());
  for (const KernelFigure type : tensor_types) {
    if (const auto sum = kernels.sum(type)) totals.tensor_by_type[type] = *sum;
  }

  const auto list = [&](const char* key, const std::optional<double>& total, std::size_t count) {
    if (!total) {
      totals.not_collected.emplace_back(key);
    } else {
      totals.coverage[key] = static_cast<double>(count) / static_cast<double>(kernels.size());
    }
  };
  list("time_s", totals.time_s, time.known());
  list("dram_bytes", totals.dram_bytes, bytes.known());
  list("fp64_flops", totals.fp64_flops, fp64.known());
  list("fp32_flops", totals.fp32_flops, fp32.known());
  list("fp16_flops", totals.fp16_flops, fp16.known());
  list("tensor_flops", totals.tensor_flops, tensor.known());
  list("flops", totals.flops, flops.known());
  list("intensity", totals.intensity, both_flops.known());
  return totals;
}

std::optional<double> KernelGroup::cuda_core_flops() const {
  if (!collected_flops) return std::nullopt;
  return *collected_flops - tensor_flops.value_or(0.0);
}
std::optional<double> KernelGroup::intensity() const { return quotient(flops, dram_bytes); }
std::optional<double> KernelGroup::flops_per_s() const { return quotient(flops, time_s); }
std::optional<double> KernelGroup::bytes_per_s() const { return quotient(dram_bytes, time_s); }

std::vector<KernelGroup> kernel_groups(const KernelTable& kernels,
                                       const std::optional<std::string>& compute_capability) {
  const bool tensor_cores = record::may_have_tensor_cores(compute_capability);
  struct Sums {
    KnownSum time, bytes, collected, flops, tensor, occupancy_time;
    long double weighted_occupancy = 0.0L;
    std::size_t launches = 0;
    double shortest_s = 0.0;
    double longest_s = 0.0;
  };
  std::vector<Sums> sums(kernels.names.size());
  KnownSum whole;
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    Sums& of_name = sums[kernels.name_id(row)];
    const std::optional<double> time_s = kernels.at(KernelFigure::time_s, row);
    const KernelWork work = record::work_of(kernels, row);
    if (time_s) {
      const bool first = of_name.time.known() == 0;
      of_name.shortest_s = first ? *time_s : std::min(of_name.shortest_s, *time_s);
      of_name.longest_s = std::max(of_name.longest_s, *time_s);
    }
    ++of_name.launches;
    of_name.time.add(time_s);
    of_name.bytes.add(record::dram_bytes(kernels, row));
    of_name.collected.add(work.collected());
    of_name.flops.add(work.flops(tensor_cores));
    of_name.tensor.add(work.tensor);
    whole.add(time_s);
    if (const auto occupancy = kernels.at(KernelFigure::occupancy, row); occupancy && time_s) {
      of_name.occupancy_time.add(time_s);
      of_name.weighted_occupancy += static_cast<long double>(*occupancy * *time_s);
    }
  }

  std::vector<KernelGroup> groups;
  for (record::NameTable::Id id = 0; id < sums.size(); ++id) {
    const Sums& of_name = sums[id];
    if (of_name.launches == 0) continue;
    KernelGroup group;
    group.name = kernels.names[id];
    group.launches = of_name.launches;
    group.time_s = of_name.time.value().value_or(0.0);
    group.time_share = quotient(group.time_s, whole.value()).value_or(0.0);
    group.shortest_s = of_name.shortest_s;
    group.longest_s = of_name.longest_s;
    group.dram_bytes = of_name.bytes.whole();
    group.collected_flops = of_name.collected.whole();
    group.flops = of_name.flops.whole();
    group.tensor_flops = of_name.tensor.whole();
    group.occupancy =
        quotient(static_cast<double>(of_name.weighted_occupancy), of_name.occupancy_time.value());
    groups.push_back(std::move(group));
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), &KernelGroup::time_s);
  return groups;
}

KernelSeries kernel_series(const KernelTable& kernels,
                           const std::optional<std::string>& compute_capability, std::string name) {
  KernelSeries result;
  result.paths = paths_of(kernels);
  RooflineSeries& series = result.series;
  series.name = std::move(name);
  series.kind = PointKind::counted;
  bool whole = true;
  for (const KernelGroup& group : kernel_groups(kernels, compute_capability)) {
    const std::optional<double> intensity = quotient(group.collected_flops, group.dram_bytes);
    const std::optional<double> flops_per_s = quotient(group.collected_flops, group.time_s);
    if (!intensity || *intensity <= 0.0 || !flops_per_s) {
      ++series.without_flops;
      series.without_flops_share += group.time_share;
      continue;
    }
    whole = whole && group.flops;
    series.points.push_back(
        {group.launches == 1 ? group.name : format("{} ({} launches)", group.name, group.launches),
         *intensity, *flops_per_s, group.time_s, group.time_share});
  }
  if (!whole) {
    series.remark =
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
