#include "ncu_warnings.hpp"

#include <algorithm>

#include "rooflab/base/format.hpp"
#include "rooflab/base/plural.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/import/ncu_command.hpp"
#include "rooflab/record/kernel_work.hpp"

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

void tensor_warning(const LogFacts& facts, std::vector<std::string>& warnings) {
  const bool any = !facts.tensor_collected.empty();
  if (!facts.capability) {
    if (!any) {
      warnings.emplace_back(
          "tensor work not collected: the log has no counter of tensor cores, and does not say "
          "which chip it is from, so their names are not known.");
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
    warnings.push_back(format(
        "tensor work not collected: compute capability {} has tensor cores, but the names of its "
        "metrics are not known; `ncu --query-metrics` lists them (sm__ops_path_tensor_src_*).",
        chip));
  } else if (!any) {
    warnings.push_back(
        format("tensor work not collected: compute capability {} has tensor cores, but the log "
               "lacks their counters; add {}, or collect all: {}",
               chip, join(missing, ","), ncu_command(capability)));
  } else if (!missing.empty()) {
    warnings.push_back(format(
        "tensor work with inputs of {} was not collected: where the program uses them, add {}.",
        join(types, ", "), join(missing, ",")));
  }
}

void moves_warning(const KernelTable& kernels, std::vector<std::string>& warnings) {
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
  warnings.push_back(format("Ignored: {} FLOP of FP16 FMAs in {}. They only move constants.",
                            with_thousands(static_cast<std::int64_t>(flops)),
                            plural(launches, "kernel")));
}

void dram_warning(const KernelTable& kernels, const LogFacts& facts,
                  std::vector<std::string>& warnings) {
  if (!kernels.has(KernelFigure::dram_read_bytes) && !kernels.has(KernelFigure::dram_write_bytes) &&
      !kernels.has(KernelFigure::dram_bytes)) {
    return;
  }
  warnings.push_back(format(
      "DRAM traffic is higher than in a normal run: ncu flushes caches before each kernel. Use "
      "--cache-control none.{}",
      facts.clocks_unmodified ? ""
                              : " It also holds the clocks at their base; --clock-control none "
                                "prevents that."));
}

void derived_warnings(const LogFacts& facts, std::vector<std::string>& warnings) {
  if (facts.derived_per_second > 0) {
    warnings.push_back(
        format("Counters of {} are derived: a rate per second times the kernel's time.",
               plural(facts.derived_per_second, "kernel")));
  }
  if (facts.derived_per_cycle > 0) {
    warnings.push_back(
        format("Counters of {} are derived: a rate a cycle times the elapsed cycles.",
               plural(facts.derived_per_cycle, "kernel")));
  }
}

void number_warnings(const NumberReader& numbers, std::vector<std::string>& warnings) {
  if (numbers.notation() == Notation::european) {
    warnings.emplace_back("Numbers are read as 1.234,5: most of the log's numbers have that form.");
  }
  if (numbers.mixed()) {
    warnings.emplace_back("Numbers are written in two ways, 1,234.5 and 1.234,5.");
  }
  if (numbers.undecided() && numbers.ambiguous() > 0) {
    warnings.push_back(
        format("{} such as '{}' could be read in two ways; the comma is read as "
               "the separator of groups, the point as the decimal point.",
               plural(numbers.ambiguous(), "number"), numbers.first_ambiguous()));
  }
}

}  // namespace

std::vector<std::string> warnings_of(const KernelTable& kernels, const LogFacts& facts,
                                     const NumberReader& numbers) {
  std::vector<std::string> warnings;
  tensor_warning(facts, warnings);
  moves_warning(kernels, warnings);
  dram_warning(kernels, facts, warnings);
  derived_warnings(facts, warnings);
  number_warnings(numbers, warnings);
  if (facts.devices.size() > 1) {
    warnings.push_back(format("The log has launches on {} devices; cuda:{} stands for all.",
                              facts.devices.size(), facts.devices.front()));
  }
  if (!facts.unknown_unit.empty()) {
    warnings.push_back(
        format("Values with unknown units were not used, the first is {}.", facts.unknown_unit));
  }
  if (facts.errors > 0) {
    warnings.push_back(
        format("ncu reported {}, the first: {}", plural(facts.errors, "error"), facts.first_error));
  }
  return warnings;
}

}  // namespace rooflab::import::ncu
