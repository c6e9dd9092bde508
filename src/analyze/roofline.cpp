#include "rooflab/analyze/roofline.hpp"

#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::analyze {
namespace {

/// Batch, phase and precision of a case, as a reader would say them.
using Settings = std::array<std::string, 3>;
Settings settings_of(const CaseResult& result) {
  return {format("batch {}", result.batch), std::string(name_of(result.phase)),
          std::string(name_of(result.precision))};
}

/// Settings that all cases share, empty where they differ.
Settings shared_settings(std::span<const CaseResult* const> cases) {
  Settings shared = settings_of(*cases.front());
  for (const CaseResult* result : cases) {
    const Settings settings = settings_of(*result);
    for (std::size_t i = 0; i < shared.size(); ++i) {
      if (settings[i] != shared[i]) shared[i].clear();
    }
  }
  return shared;
}

/// The network, with what tells its case apart.
std::string series_name(const CaseResult& result, const Settings& shared) {
  std::string name = result.model;
  const Settings settings = settings_of(result);
  for (std::size_t i = 0; i < shared.size(); ++i) {
    if (shared[i].empty()) name += ", " + settings[i];
  }
  return name;
}

void add_layers(RooflineSeries& series, const CaseResult& result) {
  for (const LayerRow& layer : result.layers) {
    if (!layer.time || layer.time->value <= 0.0) continue;
    series.add(layer.name, layer.flops().as_double(), layer.compulsory_bytes.as_double(),
               layer.time->value, layer.time->value / result.limit.time->value, layer.bound);
  }
}

/// Measured layers: modelled FLOPs over measured time.
void add_measured_layers(RooflineSeries& series, const MeasuredCase& measured) {
  for (const MeasuredLayer& layer : measured.layers.layers) {
    if (layer.time_s() <= 0.0) continue;
    series.add(layer.timing.node, layer.flops.value_or(Flops(0)).as_double(),
               layer.bytes.value_or(Bytes(0)).as_double(), layer.time_s(), layer.time_share,
               layer.bound);
  }
}

/// A series of what the limit has work for.
RooflineSeries series_of(const predict::NetworkLimit& limit, std::string name, PointKind kind) {
  RooflineSeries series{.name = std::move(name), .kind = kind};
  for (const auto& [path, flops] : limit.flops_by_path) series.paths.insert(path);
  return series;
}

RooflineSeries measured_series(const MeasuredCase& measured, const std::string& name,
                               PointPer per) {
  const predict::NetworkLimit& limit = measured.model->limit;
  RooflineSeries series = series_of(limit, format("measured: {}", name), PointKind::timed);
  if (per == PointPer::layer && !measured.layers.layers.empty()) {
    add_measured_layers(series, measured);
    return series;
  }
  if (limit.flops() == Flops(0) || limit.compulsory_bytes == Bytes(0)) return series;
  series.points.push_back({series.name, limit.intensity(), *measured.flop_per_s(),
                           measured.steps->median, 1.0, limit.bound});
  if (per == PointPer::layer) series.remark = "no layer times in the record: one point";
  return series;
}

RooflineSeries limit_series(const CaseResult& result, std::string name, PointPer per) {
  const predict::NetworkLimit& limit = result.limit;
  RooflineSeries series = series_of(limit, std::move(name), PointKind::limit);
  if (!limit.time || limit.time->value <= 0.0) return series;
  if (per == PointPer::layer) {
    add_layers(series, result);
    return series;
  }
  const double time_s = limit.time->value;
  series.points.push_back({series.name, limit.intensity(), limit.flops().as_double() / time_s,
                           time_s, 1.0, limit.bound});
  return series;
}

}  // namespace

bool RooflineSeries::add(std::string label, std::optional<double> flops,
                         std::optional<double> bytes, std::optional<double> time_s,
                         std::optional<double> time_share, predict::Bound bound) {
  const std::optional<double> intensity = quotient(flops, bytes);
  const std::optional<double> flops_per_s = quotient(flops, time_s);
  if (!intensity || *intensity <= 0.0 || !flops_per_s) {
    ++without_flops;
    if (without_flops_share && time_share) {
      *without_flops_share += *time_share;
    } else {
      without_flops_share.reset();
    }
    return false;
  }
  points.push_back(
      {std::move(label), *intensity, *flops_per_s, *time_s, time_share.value_or(0.0), bound});
  return true;
}

void Roofline::add(RooflineSeries added) {
  paths.insert(added.paths.begin(), added.paths.end());
  series.push_back(std::move(added));
}

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
  const Settings shared = shared_settings(all);
  for (const std::string& setting : shared) {
    if (setting.empty()) continue;
    roofline.setting += (roofline.setting.empty() ? "" : ", ") + setting;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = series_name(*all[i], shared);
    // A limit that is there already, of a model named beside its record, is drawn once.
    if (i < cases.size() ||
        std::ranges::find(roofline.series, name, &RooflineSeries::name) == roofline.series.end()) {
      roofline.add(limit_series(*all[i], name, per));
    }
    if (i >= cases.size()) {
      roofline.add(measured_series(*measured[i - cases.size()], name, per));
    }
  }
  return roofline;
}

}  // namespace rooflab::analyze
