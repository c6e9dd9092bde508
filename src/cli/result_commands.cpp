#include "finding_choice.hpp"
#include "rooflab/report/views.hpp"
#include "rooflab/task/compare.hpp"
#include "rooflab/task/import.hpp"
#include "rooflab/task/report.hpp"
#include "task_row.hpp"

// Commands that read what others wrote.
namespace rooflab::cli {
namespace {

struct ImportFlags {
  bool strict = false;
  report::ImportView rows;
  FindingChoice findings;
};

struct ReportFlags {
  std::string title;
  std::size_t top = 20;
  FindingChoice findings;
};

}  // namespace

Parameters import_rows() {
  return {
      parameter<&report::ImportView::per>("ROW", "one row of the first table per"),
      parameter<&report::ImportView::top>("N", "rows per table of kernels or operators; 0 for all",
                                          {.example = "20, or 0 for all", .least = 0})};
}

CommandSpec compare_command() {
  return TaskRow<task::CompareRequest, Strict>{
      .summary = "say how much faster one result is than another, and whether it is significant",
      .own = strict_flag("exit 1 when B is significantly slower, or lacks a case of A"),
      .show = [](const auto& line, auto& list, Terminal& /*terminal*/) -> Shown {
        return {report::compare_report(list), line.own.strict && task::is_worse(list)};
      }}
      .command();
}

CommandSpec import_command() {
  return TaskRow<task::ImportRequest, ImportFlags>{
      .summary = "read what Nsight Compute, Nsight Systems, nvprof or PyTorch recorded",
      .own =
          {parameter<&ImportFlags::strict>(
               "exit 1 when data were lost or the recording cannot be of the network of --check"),
           part<&ImportFlags::rows>(
               {import_rows(),
                parameter<&report::ImportView::plugin>(
                    "for traces, also show what PyTorch's retired TensorBoard plugin computed")}),
           part<&ImportFlags::findings>()},
      .show = [](const auto& line, auto& result, Terminal& terminal) -> Shown {
        if (!result.ncu_command.empty()) {
          terminal.console.print(result.ncu_command + "\n");
          return {};
        }
        report::ImportView rows = line.own.rows;
        rows.charts = line.output.writes(page::Format::html);
        rows.models = !line.request.model.empty();
        return {line.own.findings.with(report::import_document(
                    result.recorded.imported, result.recorded.job, rows, result.findings)),
                line.own.strict && !result.complete()};
      }}
      .command();
}

CommandSpec report_command() {
  return TaskRow<task::ReportRequest, ReportFlags>{
      .summary = "combine results on one page",
      .own = {parameter<&ReportFlags::title>("TEXT", "title of the page"),
              parameter<&ReportFlags::top>("N", "rows per table in text and Markdown; 0 for all",
                                           {.example = "20, or 0 for all", .least = 0}),
              part<&ReportFlags::findings>()},
      .show = [](const auto& line, auto& result, Terminal& terminal) -> Shown {
        page::Document document = report::report_view(result.results, terminal.command_line(),
                                                      line.own.top, result.findings);
        if (!line.own.title.empty()) document.title = line.own.title;
        return {line.own.findings.with(std::move(document))};
      }}
      .command();
}

}  // namespace rooflab::cli
