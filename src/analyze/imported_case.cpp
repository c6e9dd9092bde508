#include "rooflab/analyze/imported_case.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "above_roofs.hpp"
#include "base/format.hpp"
#include "describe/field_table.hpp"
#include "notes/analyze_notes.hpp"
#include "record/counter_metric.hpp"
#include "record/record_json.hpp"
#include "rooflab/analyze/counted_layers.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;

/// Peaks of the counting are a clock's, of instructions for CUDA cores (with FLOPs as in
/// kernel_work.hpp) and of operations for tensor cores.
std::vector<ChipPeak> peaks_of(const record::Counting& counting, double clock_hz) {
  struct Instruction {
    std::string_view metric;
    std::string_view type;
    double flops;
  };
  constexpr Instruction instructions[] = {
      {"op_dfma", "fp64", 2.0}, {"op_ffma", "fp32", 2.0}, {"op_hfma", "fp16", 4.0}};
  std::vector<ChipPeak> peaks;
  for (const Instruction& instruction : instructions) {
    for (const auto& [metric, peak] : counting.peaks) {
      if (metric.find(instruction.metric) == std::string::npos) continue;
      peaks.push_back({std::string(instruction.type), instruction.flops * peak * clock_hz});
    }
  }
  for (const auto& [metric, peak] : counting.peaks) {
    if (const auto figure = record::tensor_figure_of(metric)) {
      peaks.push_back(
          {format("tensor {}", facts_of(*figure).word.figure().title), peak * clock_hz});
    }
  }
  return peaks;
}

/// Facts that nobody told are those that the recording shows.
void tell(record::CaseIdentity& identity, const RecordedCase& shown) {
  const auto set = [](auto& fact, const auto& value) {
    if (value && !fact.known()) fact = *value;
  };
  set(identity.phase, shown.phase);
  set(identity.batch, shown.batch);
  set(identity.precision, shown.precision);
  if (shown.optimizer) identity.optimizer = name_of(*shown.optimizer);
}

/// What the analysis doubts; a record that was read again may say so already.
void add_doubts(ImportedCase& imported) {
  std::vector<Note>& warnings = imported.record.warnings;
  const auto add = [&](Note note) {
    if (std::ranges::find(warnings, note.code, &Note::code) == warnings.end()) {
      warnings.push_back(std::move(note));
    }
  };
  if (imported.trace) {
    const trace::StepWindows& steps = imported.trace->ours.steps;
    if (steps.nested > 0) add({says.steps_nested, {steps.nested}});
    if (steps.overlapping > 0) add({says.steps_overlapping, {steps.overlapping}});
    if (steps.of_other_threads > 0) add({says.steps_of_other_threads, {steps.of_other_threads}});
  }
  std::erase_if(warnings, [](const Note& note) { return note.code == says.above_roof; });
  if (auto note = above_roof_note(imported)) warnings.push_back(std::move(*note));
}

}  // namespace

record::KernelSums ImportedCase::shown_totals() const {
  record::KernelSums shown = totals;
  const bool counted = shown.at(KernelFigure::dram_bytes) || shown.at(KernelFigure::tensor_flops) ||
                       shown.at(KernelFigure::fp32_flops);
  if (step && !counted) shown.stand_in(*step);
  return shown;
}

bool ImportedCase::has_flops() const {
  return totals.at(KernelFigure::fp32_flops) || totals.at(KernelFigure::tensor_flops) ||
         totals.at(KernelFigure::collected_flops) > 0.0;
}

std::optional<RoofPlace> ImportedCase::roof_place() const {
  return roof_place_of(shown_totals(), device);
}

ImportedCase imported_case_of(record::Record record, std::string source,
                              const device::Catalog& catalog,
                              const std::optional<device::Device>& roofs) {
  ImportedCase imported;
  imported.source = imported.file = std::move(source);
  imported.title = std::filesystem::path(imported.source).filename().string();
  imported.record = std::move(record);
  imported.device =
      roofs ? roofs
            : find_device(catalog, imported.record.environment.device, imported.device_note);
  const bool tensor_cores = record::may_have_tensor_work(imported.record);
  // Tensor types without any work in the whole step are not asked of every kernel: theirs is zero.
  if (imported.record.kernels && imported.record.counting) {
    imported.record.kernels = with_known_zeros(*imported.record.kernels, *imported.record.counting);
  }
  if (const auto& kernels = imported.record.kernels) {
    imported.totals = record::sums_of(*kernels, tensor_cores);
    imported.kernels = kernel_groups(*kernels, tensor_cores);
    for (KernelGroup& group : imported.kernels) {
      group.roof_place = roof_place_of(group.sums, imported.device);
    }
  }
  if (const auto& counting = imported.record.counting) {
    imported.step_s = median_of(counting->steps_s);
    if (counting->step && !counting->step->empty()) {
      imported.step = record::sums_of(*counting->step, tensor_cores);
      if (const auto clock_hz = imported.step->at(KernelFigure::sm_clock_hz)) {
        imported.peaks = peaks_of(*counting, *clock_hz);
      }
    }
  }
  if (const auto& groups = imported.record.counted_groups) {
    imported.grouped = record::sums_of(*groups, tensor_cores);
  }
  if (const auto& samples = imported.record.hardware_samples) {
    SampledWindow& sampled = imported.sampled.emplace();
    sampled.totals = record::totals_of(*samples);
    if (imported.device && imported.device->bandwidth && sampled.totals.bytes_per_s) {
      sampled.bandwidth_share = *sampled.totals.bytes_per_s / imported.device->bandwidth->value;
    }
  }
  if (imported.record.trace) imported.trace = trace::analyze_trace(imported.record);
  imported.collectives = trace::collective_rows(imported.record.messages);
  if (imported.record.modelled) {
    imported.modelled = modelled_ops_of(*imported.record.modelled, imported.device);
  } else if (imported.trace) {
    imported.modelled = modelled_ops_of(*imported.trace, imported.device);
  }
  imported.shown = recorded_case_of(imported.record, imported.trace ? &*imported.trace : nullptr);
  tell(imported.record.identity, imported.shown);
  add_doubts(imported);
  return imported;
}

