#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/comparison.hpp"
#include "rooflab/analyze/fit_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/analyze/network_count.hpp"
#include "rooflab/analyze/partition_result.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "rooflab/analyze/scaling.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/chart/chart.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/report/document.hpp"
#include "rooflab/trace/trace_analysis.hpp"
#include "rooflab/training/training_advice.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::report {

/// Pairs of results with speed-up, interval and verdict; what found no partner is named below.
/// Its JSON is described in docs/formats/measure.md.
[[nodiscard]] Document compare_report(const analyze::ComparisonList& list);

/// All devices, a line each, with their main figures.
[[nodiscard]] Document device_list_report(std::span<const device::Device> devices);

/// Every figure of one device with unit and source, and the ridge points that follow.
[[nodiscard]] Document device_report(const device::Device& device);

/// All links, a line each: bandwidth of one direction, latency of a message; sources in CSV and
/// JSON.
[[nodiscard]] Document link_list_report(std::span<const device::Link> links);

/// The predicted boundary beside the found one, the parts of the memory there, the tries.
[[nodiscard]] Document fit_view(const analyze::FitResult& result);

/// A row of the first table of an import, which is its CSV: one per file, kernel or launch.
enum class ImportRow { file, kernel, launch };
constexpr auto names_in_order(For<ImportRow>) {
  return names_through<ImportRow::launch>("file", "kernel", "launch");
}

struct ImportView {
  ImportRow per = ImportRow::file;
  std::size_t top = 20;  ///< rows of tables of kernels and operators; 0: all
  bool plugin = false;   ///< traces: the figures of PyTorch's former TensorBoard plugin, too
  bool charts = false;   ///< for a page: steps over time, rooflines
  bool models = false;   ///< a column of the models, which the user named
};

/// Totals of every file, kernels by name, and for traces the panes of docs/methods/traces.md. The
/// JSON of one file is a record (docs/formats/record.md) with the keys of docs/formats/import.md in
/// front; of several files, a list of these. It is written piece by piece and refers to `cases`.
/// `job` is set where the files are the traces of a job's ranks.
[[nodiscard]] Document import_view(std::span<const analyze::ImportedCase> cases,
                                   const std::optional<trace::TraceJob>& job = std::nullopt,
                                   const ImportView& view = {});

/// A row for every kernel name: launches, time, DRAM bytes, FLOPs, intensity, rates, occupancy.
[[nodiscard]] Table kernel_table(const analyze::ImportedCase& imported, std::size_t top);

/// The totals of one file per row.
[[nodiscard]] Table import_totals_table(std::span<const analyze::ImportedCase> cases,
                                        bool models = false);

/// What is missing or odd: the check, what was not collected, warnings, losses, a sentence each.
[[nodiscard]] Remarks import_warnings(const analyze::ImportedCase& imported);

/// All that a reader of the figures must know: how counters were collected, and import_warnings().
[[nodiscard]] Remarks import_notes(const analyze::ImportedCase& imported);

/// The command lines that collect what is missing.
[[nodiscard]] std::vector<CommandBlock> import_commands(const analyze::ImportedCase& imported);

/// Measured beside limit and memory beside prediction, a row per case; where the time went by op
/// class; counters. The page adds the answer, rooflines with predicted and measured points, steps,
/// and what the monitor saw. Layers are in the page behind a line, and in text where
/// `layers_in_text` says so. The JSON, one entry per case with its layers, is described in
/// docs/formats/measure.md.
[[nodiscard]] Document measure_view(std::span<const analyze::MeasuredCase> cases,
                                    std::string command, bool layers_in_text = false);

/// The layers of one case: forward, backward, limit, share; the totals are the sum and the whole.
[[nodiscard]] Table measured_layer_table(const analyze::MeasuredCase& measured);

/// What the hardware counted for every layer beside the model: kernels, time, FLOPs by path, DRAM
/// and L2 bytes, intensity, rates, and what gaps are made of (in CSV with the evidence); the totals
/// are the sum over kernels and the whole step. No rows without counters.
[[nodiscard]] Table counted_layer_table(const analyze::MeasuredCase& measured);

// What a monitor recorded, for people. docs/methods/monitoring.md says what the figures mean.

/// A line for every device and process: means, extremes, energy by the counter, what held the
/// clocks down. The page adds the means in sentences, and the charts. Its JSON is the record
/// itself.
[[nodiscard]] Document monitor_view(const record::Record& record, std::string command);

/// Every sample a row, in base units, for CSV; JSON is the record itself.
[[nodiscard]] Document samples_view(const record::Record& record);

/// One chart over time for each group of quantities that the record has: utilisation, power,
/// memory, clocks, temperature of devices, cores and memory of processes; a line for every device,
/// its mean in the legend. Recordings of more samples than a chart has room for keep the extremes.
[[nodiscard]] std::vector<chart::Chart> monitor_charts(const record::Record& record);

