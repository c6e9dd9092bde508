// Kernels by name. With durations d_k of a name's launches,
//
//   mean blocks per SM, mean occupancy = sum of x_k d_k / sum of d_k
//
// over launches that have x (the plugin: over all, a missing x is 0).
// Source: torch_tb_profiler, profiler/kernel_parser.py. The plugin's table of kernels is of
// the whole trace; ours is of the whole trace, and of its steps.

#include <algorithm>

#include "rooflab/trace/trace_operators.hpp"
#include "trace_panes.hpp"
#include "trace_tensor_cores.hpp"

namespace rooflab::trace {
namespace {

using record::KernelFigure;

struct Weighted {
  double sum = 0.0;
  double weight = 0.0;
  bool known = false;

  void add(const std::optional<double>& value, double duration) {
    if (!value) return;
    known = true;
    sum += *value * duration;
    weight += duration;
  }
  [[nodiscard]] std::optional<double> mean() const {
    if (!known) return std::nullopt;
    return weight > 0.0 ? sum / weight : 0.0;
  }
  [[nodiscard]] double mean_over(double all) const { return all > 0.0 ? sum / all : 0.0; }
};

struct Sums {
  KernelRow row;
  Weighted blocks;
  Weighted occupancy;
};

}  // namespace

TraceKernels trace_kernels(const Timeline& timeline, const Moments& moments) {
  const record::KernelTable& kernels = *timeline.kernels;
  std::vector<Sums> by_name(kernels.names.size());
  for (const DeviceWork& work : timeline.work) {
    if (work.kind != WorkKind::kernel || !moments.has(work.start_ns)) continue;
    Sums& sums = by_name[kernels.name_id(work.row)];
    const std::int64_t duration = work.duration_ns();
    sums.row.min_ns = sums.row.calls == 0 ? duration : std::min(sums.row.min_ns, duration);
    sums.row.max_ns = std::max(sums.row.max_ns, duration);
    ++sums.row.calls;
    sums.row.total_ns += duration;
    const auto weight = static_cast<double>(duration);
    sums.blocks.add(kernels.at(KernelFigure::blocks_per_sm, work.row), weight);
    sums.occupancy.add(kernels.at(KernelFigure::occupancy, work.row), weight);
  }

  TraceKernels summary;
  std::int64_t plugin_tensor_ns = 0;
  std::int64_t tensor_ns = 0;
  for (std::size_t name = 0; name < by_name.size(); ++name) {
    Sums& sums = by_name[name];
    if (sums.row.calls == 0) continue;
    KernelRow& row = sums.row;
    row.name = kernels.names[static_cast<record::NameTable::Id>(name)];
    const auto total = static_cast<double>(row.total_ns);
    row.blocks_per_sm = sums.blocks.mean();
    row.occupancy = sums.occupancy.mean();
    row.plugin_blocks_per_sm = sums.blocks.mean_over(total);
    row.plugin_occupancy = sums.occupancy.mean_over(total);
    row.plugin_tensor_cores = uses_tensor_cores(row.name, TraceRule::plugin);
    row.tensor_cores = uses_tensor_cores(row.name, TraceRule::ours);
    summary.total_ns += row.total_ns;
    if (row.plugin_tensor_cores) plugin_tensor_ns += row.total_ns;
    if (row.tensor_cores) tensor_ns += row.total_ns;
    summary.rows.push_back(std::move(row));
  }
  if (summary.total_ns > 0) {
    const auto total = static_cast<double>(summary.total_ns);
    summary.plugin_tensor_core_share = static_cast<double>(plugin_tensor_ns) / total;
    summary.tensor_core_share = static_cast<double>(tensor_ns) / total;
    for (KernelRow& row : summary.rows) row.share = static_cast<double>(row.total_ns) / total;
  }
  std::ranges::sort(summary.rows, {}, [](const KernelRow& row) {
    return std::pair(-row.total_ns, std::string_view(row.name));
  });
  return summary;
}

}  // namespace rooflab::trace