namespace {

std::vector<std::string> not_collected(const ImportedCase& imported) {
  return imported.totals.not_collected();
}

}  // namespace

std::span<const Field> fields_of(For<WorkCheck>) {
  static constexpr Field fields[] = {field<&WorkCheck::network>("checked_network"),
                                     field<&WorkCheck::model_flops>("model_flop"),
                                     field<&WorkCheck::model_matrix_flops>("model_matrix_flop"),
                                     field<&WorkCheck::model_vector_flops>("model_vector_flop"),
                                     field<&WorkCheck::collected_flops>("collected_flop"),
                                     field<&WorkCheck::cuda_core_flops>("cuda_core_flop"),
                                     field<&WorkCheck::tensor_flops>("tensor_flop"),
                                     field<&WorkCheck::missing_share>("missing_share"),
                                     field<&WorkCheck::passes>("passes_check")};
  return fields;
}

std::span<const Field> fields_of(For<KernelGroup>) {
  static constexpr auto fields =
      field_table(field<&KernelGroup::name>(), part<&KernelGroup::sums>(),
                  members<&KernelGroup::time_share, &KernelGroup::mean_s>,
                  field<&KernelGroup::roof_place>().sparse(),
                  field<Within{&KernelGroup::sums, &record::KernelSums::shortest_s}>("shortest_s"),
                  field<Within{&KernelGroup::sums, &record::KernelSums::longest_s}>("longest_s"));
  return fields;
}

namespace {

/// What was checked: the work of counters, or the times of a trace.
Json check_of(const ImportedCase& imported) {
  return imported.time_check ? to_json(*imported.time_check) : codec::encode(imported.check);
}

}  // namespace

std::span<const Field> fields_of(For<SampledWindow>) {
  static constexpr auto fields =
      field_table(part<&SampledWindow::totals>(), field<&SampledWindow::bandwidth_share>());
  return fields;
}

std::span<const Field> fields_of(For<ImportedCase>) {
  static constexpr auto fields =
      field_table(members<&ImportedCase::source, &ImportedCase::totals>,
                  field<&ImportedCase::roof_place>().sparse(),
                  field<&ImportedCase::sampled>("sampled_window").sparse(),
                  field<&ImportedCase::modelled>("modelled_ops").sparse(),
                  field<&ImportedCase::collectives>().sparse(),
                  field<&ImportedCase::grouped>("counted_launches_sums").sparse(),
                  field<&not_collected>("not_collected"), field<&check_of>("check"));
  return fields;
}

void check_network(ImportedCase& imported, const CheckedNetwork& network) {
  if (imported.has_flops()) {
    imported.check =
        check_work(imported.totals, predict::limit_of(network.schedule, device::Device{}));
    imported.check->network = network.title;
    return;
  }
  const double step_s = imported.trace->ours.breakdown.mean.total_ns * 1e-9;
  imported.time_check = check_trace(imported.trace->work, step_s, network.schedule.graph,
                                    predict_case(network.schedule, *network.device));
  imported.time_check->network = format("{} on {}", network.title, network.device->id);
  imported.time_check->assumes = network.assumes;
}

WorkCheck check_work(const record::KernelSums& totals, const predict::NetworkLimit& model) {
  WorkCheck check;
  check.model_matrix_flops = model.matrix_flops.as_double();
  check.model_vector_flops = model.vector_flops.as_double();
  check.model_flops = model.flops().as_double();
  if (check.model_flops <= 0.0) {
    throw Error(ErrorKind::input, "the network has no FLOPs to check against");
  }
  check.tensor_flops = totals.at(record::KernelFigure::tensor_flops);
  check.collected_flops = totals.at(record::KernelFigure::collected_flops).value_or(0.0);
  check.cuda_core_flops = totals.at(record::KernelFigure::cuda_core_flops).value_or(0.0);
  check.missing_share = 1.0 - check.collected_flops / check.model_flops;
  return check;
}

}  // namespace rooflab::analyze
