#include "rooflab/analyze/roofline.hpp"

#include <algorithm>

#include "rooflab/base/assert.hpp"
#include "rooflab/base/format.hpp"
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

/// Measured layers: modelled FLOPs over measured time.
void add_measured_layers(RooflineSeries& series, const MeasuredCase& measured) {
  for (const MeasuredLayer& layer : measured.layers.layers) {
    const double time_s = layer.time_s();
    if (time_s <= 0.0) continue;
    const double share = layer.time_share.value_or(0.0);
    const bool has_place =
        layer.flops && layer.bytes && *layer.flops > Flops(0) && *layer.bytes > Bytes(0);
    if (!has_place) {
      ++series.without_flops;
      series.without_flops_share += share;
      continue;
    }
    series.points.push_back({layer.timing.node, layer.flops->as_double() / layer.bytes->as_double(),
                             layer.flops->as_double() / time_s, time_s, share, layer.bound});
  }
}

RooflineSeries measured_series(const MeasuredCase& measured, const std::string& name,
                               PointPer per) {
  RooflineSeries series;
  series.name = format("measured: {}", name);
  series.kind = PointKind::timed;
  if (per == PointPer::layer && !measured.layers.layers.empty()) {
    add_measured_layers(series, measured);
    return series;
  }
  const predict::NetworkLimit& limit = measured.model->limit;
  if (limit.flops() == Flops(0) || limit.compulsory_bytes == Bytes(0)) return series;
  series.points.push_back({series.name, limit.intensity(), *measured.flop_per_s(),
                           measured.steps->median, 1.0, limit.bound});
  if (per == PointPer::layer) series.remark = "no layer times in the record: one point";
  return series;
}

RooflineSeries limit_series(const CaseResult& result, std::string name, PointPer per) {
  RooflineSeries series;
  series.name = std::move(name);
  if (!result.limit.time || result.limit.time->value <= 0.0) return series;
  if (per == PointPer::layer) {
    add_layers(series, result);
    return series;
  }
  const double time_s = result.limit.time->value;
  series.points.push_back({series.name, result.limit.intensity(),
                           result.limit.flops().as_double() / time_s, time_s, 1.0,
                           result.limit.bound});
  return series;
}

void add_paths(Roofline& roofline, const CaseResult& result) {
  for (const auto& [path, flops] : result.limit.flops_by_path) {
    if (std::ranges::find(roofline.paths, path) == roofline.paths.end()) {
      roofline.paths.push_back(path);
    }
  }
}

}  // namespace

Roofline roofline_of(const device::Device& device, std::span<const CaseResult* const> cases,
                     std::span<const MeasuredCase* const> measured, PointPer per) {
  std::vector<const CaseResult*> all(cases.begin(), cases.end());
  for (const MeasuredCase* each : measured) {
    ROOFLAB_ASSERT(each->model && each->steps);
    all.push_back(&*each->model);
  }
  Roofline roofline;
  roofline.device = device;
  if (all.empty()) return roofline;
  const std::vector<bool> shared = shared_settings(all);
  roofline.setting = join(chosen_settings(*all.front(), shared, true), ", ");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = series_name(*all[i], shared);
    add_paths(roofline, *all[i]);
    // A limit that is there already, of a model named beside its record, is drawn once.
    if (std::ranges::find(roofline.series, name, &RooflineSeries::name) == roofline.series.end() ||
        i < cases.size()) {
      roofline.series.push_back(limit_series(*all[i], name, per));
    }
    if (i < cases.size()) continue;
    roofline.series.push_back(measured_series(*measured[i - cases.size()], name, per));
  }
  std::ranges::sort(roofline.paths);
  return roofline;
}

}  // namespace rooflab::analyze
