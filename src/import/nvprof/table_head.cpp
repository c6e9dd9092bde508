#include "table_head.hpp"

#include <algorithm>

#include "rooflab/base/text.hpp"

namespace rooflab::import::nvprof {

std::optional<TableKind> table_kind_of(std::span<const std::string_view> fields) {
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(
        fields, [&](std::string_view field) { return lowercase(trim(field)) == name; });
  };
  if (has("metric name") || has("event name")) return TableKind::counters;
  if (has("start") && has("duration")) {
    return has("grid x") || has("device") ? TableKind::gpu_trace : TableKind::call_trace;
  }
  return has("time(%)") && has("calls") ? std::optional(TableKind::summary) : std::nullopt;
}

std::vector<ColumnHead> heads_of(std::span<const std::string_view> names,
                                 std::span<const std::string_view> units) {
  std::vector<ColumnHead> heads;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string unit = lowercase(trim(units[i]));
    if (unit == "kb" || unit == "mb" || unit == "gb") unit.insert(1, "i");
    heads.push_back({lowercase(trim(names[i])), std::move(unit)});
  }
  return heads;
}

std::optional<std::size_t> column_of(std::span<const ColumnHead> heads, std::string_view name) {
  const auto found = std::ranges::find(heads, name, &ColumnHead::name);
  return found == heads.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(found - heads.begin()));
}

bool is_nvprof(std::string_view head) {
  constexpr std::string_view words[] = {
      "== NVPROF is profiling process", "== Profiling result:", "\"Start\",\"Duration\",\"Grid X\"",
      "\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\""};
  return std::ranges::any_of(
      words, [&](std::string_view word) { return head.find(word) != std::string_view::npos; });
}

}  // namespace rooflab::import::nvprof
