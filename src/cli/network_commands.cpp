#include <limits>
#include <span>
#include <utility>

#include "analyze/timeline_record.hpp"
#include "base/format.hpp"
#include "finding_choice.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/report/views.hpp"
#include "rooflab/task/evaluate.hpp"
#include "rooflab/task/fit.hpp"
#include "rooflab/task/measure.hpp"
#include "rooflab/task/partition.hpp"
#include "rooflab/task/predict.hpp"
#include "rooflab/task/report.hpp"
#include "rooflab/task/scale.hpp"
#include "rooflab/task/train.hpp"
#include "task_row.hpp"

// Commands that count, predict, run and train networks.
namespace rooflab::cli {
namespace {

struct SummaryFlags {
  bool torchsummary = false;
  bool torchinfo = false;
  bool strict = false;
};
const Parameters& parameters_of(For<SummaryFlags>) {
  static const Parameters all =
      aside({parameter<&SummaryFlags::torchsummary>("add the four figures of torchsummary, in MiB"),
             parameter<&SummaryFlags::torchinfo>("add the four figures of torchinfo, in MB"),
             parameter<&SummaryFlags::strict>("exit 1 when an op was not counted")});
  return all;
}

struct PredictFlags {
  bool layers = false;
  bool explain = false;
  bool strict = false;
  FindingChoice findings;
};
const Parameters& parameters_of(For<PredictFlags>) {
  static const Parameters all =
      aside({parameter<&PredictFlags::layers>("add a layer table for every case"),
             parameter<&PredictFlags::explain>(
                 "what the predicted time is made of, a table for every case"),
             parameter<&PredictFlags::strict>(
                 "exit 1 when an op was not counted, or a device lacks a figure"),
             part<&PredictFlags::findings>()});
  return all;
}

struct StrictWithFindings {
  Strict strictness;
  FindingChoice findings;
};

/// The most cases whose timelines a page shows.
constexpr std::size_t page_timelines = 6;

/// The failure of a result without the timeline that `-o` names.
std::optional<Error> without_timeline(const OutputChoice& output, const page::Document& document,
                                      const std::string& why, const std::string& hint) {
  if (document.write_timeline || !output.writes(page::Format::timeline)) return std::nullopt;
  return Error(ErrorKind::input, format("-o: no timeline was written: {}", why), hint);
}

template <class Request>
bool always(const Request& /*request*/) {
  return true;
}
template <class Request>
bool if_measured(const Request& request) {
  return request.measure;
}

}  // namespace

CommandSpec summary_command() {
  return TaskRow<task::SummaryRequest, SummaryFlags>{
      .summary = "count a network: layers, MACs, FLOPs, bytes",
      .own = parameters_of(For<SummaryFlags>{}),
      .show = [](const auto& line, auto& result, Terminal& /*terminal*/) -> Shown {
        return {report::summary_report(result, {.torchsummary = line.own.torchsummary,
                                                .torchinfo = line.own.torchinfo}),
                line.own.strict && !result.totals.count.uncounted.empty()};
      }}
      .command();
}

CommandSpec predict_command() {
  return TaskRow<task::PredictRequest, PredictFlags>{
      .summary = "predict time, memory and the roofline limit on any device, present or not",
      .own = parameters_of(For<PredictFlags>{}),
      .timelines = true,
      .prepare =
          [](auto& line) {
            if (line.output.writes(page::Format::html)) line.request.timelines = page_timelines;
            if (line.output.writes(page::Format::timeline)) {
              line.request.timelines = std::numeric_limits<std::size_t>::max();
            }
          },
      .check =
          [](const auto& line) {
            const bool timeline = line.output.writes(page::Format::timeline);
            if (!line.request.gpus.empty() && timeline) {
              throw Error(ErrorKind::usage, "-o: a timeline is of one device",
                          format("leave {} out", flag_of<&task::PredictRequest::gpus>()));
            }
            if (line.request.gpus.empty() || !(line.own.layers || line.own.explain)) return;
            throw Error(ErrorKind::usage,
                        format("{} and {} are of one device", flag_of<&PredictFlags::layers>(),
                               flag_of<&PredictFlags::explain>()),
                        format("leave {} out", flag_of<&task::PredictRequest::gpus>()));
          },
      .show = [](const auto& line, auto& result, Terminal& terminal) -> Shown {
        const std::string& command = terminal.command_line();
        if (!result.scaled.series.empty()) {
          return {line.own.findings.with(report::scaling_view(
              result.scaled, task::PredictRequest::command, command, result.findings))};
        }
        page::Document document = line.own.findings.with(
            report::predict_view(result.cases, {.layers = line.own.layers,
                                                .explain = line.own.explain,
                                                .command = command,
                                                .findings = result.findings}));
        document.write_timeline = analyze::timelines_of(std::span(std::as_const(result.cases)));
        std::optional<Error> failure =
            without_timeline(line.output, document, "no case has a calibrated prediction",
                             format("{} calibrated says what is missing",
                                    flag_of<&task::PredictionBasis::time_model>()));
        return {std::move(document), line.own.strict && !task::is_complete(result.cases),
                std::move(failure)};
      }}
      .command();
}

CommandSpec measure_command() {
  return TaskRow<task::MeasureRequest, StrictWithFindings>{
      .summary = "run networks here: time, memory and energy, with limit and prediction",
      .own = {part<&StrictWithFindings::strictness>(
                  strict_flag("exit 1 also for a suspect result or an op that was not counted")),
              part<&StrictWithFindings::findings>()},
      .keeps = "records",
      .timelines = true,
      .check =
          [](const auto& line) {
            if (!line.request.no_layers || !line.output.writes(page::Format::timeline)) return;
            throw Error(ErrorKind::usage, "-o: a measured timeline is made of the layers' times",
                        format("leave {} out", flag_of<&task::MeasureRequest::no_layers>()));
          },
      .stops = always,
      .show = [](const auto& line, auto& result, Terminal& terminal) -> Shown {
        page::Document document = line.own.findings.with(report::measure_view(
            result.cases, terminal.command_line(), line.request.per_layer, result.findings));
        document.write_timeline = analyze::timelines_of(std::span(std::as_const(result.cases)));
        std::optional<Error> failure = without_timeline(
            line.output, document, "no case has times of layers", "the table says why");
        return {std::move(document),
                !result.all_ok() || (line.own.strictness.strict && result.doubtful()),
                std::move(failure)};
      }}
      .command();
}

CommandSpec train_command() {
  return TaskRow<task::TrainRequest, FindingChoice>{
      .summary = "train to an accuracy, several times, with statistics",
      .own = parameters_of(For<FindingChoice>{}),
      .keeps = "runs",
      .stops = always,
      .show = [](const auto& line, auto& result, Terminal& terminal) -> Shown {
        return {line.own.with(line.request.try_advice
                                  ? report::trial_view(result.trials, terminal.command_line())
                                  : report::training_view(result.summary, terminal.command_line(),
                                                          result.findings)),
                !result.all_well};
      }}
      .command();
}

CommandSpec evaluate_command() {
  return TaskRow<task::EvaluateRequest>{
      .summary =
          "count what trained models get right on other labelled images, and what they confuse",
      .stops = always,
      .show = [](const auto& /*line*/, auto& result, Terminal& terminal) -> Shown {
        if (result.interrupted) return {};
        return {report::evaluation_view(result.summary, terminal.command_line())};
      }}
      .command();
}

CommandSpec scale_command() {
  return TaskRow<task::ScaleRequest, StrictWithFindings>{
      .summary = "train networks on several devices at once: speed-up, communication, prediction",
      .own = {part<&StrictWithFindings::strictness>(
                  strict_flag("exit 1 also for a run with warnings")),
              part<&StrictWithFindings::findings>()},
      .keeps = "runs",
      .stops = always,
      .show = [](const auto& line, auto& result, Terminal& terminal) -> Shown {
        const bool fails = !result.all_ok() || (line.own.strictness.strict && result.doubtful());
        if (result.reports) {
          return {line.own.findings.with(
                      report::scaling_view(result.scaling, task::ScaleRequest::command,
                                           terminal.command_line(), result.findings)),
                  fails};
        }
        for (const record::ScaleRun& failed : result.runs) {
          terminal.console.error(format("{}: {}", failed.identity.model, failed.message), "");
        }
        return {.exit_code = fails};
      }}
      .command();
}

CommandSpec fit_command() {
  return TaskRow<task::FitRequest>{
      .summary = "find the largest batch, or chain of layers, that fits a device",
      .keeps = "tries",
      .stops = if_measured,
      .show = [](const auto& /*line*/, auto& outcome, Terminal& /*terminal*/) -> Shown {
        return {report::fit_view(outcome.result), outcome.nothing_fits()};
      }}
      .command();
}

CommandSpec partition_command() {
  return TaskRow<task::PartitionRequest>{
      .summary = "cut a network into stages over several devices, and run them",
      .stops = if_measured,
      .show = [](const auto& /*line*/, auto& result, Terminal& /*terminal*/) -> Shown {
        const bool failed = result.run && result.run->status != record::Status::ok;
        return {report::partition_view(result), failed || result.plan() == nullptr};
      }}
      .command();
}

}  // namespace rooflab::cli
