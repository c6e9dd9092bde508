// The head of a column is a word and its unit: `Start (ns)`, `StcSMem (MB)`. The unit follows what
// the user asked for; KB, MB and GB are powers of 1000, KiB and so on of 1024.

#include "gpu_trace_header.hpp"

#include <algorithm>
#include <string>

#include "rooflab/base/text.hpp"

namespace rooflab::import::nsys {
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

/// `Start (ns)` as `start` and `ns`.
std::pair<std::string, std::string> parts_of(std::string_view head) {
  const std::string text = lowercase(trim(head));
  const std::size_t open = text.find('(');
  if (open == std::string::npos || !text.ends_with(')')) return {text, ""};
  return {std::string(trim(std::string_view(text).substr(0, open))),
          std::string(trim(std::string_view(text).substr(open + 1, text.size() - open - 2)))};
}

std::optional<GpuTraceHeader::Place> place_of(GpuTraceColumn column, std::size_t field,
                                              std::string_view unit) {
  using enum GpuTraceColumn;
  GpuTraceHeader::Place place{field, 1.0, true};
  if (column == start || column == duration) {
    const auto scale = scale_of(unit, times);
    if (!scale) return std::nullopt;
    place.scale = *scale;
  } else if (column == static_memory || column == dynamic_memory || column == bytes) {
    const auto scale = scale_of(unit, sizes);
    if (!scale) return std::nullopt;
    place.scale = *scale;
    place.whole_bytes = *scale == 1.0;
  }
  return place;
}

}  // namespace

std::optional<GpuTraceHeader> GpuTraceHeader::from(std::span<const std::string_view> fields) {
  GpuTraceHeader header;
  header.fields_ = fields.size();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto [word, unit] = parts_of(fields[i]);
    for (const GpuTraceColumn column : values_of<GpuTraceColumn>) {
      auto& place = header.places_[static_cast<std::size_t>(column)];
      if (!place && word == name_of(column)) place = place_of(column, i, unit);
    }
  }
  using enum GpuTraceColumn;
  const bool complete =
      header[start] != nullptr && header[duration] != nullptr && header[name] != nullptr;
  return complete ? std::optional(header) : std::nullopt;
}

bool is_header_of_sums(std::span<const std::string_view> fields) {
  return std::ranges::any_of(
      fields, [](std::string_view field) { return parts_of(field).first == "total time"; });
}

}  // namespace rooflab::import::nsys
