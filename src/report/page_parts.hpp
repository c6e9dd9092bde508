#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "page/joined_row.hpp"
#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/page/document.hpp"

/// Common parts of pages.
namespace rooflab::report {

/// Heading of the section with a row per result: its figures, its command line, its warnings.
inline constexpr std::string_view results_heading = "Results";
inline constexpr std::string_view warnings_heading = "Warnings";
inline constexpr std::string_view commands_heading = "Command lines";

/// Title of a case: `resnet18 on H200 SXM 141GB, batch 64`.
[[nodiscard]] std::string case_title(const analyze::CaseResult& result);

/// Name of a record's device, else the framework's name for it: `NVIDIA H200`, `cuda:0`.
[[nodiscard]] std::string device_of(const record::Record& record);

/// Section with a roofline per device that has roofs, with limits, measured layers below their
/// limits, and kernels with counters.
[[nodiscard]] page::PageSection roofline_section(std::span<const analyze::CaseResult> predictions,
                                                 std::span<const analyze::MeasuredCase> measured,
                                                 std::span<const analyze::ImportedCase> imported);

/// Section with the device's time by kind of op, for every case with a calibrated prediction;
/// `open`: text has its tables too.
[[nodiscard]] page::PageSection prediction_section(std::span<const analyze::CaseResult> cases,
                                                   bool open = false);

/// Section with the shares of classes of ops in the layers' time, predicted above measured.
[[nodiscard]] page::PageSection class_section(std::span<const analyze::MeasuredCase> cases);

/// Section with steps in order, each over its case's median, to show drift, outliers and periods.
[[nodiscard]] page::PageSection step_section(std::span<const analyze::MeasuredCase> cases);

/// Section with the monitor's samples of the first few cases, as details with the two main curves
/// in their line; the records have all samples.
[[nodiscard]] page::PageSection sample_section(std::span<const analyze::MeasuredCase> cases);

/// Adds details of a case: layers, if they were measured, and environment.
void add_details(page::PageSection& section, const analyze::MeasuredCase& measured,
                 bool layers_in_text = false);

/// Reasons why a measurement is suspect, one sentence each.
[[nodiscard]] page::Remarks suspects_of(const analyze::MeasuredCase& measured);

/// Sentences that compare the layers' sum with the whole step; empty without layer times.
[[nodiscard]] page::Remarks layer_sum_notes(const analyze::MeasuredCase& measured);

/// Table with a row per stage of a partition, whose fields are those of analyze::PartitionStage.
[[nodiscard]] page::Table stage_table(const std::vector<page::JoinedRow>& stages);

/// Arranges the charts of a section side by side, with equal axes; common sentences appear once
/// below all charts.
void set_side_by_side(page::PageSection& section);

}  // namespace rooflab::report
