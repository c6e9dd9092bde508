// Units of the columns of a GPU trace. KB, MB and GB are powers of 1000, KiB and so on of 1024.

#include "gpu_trace_header.hpp"

#include <algorithm>
#include <cmath>

namespace rooflab::import {
namespace {

struct Unit {
  std::string_view name;  ///< in lower case
  double scale;
};
constexpr std::array times = std::to_array<Unit>({{"ns", 1e-9},
                                                  {"nsec", 1e-9},
                                                  {"us", 1e-6},
                                                  {"usec", 1e-6},
                                                  {"ms", 1e-3},
                                                  {"msec", 1e-3},
                                                  {"s", 1.0},
                                                  {"sec", 1.0}});
constexpr std::array sizes = std::to_array<Unit>({{"b", 1.0},
                                                  {"byte", 1.0},
                                                  {"bytes", 1.0},
                                                  {"kb", 1e3},
                                                  {"mb", 1e6},
                                                  {"gb", 1e9},
                                                  {"kib", 1024.0},
                                                  {"mib", 1048576.0},
                                                  {"gib", 1073741824.0}});

std::optional<double> scale_of(std::string_view unit, std::span<const Unit> units) {
  const auto found = std::ranges::find(units, unit, &Unit::name);
  return found != units.end() ? std::optional(found->scale) : std::nullopt;
}

std::optional<GpuTraceHeader::Place> place_of(GpuTraceColumn column, std::size_t field,
                                              std::string_view unit, int decimals) {
  using enum GpuTraceColumn;
  GpuTraceHeader::Place place{field, 1.0, true};
  if (column == start || column == duration) {
    const auto scale = seconds_of(unit);
    if (!scale) return std::nullopt;
    place.scale = *scale;
  } else if (column == static_memory || column == dynamic_memory || column == bytes) {
    const auto scale = scale_of(unit, sizes);
    if (!scale) return std::nullopt;
    place.scale = *scale;
    const double half_of_last = 0.5 * std::pow(10.0, -decimals);
    place.exact_zero = *scale * half_of_last < 0.5;  // of a byte
  }
  return place;
}

}  // namespace

std::optional<double> seconds_of(std::string_view unit) { return scale_of(unit, times); }

std::optional<GpuTraceHeader> GpuTraceHeader::from(std::span<const ColumnHead> heads,
                                                   const GpuTraceForm& form) {
  GpuTraceHeader header;
  header.fields_ = heads.size();
  for (std::size_t field = 0; field < heads.size(); ++field) {
    for (std::size_t i = 0; i < form.columns.size(); ++i) {
      if (header.places_[i] || heads[field].name.empty() || heads[field].name != form.columns[i]) {
        continue;
      }
      header.places_[i] =
          place_of(static_cast<GpuTraceColumn>(i), field, heads[field].unit, form.decimals);
    }
  }
  using enum GpuTraceColumn;
  const bool complete =
      header[start] != nullptr && header[duration] != nullptr && header[name] != nullptr;
  return complete ? std::optional(header) : std::nullopt;
}

}  // namespace rooflab::import
