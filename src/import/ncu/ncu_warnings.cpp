#include "ncu_warnings.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "base/format.hpp"
#include "import/tensor_work.hpp"
#include "notes/import_notes.hpp"
#include "rooflab/record/kernel_sums.hpp"

namespace rooflab::import::ncu {
namespace {

using record::KernelFigure;
using record::KernelTable;

/// The missing metric that a name in the log was meant to be; nullopt: none.
std::optional<std::string> expected_name(std::string_view name,
                                         const std::vector<std::string>& missing) {
  constexpr std::size_t most_errors = 3;
  constexpr std::size_t most_missing = 12;
  const std::string_view base = name.substr(0, name.find('.'));  // `.._op_fadd_p.sum`
  const auto whole = std::ranges::find_if(missing, [&](const std::string& each) {
    return base.size() + most_missing >= each.size() && each.starts_with(base);
  });
  if (whole != missing.end()) return *whole;
  const std::optional<std::string> near = nearest(name, missing);
  return near && edit_distance(name, *near) <= most_errors ? near : std::nullopt;
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
  warnings.push_back({says.moves_ignored, {static_cast<std::int64_t>(flops), launches}});
}

/// Names in the log that stand where an expected one is missing.
void metric_warnings(const LogFacts& facts, std::vector<Note>& warnings) {
  const std::vector<std::string> expected = record::expected_metrics();
  std::vector<std::string> missing;
  for (const std::string& name : expected) {
    const auto metric = record::counter_metric(name);
    if (!facts.collected.test(static_cast<std::size_t>(metric->figure))) missing.push_back(name);
  }
  std::set<std::string> told;
  for (const std::string& name : facts.unused_metrics) {
    const std::optional<std::string> near = expected_name(name, missing);
    if (near && told.insert(*near).second) warnings.push_back({says.metric_unknown, {*near, name}});
  }
}

/// Instructions of a type whose FLOPs were not collected.
void instruction_warnings(const KernelTable& kernels, std::vector<Note>& warnings) {
  struct Type {
    KernelFigure instructions;
    KernelFigure work;
    std::string_view name;
    double most_flops;
    std::string_view letter;  ///< before its instructions: dadd, fadd, hadd
  };
  constexpr Type types[] = {
      {KernelFigure::fp64_instructions, KernelFigure::fp64_flops, "fp64", 2.0, "d"},
      {KernelFigure::fp32_instructions, KernelFigure::fp32_flops, "fp32", 2.0, "f"},
      {KernelFigure::fp16_instructions, KernelFigure::fp16_flops, "fp16", 4.0, "h"}};
  const record::KernelSums sums = record::sums_of(kernels, true);
  for (const Type& type : types) {
    const std::optional<double> count = sums.known(type.instructions);
    if (!count || *count == 0.0 || sums.has_all(type.work)) continue;
    warnings.push_back(
        {says.instructions_only,
         {static_cast<std::int64_t>(*count), type.name, type.most_flops * *count,
          format("smsp__sass_thread_inst_executed_op_{{{0}add,{0}mul,{0}fma}}_pred_on.sum",
                 type.letter)}});
  }
}

void dram_warning(const KernelTable& kernels, const LogFacts& facts, std::vector<Note>& warnings) {
  if (!kernels.has(KernelFigure::dram_read_bytes) && !kernels.has(KernelFigure::dram_write_bytes) &&
      !kernels.has(KernelFigure::dram_bytes)) {
    return;
  }
  warnings.push_back({says.caches_flushed});
  if (!facts.clocks_unmodified) warnings.push_back({says.clocks_at_base});
}

void derived_warnings(const LogFacts& facts, std::vector<Note>& warnings) {
  if (facts.derived_per_second > 0) {
    warnings.push_back({says.derived_by_time, {facts.derived_per_second}});
  }
  if (facts.derived_per_cycle > 0) {
    warnings.push_back({says.derived_by_cycles, {facts.derived_per_cycle}});
  }
}

void number_warnings(const NumberReader& numbers, std::vector<Note>& warnings) {
  if (numbers.notation() == Notation::european) {
    warnings.push_back({says.numbers_european});
  }
  if (numbers.mixed()) {
    warnings.push_back({says.numbers_mixed});
  }
  if (numbers.undecided() && numbers.ambiguous() > 0) {
    warnings.push_back({says.numbers_ambiguous, {numbers.ambiguous(), numbers.first_ambiguous()}});
  }
}

}  // namespace

std::vector<Note> warnings_of(const KernelTable& kernels, const LogFacts& facts,
                              const NumberReader& numbers) {
  std::vector<Note> warnings;
  if (std::optional<Note> note = tensor_note(facts.capability, facts.tensor_collected)) {
    warnings.push_back(*std::move(note));
  }
  metric_warnings(facts, warnings);
  instruction_warnings(kernels, warnings);
  moves_warning(kernels, warnings);
  dram_warning(kernels, facts, warnings);
  derived_warnings(facts, warnings);
  number_warnings(numbers, warnings);
  if (facts.devices.size() > 1) {
    warnings.push_back({says.several_devices, {facts.devices.size(), facts.devices.front()}});
  }
  if (!facts.unknown_unit.empty()) {
    warnings.push_back({says.units_unknown, {facts.unknown_unit}});
  }
  if (facts.errors > 0) {
    warnings.push_back({says.ncu_errors, {facts.errors, facts.first_error}});
  }
  return warnings;
}

}  // namespace rooflab::import::ncu
