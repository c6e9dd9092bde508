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
#include "rooflab/findings/findings.hpp"
#include "rooflab/page/document.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/trace/trace_analysis.hpp"
#include "rooflab/training/training_advice.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::report {

/// The findings of a task's result, which a view shows.
using Findings = std::span<const findings::Finding>;

/// Pairs of results with speed-up, interval and verdict; results without a partner are listed
/// below. Its JSON is described in docs/formats/measure.md.
[[nodiscard]] page::Document compare_report(const analyze::ComparisonList& list);

/// All devices with their main figures, one line each.
[[nodiscard]] page::Document device_list_report(std::span<const device::Device> devices);

/// All figures of one device with unit and source, and its ridge points.
[[nodiscard]] page::Document device_report(const device::Device& device);

/// All links, one line each: bandwidth in one direction, latency of a message; sources in CSV and
/// JSON.
[[nodiscard]] page::Document link_list_report(std::span<const device::Link> links);

/// The predicted boundary compared with the measured one, the parts of its memory, and the tries.
[[nodiscard]] page::Document fit_view(const analyze::FitResult& result);

/// Kind of the rows in the first table of an import (also its CSV): one per file, kernel or launch.
enum class ImportRow { file, kernel, launch };
constexpr auto names_in_order(For<ImportRow>) {
  return names_through<ImportRow::launch>("file", "kernel", "launch");
}

struct ImportView {
  ImportRow per = ImportRow::file;
  std::size_t top = 20;  ///< rows of tables of kernels and operators; 0: all
  bool plugin = false;   ///< traces: also show figures of PyTorch's retired TensorBoard plugin
  bool charts = false;   ///< for a page: steps over time, rooflines
  bool models = false;   ///< a column with the models that the user named
};

/// Totals of every file, kernels by name, and for traces the panes of docs/methods/traces.md, for
/// people and CSV. `job`: set where the files are the traces of a job's ranks.
[[nodiscard]] page::Document import_view(std::span<const analyze::ImportedCase> cases,
                                         const std::optional<trace::TraceJob>& job = std::nullopt,
                                         const ImportView& view = {}, Findings found = {});

/// import_view() with JSON. That of one file is a record (docs/formats/record.md) with the keys of
/// docs/formats/import.md in front; for several files it is a list of these. It is written in
/// pieces and refers to `cases` and `found`, which must outlive it.
[[nodiscard]] page::Document import_document(
    std::span<const analyze::ImportedCase> cases,
    const std::optional<trace::TraceJob>& job = std::nullopt, const ImportView& view = {},
    const findings::ImportedFindings& found = {});

/// Table with a row for every kernel name: launches, time, DRAM bytes, FLOPs, intensity, rates,
/// occupancy.
[[nodiscard]] page::Table kernel_table(const analyze::ImportedCase& imported, std::size_t top);

/// Table with the totals of one file per row.
[[nodiscard]] page::Table import_totals_table(std::span<const analyze::ImportedCase> cases,
                                              bool models = false);

/// Warnings, one sentence each: the check, figures that were not collected, warnings of the record,
/// losses.
[[nodiscard]] page::Remarks import_warnings(const analyze::ImportedCase& imported);

/// Notes about the figures: the method of counting, and import_warnings().
[[nodiscard]] page::Remarks import_remarks(const analyze::ImportedCase& imported);

/// Command lines that collect missing figures.
[[nodiscard]] std::vector<page::CommandBlock> import_commands(
    const analyze::ImportedCase& imported);

/// Measured times compared with limits and memory with predictions, a row per case; time by op
/// class; counters. The page adds the answer, rooflines with predicted and measured points, steps,
/// and the monitor's samples. Layers are in details of the page, and in text if `layers_in_text` is
/// set. The JSON, one entry per case with its layers, is described in docs/formats/measure.md.
[[nodiscard]] page::Document measure_view(std::span<const analyze::MeasuredCase> cases,
                                          std::string command, bool layers_in_text = false,
                                          Findings found = {});

/// Table of the layers of one case: forward, backward, limit, share; the totals are the layers' sum
/// and the whole step.
[[nodiscard]] page::Table measured_layer_table(const analyze::MeasuredCase& measured);

/// Table of hardware counters of every layer compared with the model: kernels, time, FLOPs by path,
/// DRAM and L2 bytes, intensity, rates, and causes of gaps (in CSV with the evidence); the totals
/// are the sum over kernels and the whole step. No rows without counters.
[[nodiscard]] page::Table counted_layer_table(const analyze::MeasuredCase& measured);

// Recordings of a monitor, for people. docs/methods/monitoring.md explains the figures.

/// A line for every device and process: means, extremes, energy by the counter, throttle reasons.
/// The page adds the means in sentences, and the charts. Its JSON is the record itself.
[[nodiscard]] page::Document monitor_view(const record::Record& record, std::string command);

/// A row for every sample, in base units, for CSV; JSON is the record itself.
[[nodiscard]] page::Document samples_view(const record::Record& record);