/// A section of these charts.
[[nodiscard]] PageSection monitor_section(std::string heading, const record::Record& record,
                                          chart::Size size = {1200, 420});

/// A row a stage, of the `plan.stages` of a partition's JSON.
[[nodiscard]] Table stage_table(const Json& stages);

/// The stages of a partition with their times, transfers and memory, measured figures beside the
/// planned ones, then the step; or the least memory that a partition needs.
[[nodiscard]] Document partition_view(const analyze::PartitionResult& result);

/// What is shown beside the comparison of the cases.
struct PredictView {
  bool layers = false;       ///< a table of layers for every case, in text too
  bool explain = false;      ///< what each predicted time is made of, in text too
  std::string command = {};  ///< the command line that made it
};

/// All cases side by side: limit, prediction, ideal, memory, verdict; on a page also where the
/// predicted time goes, rooflines by device and layers by case. The JSON has every case with its
/// layers (docs/formats/predict.md).
[[nodiscard]] Document predict_view(std::span<const analyze::CaseResult> cases,
                                    const PredictView& view = {});

/// The layers of one case with their limit and, where there is a prediction, the device's time.
[[nodiscard]] Table layer_limit_table(const analyze::CaseResult& result);

/// What a calibrated prediction is made of: kinds of ops with their times and deviations, then the
/// device's and the host's sums and the step. nullopt for a case without one.
[[nodiscard]] std::optional<Table> explain_table(const analyze::CaseResult& result);

// What `rooflab probe` measured, for people. docs/methods/probe.md says how.

/// Figures, matrix products by size, vector addition by kind of memory, links, single ops by kind,
/// host costs by issuer: a table for each that the calibration has; CSV is the figures. The page
/// also has the best figures in a sentence, and charts by size. `command`: the command
/// line that shows it.
[[nodiscard]] Document probe_view(const device::ProbedDevice& probed, std::string command);

/// The times of adding two arrays in that kind of memory (`device` or `managed`), a row for every
/// length; without rows of that memory it has none, or the CPU's.
[[nodiscard]] Table vector_addition_table(const device::Calibration& calibration,
                                          std::string_view memory);

/// The measured times of adding two arrays over their length, both axes logarithmic: a line for
/// each launch on arrays of that kind of memory (`device` or `managed`), copies included, a dashed
/// one for its kernel alone, and the CPU's. Without rows of that memory it has no series.
[[nodiscard]] chart::Chart vector_addition_chart(const device::Calibration& calibration,
                                                 std::string_view memory);

/// Everything about a set of results on one page: the answer, a table of all results, rooflines by
/// device, where the time went, memory, kernels, operators, layers, environments, warnings, and the
/// command line behind each.
///
/// Text, Markdown and JSON have the tables (docs/commands/report.md); text has the first `top` rows of
/// each, 0: all.
[[nodiscard]] Document report_view(const analyze::ResultSet& results, std::string command,
                                   std::size_t top = 0);

// Data-parallel training, measured by `rooflab scale` or predicted by `rooflab predict --gpus`,
// for people. docs/methods/scaling.md says what the columns mean.

/// A table of all numbers of devices (it is the CSV), one of all ranks, findings as notes; on a
/// page also the speed-up beside the ideal line and what a step is made of. Its JSON is described
/// in docs/formats/scale.md; `command` is the one that writes it, `scale`.
[[nodiscard]] Document scaling_view(const analyze::Scaling& scaling, std::string_view command,
                                    std::string command_line);

/// Other programs that count networks, whose figures stand below ours in their units.
struct OtherCounters {
  bool torchsummary = false;
  bool torchinfo = false;
};
/// The layer table of a network with totals. Its JSON is described in docs/formats/summary.md.
[[nodiscard]] Document summary_report(const analyze::NetworkSummary& summary,
                                      const OtherCounters& others = {});

// Training to accuracy and what trained models recognise, for people: docs/methods/training.md
// says what the figures mean, docs/formats/training.md describes the JSON. `command` is the
// command line.

/// The runs, their statistics, where the time went, the devices beside each other, and as notes
/// what would make them faster; on a page also accuracy over epochs and time, the devices over
/// time, every epoch.
[[nodiscard]] Document training_view(const training::TrainingSummary& summary,
                                     std::string command = {});

/// What each piece of advice did to a training, one added after another: rate, utilisation and
/// waiting before and after, and which helped.
[[nodiscard]] Document trial_view(const training::TrialSummary& summary, std::string command = {});

/// Trained models on labelled images that they were not trained on: a row for each model, accuracy
/// by class, and the confused pairs of classes, summed over the models with the same classes.
[[nodiscard]] Document evaluation_view(const training::EvaluationSummary& summary,
                                       std::string command = {});

}  // namespace rooflab::report
