#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/report/document.hpp"

/// Pieces that several pages are made of.
namespace rooflab::report {

/// Sections of a report with a row for each result: its figures, its command line, its warnings.
inline constexpr std::string_view results_heading = "Results";
inline constexpr std::string_view warnings_heading = "Warnings";
inline constexpr std::string_view commands_heading = "Command lines";

/// `resnet18 on H200 SXM 141GB, batch 64`.
[[nodiscard]] std::string case_title(const analyze::CaseResult& result);

/// The device's own name, else the framework's name for it: `NVIDIA H200`, `cuda:0`.
[[nodiscard]] std::string device_of(const record::Record& record);

/// A roofline for each device that has roofs, with everything that belongs to it: limits, measured
/// layers below their own limits, kernels with counters.
[[nodiscard]] PageSection roofline_section(std::span<const analyze::CaseResult> predictions,
                                           std::span<const analyze::MeasuredCase> measured,
                                           std::span<const analyze::ImportedCase> imported);

/// Where the device's time goes by kind of op, for every case with a calibrated prediction; `open`:
/// its tables are in text too.
[[nodiscard]] PageSection prediction_section(std::span<const analyze::CaseResult> cases,
                                             bool open = false);

/// Classes of ops: their shares of the layers' time, predicted above measured.
[[nodiscard]] PageSection class_section(std::span<const analyze::MeasuredCase> cases);

/// Steps in order, each over its case's median: drift, outliers and periods show.
[[nodiscard]] PageSection step_section(std::span<const analyze::MeasuredCase> cases);

/// What the monitor saw, for the first few cases, behind a line with the two main curves: the
/// records have all.
[[nodiscard]] PageSection sample_section(std::span<const analyze::MeasuredCase> cases);

/// Layers, if they were measured, and environment of a case behind lines that open them.
void add_details(PageSection& section, const analyze::MeasuredCase& measured,
                 bool layers_in_text = false);

/// Why a measurement is suspect, a sentence each.
[[nodiscard]] Remarks suspects_of(const analyze::MeasuredCase& measured);

/// The layers' sum set against the whole step in sentences; empty without layer times.
[[nodiscard]] Remarks layer_sum_notes(const analyze::MeasuredCase& measured);

/// Puts the charts of a section beside each other: the same axes, and sentences that several have
/// once, below all.
void set_side_by_side(PageSection& section);

}  // namespace rooflab::report