/// One chart over time for each group of quantities that the record has: utilisation, power,
/// memory, clocks, temperature of devices, cores and memory of processes; a line for every device,
/// with its mean in the legend. Charts of too many samples keep the extremes.
[[nodiscard]] std::vector<chart::Chart> monitor_charts(const record::Record& record);

/// A section with the monitor_charts() of a record.
[[nodiscard]] page::PageSection monitor_section(std::string heading, const record::Record& record,
                                                chart::Size size = {1200, 420});

/// The stages of a partition with their times, transfers and memory, planned and measured, then the
/// step; or the smallest memory that a partition needs.
[[nodiscard]] page::Document partition_view(const analyze::PartitionResult& result);

/// Parts that are shown in addition to the comparison of the cases.
struct PredictView {
  bool layers = false;       ///< a table of layers for every case, in text too
  bool explain = false;      ///< the parts of each predicted time, in text too
  std::string command = {};  ///< the command line that made it
  Findings findings = {};    ///< the findings of the cases
};

/// Comparison of all cases: limit, prediction, ideal, memory, verdict; on a page also the parts of
/// predicted times, rooflines by device and layers by case. The JSON has every case with its layers
/// (docs/formats/predict.md).
[[nodiscard]] page::Document predict_view(std::span<const analyze::CaseResult> cases,
                                          const PredictView& view = {});

/// Table of the layers of one case with their limit and, if predicted, the device's time.
[[nodiscard]] page::Table layer_limit_table(const analyze::CaseResult& result);

/// Table of the parts of a calibrated prediction: kinds of ops with their times and deviations,
/// then the sums of device and host and the step. nullopt for a case without a calibrated
/// prediction.
[[nodiscard]] std::optional<page::Table> explain_table(const analyze::CaseResult& result);

// Measurements of `rooflab probe`, for people. docs/methods/probe.md explains the method.

/// Figures, matrix products by size, vector addition by kind of memory, links, single ops by kind,
/// host costs by issuer: a table for each that the calibration has; CSV is the figures. The page
/// also has the best figures in a sentence, and charts by size. `command`: the command line that
/// shows this document.
[[nodiscard]] page::Document probe_view(const device::ProbedDevice& probed, std::string command);

/// Times of adding two arrays in a kind of memory (`device` or `managed`), a row for every length;
/// without measurements in that memory it is empty or has only the CPU's times.
[[nodiscard]] page::Table vector_addition_table(const device::Calibration& calibration,
                                                std::string_view memory);

/// Chart of the measured times of adding two arrays over their length, with logarithmic axes. It
/// has a line for each launch on arrays in that kind of memory (`device` or `managed`) including
/// copies, a dashed line for its kernel alone, and a line for the CPU. Without measurements in that
/// memory it has no series.
[[nodiscard]] chart::Chart vector_addition_chart(const device::Calibration& calibration,
                                                 std::string_view memory);

/// Everything about a set of results on one page: the answer, a table of all results, rooflines by
/// device, time by class of ops, memory, kernels, operators, layers, environments, warnings, and
/// the command line behind each.
///
/// Text, Markdown and JSON have the tables (docs/commands/report.md); text has the first `top` rows
/// of each, 0: all.
[[nodiscard]] page::Document report_view(const analyze::ResultSet& results, std::string command,
                                         std::size_t top = 0, Findings found = {});

// Data-parallel training, measured by `rooflab scale` or predicted by `rooflab predict --gpus`, for
// people. docs/methods/scaling.md explains the columns.

/// A table of all numbers of devices (also the CSV), a table of all ranks, findings as notes; on a
/// page also the speed-up compared with the ideal line, and the parts of a step. Its JSON is
/// described in docs/formats/scale.md; `command`: the command that writes it, `scale`.
[[nodiscard]] page::Document scaling_view(const analyze::Scaling& scaling, std::string_view command,
                                          std::string command_line, Findings found = {});

/// Other programs whose counts are shown below ours in their own units.
struct OtherCounters {
  bool torchsummary = false;
  bool torchinfo = false;
};
/// The layer table of a network with totals. Its JSON is described in docs/formats/summary.md.
[[nodiscard]] page::Document summary_report(const analyze::NetworkSummary& summary,
                                            const OtherCounters& others = {});

// Training to accuracy and recognition by trained models, for people: docs/methods/training.md
// explains the figures, docs/formats/training.md describes the JSON. `command` is the command line.

/// The runs, their statistics, the parts of their time, a comparison of devices, and advice for
/// speed as notes; on a page also accuracy over epochs and time, the devices over time, and every
/// epoch.
[[nodiscard]] page::Document training_view(const training::TrainingSummary& summary,
                                           std::string command = {}, Findings found = {});

/// Effect of each piece of advice on a training, added one after another: rate, utilisation and
/// waiting before and after, and which of them helped.
[[nodiscard]] page::Document trial_view(const training::TrialSummary& summary,
                                        std::string command = {});

/// Trained models on labelled images that they were not trained on: a row for each model, accuracy
/// by class, and the confused pairs of classes, summed over the models with the same classes.
[[nodiscard]] page::Document evaluation_view(const training::EvaluationSummary& summary,
                                             std::string command = {});

}  // namespace rooflab::report
