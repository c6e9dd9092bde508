#include "rooflab/analyze/counted_series.hpp"

#include <algorithm>

#include "rooflab/base/format.hpp"

namespace rooflab::analyze {

KernelSeries counted_series(const CountedLayers& counted, std::string name) {
  KernelSeries result(std::move(name));
  std::size_t above = 0;
  for (const CountedLayer& layer : counted.layers) {
    if (!result.add(layer.name, layer.sums, record::KernelFigure::flops, layer.time_share))
      continue;
    result.use_paths(layer.sums);
    const bool breaks = std::ranges::any_of(
        layer.breaches, [](const RoofBreach& breach) { return !breach.modelled; });
    if (breaks) ++above;
  }
  result.series.remark = "a point is a layer, the sum of its kernels";
  if (above > 0) {
    result.series.remark += format("; {} lie{} above a roof: the table of such points says why",
                                   above, above == 1 ? "s" : "");
  }
  return result;
}

}  // namespace rooflab::analyze
