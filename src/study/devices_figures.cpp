// Several devices at once, and what fits: scale, predict --gpus, partition, fit.
//
// Scaling, measured or predicted, has a row for every number of devices, by rising number, the
// first being what the speed-up is against: the case is the last. The memory of a network that was
// cut is that of the stage that needs most. At a boundary the device's own figures come before the
// predicted ones, and what ends only because the range asked for does is not a boundary.

#include <algorithm>
#include <optional>
#include <string>

#include "mode_figures.hpp"
#include "rooflab/base/statistics.hpp"
#include "study_quantity.hpp"

namespace rooflab::study {
namespace {

/// nullopt unless all entries have the number.
std::optional<double> mean_of(const Json& list, FigureKey key) {
  if (list.empty()) return std::nullopt;
  double sum = 0.0;
  for (const Json& entry : list) {
    const std::optional<double> number = number_of(entry, key);
    if (!number) return std::nullopt;
    sum += *number;
  }
  return sum / static_cast<double>(list.size());
}

/// Largest number under `key` of what `inner` names in each entry, or of the entry itself where
/// that is empty; nullopt unless all have it.
std::optional<double> largest_of(const Json& list, std::optional<FigureKey> inner,
                                 std::string_view key) {
  std::optional<double> largest;
  for (const Json& entry : list) {
    const std::optional<double> number = number_at(inner ? part(entry, *inner) : entry, key);
    if (!number) return std::nullopt;
    largest = std::max(largest.value_or(*number), *number);
  }
  return largest;
}

std::optional<double> number_or(const Json& json, FigureKey key, std::optional<double> otherwise) {
  const std::optional<double> number = number_of(json, key);
  return number ? number : otherwise;
}

/// Version 1 had `found` only of a boundary that was searched.
bool was_searched(const Json& point) {
  constexpr FigureKey searched = "searched";
  constexpr FigureKey found = "found";
  if (point.contains(searched.key())) return flag_of(point, searched);
  return point.contains(found.key());
}

/// Sum of `[61, 62]`; nullopt: nothing fits.
std::optional<double> sum_of_counts(const Json& counts) {
  if (counts.is_null() || counts.empty()) return std::nullopt;
  double sum = 0.0;
  for (const Json& count : counts) {
    if (!count.is_number()) return std::nullopt;
    sum += count.get<double>();
  }
  return sum;
}

/// What was searched on the device, at the boundary.
void add_found(FigureList& figures, const Json& result, const Json& point) {
  figures.add("time", point, "median_s");
  if (!flag_of(point, "found_end_of_range")) {
    figures.add("largest", sum_of_counts(part(point, "found")));
  }
  for (const Json& each : list_of(result, "tries")) {
    const bool there = part(each, "counts") == part(point, "found");
    if (!there || string_of(each, "status") != "ok") continue;
    return figures.add(each, {"memory", "reserved_memory"});
  }
}

}  // namespace

void add_scaling(FigureList& figures, const Json& result) {
  const Json& row = last_of(first_of(result, "series"), "rows");
  const std::string status = string_of(row, "status");
  if (!status.empty() && status != "ok") return;
  const Json& ranks = list_of(row, "ranks");
  const Json& run = part(row, "run");
  const Json& predicted = part(row, "prediction");
  const bool ran = number_of(run, "median_s").has_value();
  const Json& step = ran ? run : predicted;
  if (ran) figures.add("time", run, "median_s");
  figures.add(ran ? "predicted_time" : "time", number_of(predicted, "predicted_s"),
              number_of(predicted, "predicted_low_s"), number_of(predicted, "predicted_high_s"));
  figures.add_rate("samples_per_s", number_of(row, "global_batch"));
  figures.add(step, {"memory", "reserved_memory", "memory_of_all", "total_memory_of_all"});
  const Json& memory = part(step, "memory");
  figures.add(memory, {"parameter_memory"});
  add_total_memory(figures, memory);
  if (ran) figures.add(step, {"device_used_memory"});
  figures.add(row, {"gpus"});
  figures.add(step, {"speed_up", "efficiency"});
  figures.add("communication", number_of(step, "communication_share"));
  figures.add("hidden", number_of(step, "hidden_share"));
  figures.add("utilization", mean_of(ranks, "core_utilization_share"));
  figures.add("sm_efficiency", mean_of(ranks, "sm_efficiency_share"));
  figures.add("occupancy", mean_of(ranks, "occupancy_share"));
}

const Json& shown_plan(const Json& result) {
  const Json& own = part(result, "own_plan");
  return own.is_object() ? own : part(result, "plan");
}

void add_partition(FigureList& figures, const Json& result) {
  const Json& plan = shown_plan(result);
  const Json& run = part(result, "run");
  const Json& stages = list_of(plan, "stages");
  const bool ran = run.is_object();
  if (ran && string_of(run, "status") != "ok") return;
  figures.add("time", ran ? number_of(result, "median_s") : number_of(plan, "predicted_s"));
  figures.add_rate("samples_per_s", number_of(result, "batch"));
  if (ran) {
    figures.add("memory", largest_of(list_of(run, "stages"), {}, "allocated_peak_bytes"));
    return;
  }
  figures.add(plan, {"idle"});
  for (const std::string_view quantity : {"memory", "reserved_memory", "total_memory"}) {
    figures.add(quantity, largest_of(stages, FigureKey("memory"), find_quantity(quantity)->key));
  }
}

const Json& boundary_of(const Json& point) {
  return was_searched(point) ? part(point, "found") : part(point, "largest");
}

void add_fit(FigureList& figures, const Json& result) {
  const Json& point = first_of(result, "points");
  figures.add(point, {"samples_per_s"});
  figures.add("device_memory", result, "memory_bytes");
  if (!flag_of(point, "end_of_range")) {
    figures.add("predicted_largest", sum_of_counts(part(point, "largest")));
  }
  if (was_searched(point)) return add_found(figures, result, point);
  const std::optional<double> predicted = number_of(point, "predicted_s");
  figures.add("time", predicted ? predicted : number_of(point, "limit_s"));
  figures.add(part(point, "memory"), {"memory", "reserved_memory", "total_memory"});
}

}  // namespace rooflab::study
