#include "rooflab/analyze/roofline.hpp"

#include <algorithm>

#include "rooflab/base/assert.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::analyze {
namespace {

std::string series_name(const CaseResult& result) {
  return format("{}, batch {}, {}, {}", result.model, result.batch, name_of(result.phase),
                name_of(result.precision));
}

void add_layers(RooflineSeries& series, const CaseResult& result) {
  const double total = result.limit.time->value;
  for (const LayerRow& layer : result.layers) {
    if (!layer.time || layer.time->value <= 0.0) continue;
    const double share = layer.time->value / total;
    if (layer.flops() == Flops(0) || layer.bytes == Bytes(0)) {
      ++series.without_flops;
      series.without_flops_share += share;
      continue;
    }
    series.points.push_back({layer.name, layer.intensity(),
                             layer.flops().as_double() / layer.time->value, layer.time->value,
                             share, layer.bound});
  }
}

}  // namespace

Roofline roofline_of(std::span<const CaseResult* const> cases, PointPer per) {
  ROOFLAB_ASSERT(!cases.empty());
  Roofline roofline;
  roofline.device = cases.front()->device;
  for (const CaseResult* result : cases) {
    RooflineSeries series;
    series.name = series_name(*result);
    for (const auto& [path, flops] : result->limit.flops_by_path) {
      if (std::ranges::find(roofline.paths, path) == roofline.paths.end()) {
        roofline.paths.push_back(path);
      }
    }
    if (result->limit.time && result->limit.time->value > 0.0) {
      if (per == PointPer::layer) {
        add_layers(series, *result);
      } else {
        const double time_s = result->limit.time->value;
        series.points.push_back({result->model, result->limit.intensity(),
                                 result->limit.flops().as_double() / time_s, time_s, 1.0,
                                 result->limit.bound});
      }
    }
    roofline.series.push_back(std::move(series));
  }
  std::ranges::sort(roofline.paths);
  return roofline;
}

}  // namespace rooflab::analyze
