// One case after another, so that measurements do not disturb each other. A case is a process of
// `rooflab` that writes its result into a folder next to the outcome; only when it has ended is the
// outcome written, in one step. So whatever is there is whole, and what is not is run again. What
// train, scale and fit --measure keep in a separate folder is taken up where they were killed.
//
// Whatever ends a case is its outcome, except a file that could not be written, its own or ours:
// on a full disk the cases behind would fail for it too.

#include "run.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "base/exit_status.hpp"
#include "base/format.hpp"
#include "case_folder.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "monitor/host.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "rooflab/task/request_kind.hpp"
#include "study_folder.hpp"
#include "system/child_process.hpp"
#include "system/path_status.hpp"
#include "system/temporary_folder.hpp"
#include "task/list_clock.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kept_error_bytes = 4000;
constexpr std::string_view task_command = "task";

/// What the process of a case is to read.
task::RequestFile request_of(const PlannedCase& planned, const fs::path& folder) {
  task::RequestFile file = {planned.words.front(), command_of(planned), planned.request};
  for (const std::string& kept : planned.trained) {
    const Parameter* const models = task::request_kind(file.command).subject();
    file.request[models->key].push_back((folder / kept).string());
  }
  return file;
}

/// The line that says what went wrong, without the program's name.
std::string reason_of(const ChildResult& child) {
  if (child.timed_out) return "the time limit ended it";
  std::string last;
  for (const std::string& line : split(child.errors, '\n')) {
    constexpr std::string_view mark = "rooflab: error: ";
    if (line.starts_with(mark)) return line.substr(mark.size());
    if (!trim(line).empty()) last = trim(line);
  }
  if (child.exit_status > 128) {
    return format("died of signal {}{}", child.exit_status - 128,
                  last.empty() ? "" : format("; it said last: {}", last));
  }
  return last.empty() ? format("ended with status {} and said nothing", child.exit_status) : last;
}

/// What a result says of the first thing that failed in it; empty where it says nothing.
std::string first_message(const Json& result) {
  if (!result.is_object() && !result.is_array()) return {};
  constexpr FigureKey message = "message";
  if (result.is_object()) {
    const Json* const own = result.find(message.key());
    if (own != result.end() && own->is_string() && !own->text().empty()) return own->text();
  }
  for (const Json& member : result) {
    if (std::string found = first_message(member); !found.empty()) return found;
  }
  return {};
}

/// Every n-th of those that can be run. An evaluation is of the shard that trains all of its
/// models, and of none where several do: then it is left to the run of the whole study.
std::vector<PlannedCase> cases_of_shard(std::span<const PlannedCase> plan, const Shard& shard) {
  const auto count = static_cast<std::size_t>(shard.count);
  const auto index = static_cast<std::size_t>(shard.index - 1);
  std::map<std::string, std::size_t> trains;
  std::vector<PlannedCase> own;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const PlannedCase& planned = plan[i];
    if (!planned.kept.empty()) trains[planned.kept] = i % count;
    const bool is_own = planned.trained.empty()
                            ? i % count == index
                            : std::ranges::all_of(planned.trained, [&](const std::string& kept) {
                                return trains.at(kept) == index;
                              });
    if (is_own && planned.skipped.empty()) own.push_back(planned);
  }
  return own;
}

class Runner {
 public:
  Runner(std::span<const PlannedCase> plan, const StudyRunOptions& options)
      : options_(options), folder_(options.folder, options.origin, options.shard) {
    std::set<std::string> ids;
    for (PlannedCase& planned : cases_of_shard(plan, options.shard)) {
      if (options.elsewhere.contains(planned.id)) continue;
      ++progress_.all;
      ids.insert(planned.id);
      const std::optional<CaseOutcome> outcome = read_outcome(folder_.path(), planned);
      const bool failed = outcome && has_failed(*outcome);
      if (!outcome || (failed && options.again)) {
        missing_.push_back(std::move(planned));
        continue;
      }
      ++result_.found;
      if (failed) add_failure(*outcome);
    }
    progress_.done = result_.found;
    clock_ = task::ListClock(missing_.size());
    remove_left_parts(folder_.cases(), ids);
    remove_abandoned_folders();
  }

