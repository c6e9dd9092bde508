#include "rooflab/analyze/counted_series.hpp"

#include <algorithm>

#include "counted_roofs.hpp"
#include "rooflab/base/format.hpp"

namespace rooflab::analyze {

KernelSeries counted_series(const CountedLayers& counted, std::string name) {
  KernelSeries result;
  result.series.name = std::move(name);
  result.series.kind = PointKind::counted;
  const auto use = [&](ArithmeticPath path) {
    if (std::ranges::find(result.paths, path) == result.paths.end()) result.paths.push_back(path);
  };
  std::size_t above = 0;
  for (const CountedLayer& layer : counted.layers) {
    const std::optional<double> intensity = layer.intensity();
    const std::optional<double> flops_per_s = layer.flops_per_s();
    if (!intensity || *intensity <= 0.0 || !flops_per_s) {
      ++result.series.without_flops;
      result.series.without_flops_share += layer.time_share;
      continue;
    }
    if (layer.fp64_flops.value_or(0.0) > 0.0) use(ArithmeticPath::fp64_vector);
    if (layer.fp32_flops.value_or(0.0) > 0.0) use(ArithmeticPath::fp32_vector);
    if (layer.fp16_flops.value_or(0.0) > 0.0) use(ArithmeticPath::fp16_vector);
    for (const auto& [figure, flops] : layer.tensor_by_type) {
      if (const auto path = path_of(figure)) use(*path);
    }
    const bool breaks = std::ranges::any_of(
        layer.breaches, [](const RoofBreach& breach) { return !breach.modelled; });
    if (breaks) ++above;
    result.series.points.push_back(
        {layer.name, *intensity, *flops_per_s, *layer.time_s, layer.time_share});
  }
  std::ranges::sort(result.paths);
  result.series.remark = "a point is a layer, the sum of its kernels";
  if (above > 0) {
    result.series.remark += format("; {} lie{} above a roof: the table of such points says why",
                                   above, above == 1 ? "s" : "");
  }
  return result;
}

}  // namespace rooflab::analyze
