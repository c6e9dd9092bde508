#include "measure_run.hpp"

#include <chrono>
#include <cmath>

#include "interrupt.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/report/measure_report.hpp"

namespace rooflab::cli {
namespace {

using record::Record;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// How far the whole list is; what is left of it goes by the cases so far.
class ListProgress {
 public:
  ListProgress(std::size_t cases, const Console& console) : cases_(cases), console_(console) {}

  void begin(std::size_t index, std::string title) {
    index_ = index;
    title_ = std::move(title);
    begin_ = Clock::now();
    console_.show_progress(format("[{}/{}] {}", index_ + 1, cases_, title_));
  }

  void show(const engine::Progress& progress) const {
    std::string line = format("[{}/{}] {}: {} {:.0f} %", index_ + 1, cases_, title_, progress.stage,
                              progress.done * 100.0);
    if (const double left = left_s(progress); left > 0.0) {
      line += format(", {} left", duration(left));
    }
    console_.show_progress(line);
  }

  void end(const Record& record) {
    ran_s_ += seconds_since(begin_);
    ++ran_;
    console_.clear_progress();
    if (!console_.stderr_is_terminal()) return;
    const bool timed = record.timing && !record.timing->steps_s.empty();
    console_.say(format("{}: {} ({}/{})", title_,
                        timed ? si(statistics_of(record.timing->steps_s).median, "s")
                              : std::string(record::name_of(record.status)),
                        index_ + 1, cases_));
  }

 private:
  [[nodiscard]] double left_s(const engine::Progress& progress) const {
    const auto later = static_cast<double>(cases_ - index_ - 1);
    if (later == 0.0) return progress.left_s;
    if (progress.left_s <= 0.0 && ran_ == 0) return 0.0;
    const double each = ran_ > 0 ? ran_s_ / ran_ : seconds_since(begin_) + progress.left_s;
    return progress.left_s + later * each;
  }

  std::size_t cases_;
  const Console& console_;
  std::size_t index_ = 0;
  std::string title_;
  Clock::time_point begin_;
  double ran_s_ = 0.0;
  int ran_ = 0;
};

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
  ListProgress progress(cases.size(), console);
  engine::RunOptions run;
  run.worker = options.worker;
  run.timeout_s = options.timeout_s;
  run.should_stop = [] { return InterruptGuard::interrupted(); };
  run.on_progress = [&progress](const engine::Progress& now) { progress.show(now); };
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
    progress.end(record);
    // Half a case is no result: the folder keeps what was there.
    if (options.folder != nullptr && record.status != record::Status::interrupted) {
      options.folder->write(record);
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace rooflab::cli