  StudyRun run() {
    for (const PlannedCase& planned : missing_) {
      if (should_stop()) break;
      progress_.running = planned.id;
      clock_.begin(result_.ran.size(), now_s());
      report();
      if (!run_case(planned)) break;
      clock_.end(now_s());
      result_.ran.push_back(planned.id);
      ++progress_.done;
    }
    result_.stopped = result_.ran.size() < missing_.size();
    progress_.running.clear();
    report();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool should_stop() const { return options_.should_stop && options_.should_stop(); }

  void report() {
    if (!options_.on_progress) return;
    progress_.left_s = clock_.left_s(now_s(), 0.0);
    const double found = static_cast<double>(progress_.all - missing_.size());
    const double ran = clock_.done(now_s(), 0.0) * static_cast<double>(missing_.size());
    progress_.done_share =
        progress_.all == 0 ? 1.0 : (found + ran) / static_cast<double>(progress_.all);
    options_.on_progress(progress_);
  }

  [[nodiscard]] double now_s() const {
    return std::chrono::duration<double>(Clock::now() - began_).count();
  }

  /// false: stopped; nothing was written then.
  bool run_case(const PlannedCase& planned) {
    const fs::path file = outcome_file(folder_.path(), planned);
    CaseOutcome outcome;
    outcome.id = planned.id;
    outcome.command = command_of(planned);
    outcome.input = planned.input;
    outcome.version = options_.version;
    outcome.began = monitor::utc_date();
    ChildOptions child_options;
    child_options.on_output = [](std::string_view) {};
    child_options.should_stop = [this] {
      report();  // the time that is left gets less
      return should_stop();
    };
    child_options.kept_errors = kept_error_bytes;
    child_options.own_group = true;
    if (options_.timeout_s > 0.0) {
      child_options.timeout = std::chrono::milliseconds(
          static_cast<std::chrono::milliseconds::rep>(options_.timeout_s * 1000.0));
    }
    const auto start = Clock::now();
    const CaseFolder part(file);
    save_file(part.request(), request_of(planned, folder_.path()));
    std::vector<std::string> words = {std::string(task_command), part.request().string(),
                                      part.result().string()};
    if (!planned.kept.empty()) words.push_back((folder_.path() / planned.kept).string());
    const ChildResult child = run_child(options_.program, words, child_options);
    if (child.stopped) return false;
    // Then `rooflab task` also removes its request: a user's program may end with any status.
    if (child.exit_status == system_exit_status && !is_there(part.request())) {
      throw Error(ErrorKind::system, format("{}: {}", planned.id, reason_of(child)),
                  "free some space, then run the same command: it continues with this case");
    }
    outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    outcome.exit_code = child.exit_status;
    take_result(outcome, child, part.result());
    write_file_atomically(file, file_json(outcome).dump() + "\n");
    if (has_failed(outcome)) add_failure(outcome);
    return true;
  }

  void add_failure(const CaseOutcome& outcome) {
    if (++result_.failed > 1) return;
    std::string why = outcome.reason;
    if (why.empty()) why = first_message(outcome.result);
    if (why.empty()) why = format("exit status {}", outcome.exit_code);
    result_.first_failure = format("{}: {}", outcome.id, why);
  }

  static void take_result(CaseOutcome& outcome, const ChildResult& child, const fs::path& file) {
    // A command shows what it finished before an error.
    constexpr int exit_error = 2;
    const bool has_result = is_there(file);
    if (!has_result || child.exit_status >= exit_error) outcome.reason = reason_of(child);
    if (!has_result) return;
    const std::string text = read_file(file);
    try {
      outcome.result = parse_json(text, file.filename().string());
    } catch (const Error& error) {
      outcome.reason = format("its result cannot be read: {}", error.what());
    }
  }

  const StudyRunOptions& options_;
  StudyFolder folder_;
  std::vector<PlannedCase> missing_;
  StudyProgress progress_;
  task::ListClock clock_{0};
  Clock::time_point began_ = Clock::now();
  StudyRun result_;
};

}  // namespace

StudyRun run_study(std::span<const PlannedCase> plan, const StudyRunOptions& options) {
  return Runner(plan, options).run();
}

}  // namespace rooflab::study
