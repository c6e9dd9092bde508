#include "ncu_warnings.hpp"

#include <algorithm>

#include "import/ncu_command.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/kernel_sums.hpp"

namespace rooflab::import::ncu {
namespace {

using record::ComputeCapability;
using record::KernelFigure;
using record::KernelTable;

/// `tf32`, `fp16 into fp32`: the input and accumulate types in a metric's name.
std::string types_of(std::string_view metric) {
  constexpr std::string_view before = "_src_";
  const std::size_t source = metric.find(before);
  if (source == std::string_view::npos) return std::string(metric);
  std::string types(metric.substr(source + before.size()));
  const std::size_t target = types.find("_dst_");
  if (target == std::string::npos) return types;
  return format("{} into {}", types.substr(0, target), types.substr(target + 5));
}

void tensor_warning(const LogFacts& facts, std::vector<Note>& warnings) {
  const bool any = !facts.tensor_collected.empty();
  if (!facts.capability) {
    if (!any) {
      warnings.push_back({"tensor_work_unknown"});
    }
    return;
  }
  const ComputeCapability capability = *facts.capability;
  if (!record::has_tensor_cores(capability)) return;
  const std::string chip = format("{}.{}", capability.major, capability.minor);
  std::vector<std::string> missing;
  std::vector<std::string> types;
  for (const std::string_view metric : record::tensor_metrics_of(capability)) {
    if (facts.tensor_collected.contains(metric.substr(metric.find("__") + 2))) continue;
    missing.push_back(format("{}.sum", metric));
    types.push_back(types_of(metric));
  }
  if (!any && missing.empty()) {
    warnings.push_back({"tensor_metrics_unknown", {chip}});
  } else if (!any) {
    warnings.push_back(
        {"tensor_work_missing", {chip, join(missing, ","), ncu_command(capability)}});
  } else if (!missing.empty()) {
    warnings.push_back({"tensor_types_missing", {types, join(missing, ",")}});
  }
}

void moves_warning(const KernelTable& kernels, std::vector<Note>& warnings) {
  if (!kernels.has(KernelFigure::hfma)) return;
  std::int64_t launches = 0;
  double flops = 0.0;
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const double moves =
        record::figures_of(kernels, row)[KernelFigure::fp16_move_flops].value_or(0.0);
    if (moves <= 0.0) continue;
    ++launches;
    flops += moves;
  }
  if (launches == 0) return;
  warnings.push_back({"moves_ignored", {static_cast<std::int64_t>(flops), launches}});
}

void dram_warning(const KernelTable& kernels, const LogFacts& facts, std::vector<Note>& warnings) {
  if (!kernels.has(KernelFigure::dram_read_bytes) && !kernels.has(KernelFigure::dram_write_bytes) &&
      !kernels.has(KernelFigure::dram_bytes)) {
    return;
  }
  warnings.push_back({"caches_flushed"});
  if (!facts.clocks_unmodified) warnings.push_back({"clocks_at_base"});
}

void derived_warnings(const LogFacts& facts, std::vector<Note>& warnings) {
  if (facts.derived_per_second > 0) {
    warnings.push_back({"derived_by_time", {facts.derived_per_second}});
  }
  if (facts.derived_per_cycle > 0) {
    warnings.push_back({"derived_by_cycles", {facts.derived_per_cycle}});
  }
}

void number_warnings(const NumberReader& numbers, std::vector<Note>& warnings) {
  if (numbers.notation() == Notation::european) {
    warnings.push_back({"numbers_european"});
  }
  if (numbers.mixed()) {
    warnings.push_back({"numbers_mixed"});
  }
  if (numbers.undecided() && numbers.ambiguous() > 0) {
    warnings.push_back({"numbers_ambiguous", {numbers.ambiguous(), numbers.first_ambiguous()}});
  }
}

}  // namespace

std::vector<Note> warnings_of(const KernelTable& kernels, const LogFacts& facts,
                              const NumberReader& numbers) {
  std::vector<Note> warnings;
  tensor_warning(facts, warnings);
  moves_warning(kernels, warnings);
  dram_warning(kernels, facts, warnings);
  derived_warnings(facts, warnings);
  number_warnings(numbers, warnings);
  if (facts.devices.size() > 1) {
    warnings.push_back({"several_devices", {facts.devices.size(), facts.devices.front()}});
  }
  if (!facts.unknown_unit.empty()) {
    warnings.push_back({"units_unknown", {facts.unknown_unit}});
  }
  if (facts.errors > 0) {
    warnings.push_back({"ncu_errors", {facts.errors, facts.first_error}});
  }
  return warnings;
}

}  // namespace rooflab::import::ncu
