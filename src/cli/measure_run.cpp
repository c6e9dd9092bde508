#include "measure_run.hpp"

#include "interrupt.hpp"
#include "list_progress.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/report/measure_view.hpp"

namespace rooflab::cli {
namespace {

using record::Record;

/// What the worker cannot know, or could not say when it died.
void complete(Record& record, const PlannedCase& planned, const std::string& command) {
  record.identity = planned.request.identity;
  record::Environment& environment = record.environment;
  if (!command.empty()) environment.command = command;
  if (environment.rooflab.empty()) environment.rooflab = ROOFLAB_VERSION;
  if (environment.device.kind.empty()) {
    environment.device.kind = planned.request.identity.device == "cpu" ? "cpu" : "cuda";
  }
}

}  // namespace

std::vector<Record> run_cases(const std::vector<PlannedCase>& cases,
                              const MeasureRunOptions& options, const Console& console) {
  std::vector<Record> records;
  ListProgress progress("case", cases.size(), console);
  engine::RunOptions run;
  run.worker = options.worker;
  run.timeout_s = options.timeout_s;
  run.should_stop = [] { return InterruptGuard::interrupted(); };
  run.on_progress = [&progress](const engine::Progress& now) {
    progress.show(format("{} {:.0f} %", now.stage, now.done * 100.0), now.left_s);
  };
  for (std::size_t i = 0; i < cases.size() && !InterruptGuard::interrupted(); ++i) {
    const PlannedCase& planned = cases[i];
    if (options.resume && options.folder != nullptr) {
      if (const Record* known = options.folder->finished(planned.request.identity)) {
        records.push_back(*known);
        continue;
      }
    }
    progress.begin(i, report::title_of(planned.request.identity));
    Record record = engine::run_case(planned.request, run);
    complete(record, planned, options.command);
    const bool timed = record.timing && !record.timing->steps_s.empty();
    progress.end(timed ? si(statistics_of(record.timing->steps_s).median, "s")
                       : std::string(name_of(record.status)));
    // Half a case is no result: the folder keeps what was there.
    if (options.folder != nullptr && record.status != record::Status::interrupted) {
      options.folder->write(record);
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace rooflab::cli
