#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/overlap.hpp"

namespace rooflab::device {
namespace {

constexpr std::array labels = {
    std::pair{"dram.read", "memory, read"},
    std::pair{"dram.write", "memory, write"},
    std::pair{"dram.copy", "memory, copy"},
    std::pair{"dram.triad", "memory, triad"},
    std::pair{"l2.read", "L2 cache, read"},
    std::pair{"h2d.pinned", "to the device, pinned"},
    std::pair{"h2d.pageable", "to the device, pageable"},
    std::pair{"h2d.latency", "to the device, 4 bytes"},
    std::pair{"d2h.pinned", "to the host, pinned"},
    std::pair{"d2h.pageable", "to the host, pageable"},
    std::pair{"launch.issue", "launch, host time"},
    std::pair{"launch.gap", "launch, queued: device time"},
    std::pair{"launch.roundtrip", "launch and wait"},
    std::pair{"launch.graph_kernel", "shortest kernel of a CUDA graph"},
    std::pair{"launch.graph_launch", "launch of a CUDA graph, host time"},
    std::pair{"issue.program", "issue costs of programs, over those of equal ops"},
    std::pair{"memory.context", "context of driver and libraries"},
    std::pair{"memory.blas_workspace", "cuBLAS, kept after products"},
    std::pair{"memory.blas_workspace_training", "cuBLAS, kept in training"},
};

/// Times as long as alone, in the order of the values.
constexpr std::array<std::string_view, enum_names<OverlapFigure>.size()> overlap_labels = {
    "product during an all-reduce",
    "copy during an all-reduce",
    "all-reduce during products",
    "all-reduce during copies",
};

constexpr std::array groups = {
    std::pair{"gemm", "matrix product"},
    std::pair{"peak", "loop in registers"},
    std::pair{"sustained", "matrix product, sustained"},
};

}  // namespace

FigureName figure_name(std::string_view name) {
  const std::vector<std::string> parts = split(name, '.');
  FigureName result;
  result.group = parts.front();
  if (parts.size() > 1) result.path = from_name<ArithmeticPath>(parts[1]);
  if (parts.size() > 2) result.size = parts[2];
  return result;
}

std::string label_of_figure(std::string_view name) {
  for (const auto& [key, label] : labels) {
    if (name == key) return label;
  }
  for (const OverlapFigure figure : values_of<OverlapFigure>) {
    const std::string_view label = overlap_labels.at(static_cast<std::size_t>(figure));
    const std::optional<int> ranks = overlap_ranks(name, figure);
    if (ranks) return format("{}, over {}", label, *ranks);
  }
  const FigureName parts = figure_name(name);
  for (const auto& [key, label] : groups) {
    if (parts.group != key || !parts.path) continue;
    return format("{}, {}{}{}", label_of(*parts.path), label, parts.size.empty() ? "" : " of ",
                  parts.size);
  }
  return std::string(name);
}

std::optional<double> datasheet_figure(std::string_view name, const Device* known) {
  if (known == nullptr) return std::nullopt;
  const FigureName parts = figure_name(name);
  if (parts.group == "dram") {
    return known->bandwidth ? std::optional(known->bandwidth->value) : std::nullopt;
  }
  const bool has_peak =
      std::ranges::any_of(groups, [&](const auto& group) { return parts.group == group.first; });
  return has_peak && parts.path ? peak(*known, *parts.path) : std::nullopt;
}

}  // namespace rooflab::device
