#include "rooflab/analyze/roofline.hpp"

#include <algorithm>

#include "rooflab/base/assert.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::analyze {
namespace {

/// Batch, phase and precision of a case, as a reader would say them.
std::vector<std::string> settings_of(const CaseResult& result) {
  return {format("batch {}", result.batch), std::string(name_of(result.phase)),
          std::string(name_of(result.precision))};
}

/// Which of the settings are the same in all cases.
std::vector<bool> shared_settings(std::span<const CaseResult* const> cases) {
  const std::vector<std::string> first = settings_of(*cases.front());
  std::vector<bool> shared(first.size(), true);
  for (const CaseResult* result : cases) {
    const std::vector<std::string> settings = settings_of(*result);
    for (std::size_t i = 0; i < shared.size(); ++i)
      shared[i] = shared[i] && settings[i] == first[i];
  }
  return shared;
}

/// Those settings that all cases share, or those that they do not.
std::vector<std::string> chosen_settings(const CaseResult& result, const std::vector<bool>& shared,
                                         bool wanted) {
  std::vector<std::string> words;
  const std::vector<std::string> settings = settings_of(result);
  for (std::size_t i = 0; i < shared.size(); ++i) {
    if (shared[i] == wanted) words.push_back(settings[i]);
  }
  return words;
}

std::string series_name(const CaseResult& result, const std::vector<bool>& shared) {
  std::vector<std::string> words = chosen_settings(result, shared, false);
  words.insert(words.begin(), result.model);
  return join(words, ", ");
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
  const std::vector<bool> shared = shared_settings(cases);
  roofline.setting = join(chosen_settings(*cases.front(), shared, true), ", ");
  for (const CaseResult* result : cases) {
    RooflineSeries series;
    series.name = series_name(*result, shared);
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
        series.points.push_back({series.name, result->limit.intensity(),
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
