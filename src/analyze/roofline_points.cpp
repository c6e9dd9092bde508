// A case gives up to three series of the same work: its limit, what is expected of it, what was
// measured. Points of one class of ops are sums: FLOPs, bytes and times of its layers. Cases of one
// network stand in one series where a point is a whole case, so that a chart can join them.

#include "rooflab/analyze/roofline_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/assert.hpp"
#include "predict/interval.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::analyze {
namespace {

/// Batch, phase and precision of a case, as a reader would say them.
using Settings = std::array<std::string, 3>;
Settings settings_of(const CaseResult& result) {
  return {result.size_text(), std::string(name_of(result.phase)),
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

/// What tells the case apart, behind commas: `, batch 32`.
std::string own_settings(const CaseResult& result, const Settings& shared) {
  std::string own;
  const Settings settings = settings_of(result);
  for (std::size_t i = 0; i < shared.size(); ++i) {
    if (shared[i].empty()) own += ", " + settings[i];
  }
  return own;
}

/// The work of a point and its times; what nobody knows adds nothing.
struct PointSums {
  double flops = 0.0;
  double bytes = 0.0;
  double time_s = 0.0;
  double deviation_s = 0.0;  ///< one deviation of a predicted time
  std::map<predict::Bound, double> bound_s;

  [[nodiscard]] predict::Bound bound() const {
    if (bound_s.empty()) return predict::Bound::none;
    return std::ranges::max_element(bound_s, {}, [](const auto& each) { return each.second; })
        ->first;
  }
};

/// Sums by a name, in the order in which the names came.
class NamedSums {
 public:
  PointSums& of(const std::string& name) {
    for (auto& [known, sums] : sums_) {
      if (known == name) return sums;
    }
    return sums_.emplace_back(name, PointSums{}).second;
  }

  /// Adds a point for each name; `whole_s`: the time that shares are of.
  void add_to(RooflineSeries& series, double whole_s) const {
    for (const auto& [name, sums] : sums_) {
      if (!series.add(name, sums.flops, sums.bytes, sums.time_s, quotient(sums.time_s, whole_s),
                      sums.bound())) {
        continue;
      }
      if (series.kind != PointKind::predicted) continue;
      RooflinePoint& point = series.points.back();
      const double factor =
          std::exp(predict::quantile_of_ninety_percent * sums.deviation_s / sums.time_s);
      point.low_s = point.time_s / factor;
      point.high_s = point.time_s * factor;
    }
  }

 private:
  std::vector<std::pair<std::string, PointSums>> sums_;
};

/// The name of the point that a layer belongs to.
std::string point_of(const std::string& layer, OpClass op_class, PointPer per) {
  return per == PointPer::layer ? layer : std::string(name_of(graph::work_class_of(op_class)));
}

/// A case on a roofline.
struct Drawn {
  const CaseResult* result = nullptr;
  const MeasuredCase* measured = nullptr;  ///< nullptr: it was not
  std::string own;                         ///< own_settings()
  bool alone = true;                       ///< the only case of its network
};

RooflineSeries empty_series(const Drawn& drawn, PointKind kind) {
  RooflineSeries series{
      .name = drawn.result->model + drawn.own, .kind = kind, .network = drawn.result->model};
  for (const auto& [path, flops] : drawn.result->limit.flops_by_path) series.paths.insert(path);
  return series;
}

/// What a whole case is called.
std::string label_of(const Drawn& drawn) {
  return drawn.alone         ? drawn.result->model
         : drawn.own.empty() ? drawn.result->size_text()
                             : drawn.own.substr(2);
}

/// The whole case as a point; false where nothing is known of it.
bool add_whole(RooflineSeries& series, const Drawn& drawn, double time_s) {
  const predict::NetworkLimit& limit = drawn.result->limit;
  return series.add(label_of(drawn), limit.flops().as_double(), limit.compulsory_bytes.as_double(),
                    time_s, 1.0, limit.bound);
}

/// Layers whose time is `seconds_of`, as points. The only layer of a network has its name: it is a
/// layer that a user wrote.
template <class SecondsOf>
void add_layers(RooflineSeries& series, const CaseResult& result, PointPer per, double whole_s,
                SecondsOf seconds_of) {
  NamedSums sums;
  for (const LayerRow& layer : result.layers) {
    const std::optional<Seconds> time = seconds_of(layer);
    if (!time || time->value <= 0.0) continue;
    PointSums& point = sums.of(
        result.layers.size() == 1 ? result.model : point_of(layer.name, layer.op_class, per));
    point.flops += layer.flops().as_double();
    point.bytes += layer.compulsory_bytes.as_double();
    point.time_s += time->value;
    point.deviation_s += time->value * layer.deviation.value_or(0.0);
    point.bound_s[layer.bound] += time->value;
  }
  sums.add_to(series, whole_s);
}

RooflineSeries limit_series(const Drawn& drawn, PointPer per) {
  RooflineSeries series = empty_series(drawn, PointKind::limit);
  const std::optional<Seconds>& time = drawn.result->limit.time;
  if (!time || time->value <= 0.0) return series;
  if (per == PointPer::model) {
    add_whole(series, drawn, time->value);
  } else {
    add_layers(series, *drawn.result, per, time->value,
               [](const LayerRow& row) { return row.time; });
  }
  return series;
}

/// nullopt: nothing is predicted by measured ops.
std::optional<RooflineSeries> predicted_series(const Drawn& drawn, PointPer per) {
  const CaseResult& result = *drawn.result;
  if (!result.has_interval() || !result.limit.time) return std::nullopt;
  RooflineSeries series = empty_series(drawn, PointKind::predicted);
  const predict::StepTime& step = *result.prediction;
  if (per != PointPer::model) {
    double device_s = 0.0;
    for (const LayerRow& row : result.layers) device_s += row.predicted.value_or(Seconds{}).value;
    add_layers(series, result, per, device_s, [](const LayerRow& row) { return row.predicted; });
    return series;
  }
  if (add_whole(series, drawn, step.time.value)) {
    series.points.back().low_s = step.low.value;
    series.points.back().high_s = step.high.value;
  }
  return series;
}

/// Measured layers: modelled FLOPs over measured time.
RooflineSeries measured_series(const Drawn& drawn, PointPer per) {
  RooflineSeries series = empty_series(drawn, PointKind::timed);
  const MeasuredCase& measured = *drawn.measured;
  if (per == PointPer::model || measured.layers.layers.empty()) {
    add_whole(series, drawn, measured.steps->median);
    if (per != PointPer::model) series.remark = "no layer times in the record: one point";
    return series;
  }
  NamedSums sums;
  double sum_s = 0.0;
  for (const MeasuredLayer& layer : measured.layers.layers) {
    if (layer.time_s() <= 0.0) continue;
    sum_s += layer.time_s();
    PointSums& point = sums.of(measured.layers.layers.size() == 1
                                   ? drawn.result->model
                                   : point_of(layer.timing.node, layer.op_class, per));
    point.flops += layer.flops.value_or(Flops(0)).as_double();
    point.bytes += layer.bytes.value_or(Bytes(0)).as_double();
    point.time_s += layer.time_s();
    point.bound_s[layer.bound] += layer.time_s();
  }
  sums.add_to(series, sum_s);
  return series;
}

/// What the counters measured, where the whole case is a point by the name that the others have.
RooflineSeries counted_points(const Drawn& drawn, PointPer per) {
  RooflineSeries series = counted_series(*drawn.measured->counted, drawn.result->model, per);
  series.name += drawn.own;
  for (RooflinePoint& point : series.points) {
    if (per == PointPer::model) point.label = label_of(drawn);
  }
  return series;
}

/// All cases: those predicted, then those measured.
std::vector<Drawn> drawn_cases(std::span<const CaseResult* const> cases,
                               std::span<const MeasuredCase* const> measured) {
  std::vector<Drawn> all;
  for (const CaseResult* each : cases) all.push_back({.result = each, .own = {}});
  for (const MeasuredCase* each : measured) {
    ROOFLAB_ASSERT(each->model && each->steps);
    all.push_back({.result = &*each->model, .measured = each, .own = {}});
  }
  return all;
}

/// Says of each case what tells it apart, and gives what all share.
std::string name_cases(std::vector<Drawn>& all) {
  std::vector<const CaseResult*> results;
  for (const Drawn& each : all) results.push_back(each.result);
  const Settings shared = shared_settings(results);
  for (Drawn& each : all) {
    each.own = own_settings(*each.result, shared);
    if (each.measured == nullptr) continue;
    const std::string worker = each.measured->record.identity.other_worker();
    if (!worker.empty()) each.own += ", " + worker;
  }
  for (Drawn& each : all) {
    each.alone = std::ranges::all_of(all, [&each](const Drawn& other) {
      return other.result->model != each.result->model || other.own == each.own;
    });
  }
  std::vector<std::string> said;
  std::ranges::copy_if(shared, std::back_inserter(said),
                       [](const std::string& setting) { return !setting.empty(); });
  return join(said, ", ");
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

bool Roofline::has_l2_points() const {
  return std::ranges::any_of(series, [](const RooflineSeries& each) {
    return std::ranges::any_of(
        each.points, [](const RooflinePoint& point) { return point.l2_intensity.has_value(); });
  });
}

void Roofline::add(RooflineSeries added) {
  paths.insert(added.paths.begin(), added.paths.end());
  series.push_back(std::move(added));
}

Roofline roofline_of(const device::Device& device, std::span<const CaseResult* const> cases,
                     std::span<const MeasuredCase* const> measured, std::optional<PointPer> per,
                     bool counted) {
  Roofline roofline;
  roofline.device = device;
  std::vector<Drawn> all = drawn_cases(cases, measured);
  if (all.empty()) return roofline;
  roofline.setting = name_cases(all);
  const bool several = std::ranges::any_of(all, [](const Drawn& each) { return !each.alone; });
  roofline.per = per.value_or(several ? PointPer::model : PointPer::op_class);
  // Whole cases of one network go into one series of each kind.
  const auto add = [&roofline](RooflineSeries added) {
    const auto known = std::ranges::find_if(roofline.series, [&added](const RooflineSeries& each) {
      return each.kind == added.kind && each.network == added.network;
    });
    if (roofline.per != PointPer::model || known == roofline.series.end()) {
      roofline.add(std::move(added));
      return;
    }
    known->name = known->network;
    known->joined = true;
    known->without_flops += added.without_flops;
    std::ranges::move(added.points, std::back_inserter(known->points));
    known->paths.insert(added.paths.begin(), added.paths.end());
    roofline.paths.insert(added.paths.begin(), added.paths.end());
  };
  std::vector<std::string> modelled;
  for (const Drawn& each : all) {
    if (each.result->l2_bytes_per_s) roofline.l2_bytes_per_s = each.result->l2_bytes_per_s;
    // A limit that is there already, of a model named together with its record, is drawn once.
    const std::string name = each.result->model + each.own;
    const bool known =
        each.measured != nullptr && std::ranges::find(modelled, name) != modelled.end();
    if (!known) {
      modelled.push_back(name);
      add(limit_series(each, roofline.per));
      if (auto predicted = predicted_series(each, roofline.per)) add(*std::move(predicted));
    }
    if (each.measured == nullptr) continue;
    add(measured_series(each, roofline.per));
    if (counted && each.measured->counted) add(counted_points(each, roofline.per));
  }
  for (RooflineSeries& series : roofline.series) {
    if (series.joined) std::ranges::stable_sort(series.points, {}, &RooflinePoint::intensity);
  }
  return roofline;
}

}  // namespace rooflab::analyze
