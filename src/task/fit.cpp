#include "rooflab/task/fit.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/fault.hpp"
#include "base/folder_lock.hpp"
#include "base/parameter_list.hpp"
#include "base/schema.hpp"
#include "batch_loader.hpp"
#include "engine/probe.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/task/predict.hpp"
#include "rooflab/task/session.hpp"
#include "run_list.hpp"

namespace rooflab::task {
namespace {

using analyze::FitPoint;
using analyze::FitResult;
using analyze::FitTry;
using predict::FrontierPoint;
using record::Status;
using Counts = std::span<const std::int64_t>;

/// An end of a range; nullopt: not given.
std::optional<std::int64_t> end_of(std::string_view text, const Parameter& parameter) {
  if (trim(text).empty()) return std::nullopt;
  return ValueText<std::int64_t>::read(text, parameter);
}

/// The user stopped a search.
struct SearchInterrupted {};

class Fit {
 public:
  Fit(const FitRequest& request, TargetDevice device, const Session& session)
      : request_(request), device_(std::move(device)), session_(session), loader_(request.network) {
    for (const VariedCount& each : request.vary) {
      names_.push_back(each.name);
      ranges_.push_back(each.range);
      least_.push_back(each.range.least);
    }
    if (varies_size()) least_ = given_size();
  }

  FitOutcome run() {
    if (const schedule::Schedule least = schedule_of(least_); !cost::is_counted(least)) {
      return not_counted(least);
    }
    // The boundary by prediction, then the one that the device has, looked for from there on.
    predicted_ =
        boundary([this](Counts counts) { return memory_of(schedule_of(counts)).has_value(); }, {},
                 start_of([this](const schedule::Schedule& schedule) -> std::optional<double> {
                   const auto memory = memory_of(schedule);
                   if (!memory) return std::nullopt;
                   return (memory->allocated_peak + memory->context.value_or(Bytes(0))).as_double();
                 }));
    // A larger step may have ops in it that count for nothing in a small one.
    for (const FrontierPoint& point : predicted_) {
      if (point.counts.empty()) continue;
      const schedule::Schedule answered = schedule_of(point.counts);
      if (!cost::is_counted(answered)) return not_counted(answered);
    }
    FitOutcome outcome{describe()};
    if (request_.measure) search(outcome);
    analyze::add_ratios(outcome.result);
    return outcome;
  }

 private:
  /// Batch and context of a recorded step: they do not grow together, as layers do.
  [[nodiscard]] bool varies_size() const {
    return names_.size() == 2 && std::ranges::find(names_, "context") != names_.end();
  }

  /// The batch and the context that the other is varied at: those given, else the recording's.
  [[nodiscard]] std::vector<std::int64_t> given_size() const {
    const LoadedModel own = loader_.load({});
    std::vector<std::int64_t> size;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::optional<std::int64_t> known =
          names_[i] == "batch" ? std::optional(own.graph.batch()) : own.recorded->context;
      size.push_back(std::max(known.value_or(1), ranges_[i].least));
    }
    return size;
  }

  /// The boundary of what holds, with a beginning for each search where one is expected.
  template <class Holds>
  [[nodiscard]] std::vector<FrontierPoint> boundary(
      Holds holds, std::span<const FrontierPoint> expected,
      std::optional<predict::SearchStart> start = std::nullopt) const {
    if (varies_size()) return predict::size_frontier(names_, ranges_, least_, holds, expected);
    return predict::frontier(names_, ranges_, holds, expected, start);
  }

  [[nodiscard]] LoadedModel load(Counts counts) const {
    std::map<std::string, std::int64_t> by_name;
    for (std::size_t i = 0; i < counts.size(); ++i) by_name[names_[i]] = counts[i];
    return loader_.load(by_name);
  }

  [[nodiscard]] schedule::Schedule schedule_of(Counts counts) const {
    return *load(counts).lowered(request_.network.lowering());
  }

  [[nodiscard]] std::optional<predict::MemoryEstimate> memory_of(
      const schedule::Schedule& schedule, predict::StepLoop loop = {}) const {
    const predict::LibraryMemory library = device_.library(schedule);
    return predict::memory_within(schedule, device_.memory, loop, &library);
  }

  /// Circumstances that a report of a boundary may leave out: another phase or precision, results
  /// that a loop keeps.
  struct Circumstance {
    std::string name;
    schedule::LoweringOptions lowering;
    predict::StepLoop loop;
  };
  [[nodiscard]] std::vector<Circumstance> other_circumstances() const {
    const schedule::LoweringOptions asked = request_.network.lowering();
    std::vector<Circumstance> all = {
        {"as asked for", asked, {}},
        {"results kept", asked, {predict::GradientReset::after_loss, true}}};
    const LoadedModel least = load(least_);
    if (least.recorded) return all;  // another phase or precision is another recording
    const bool trainable = least.graph.parameter_elements() > 0;
    for (const Phase phase : {Phase::inference, Phase::forward, Phase::training}) {
      if (phase == asked.phase || (phase == Phase::training && !trainable)) continue;
      // In inference a chain takes two activations, however long it is.
      if (phase == Phase::inference && !request_.network.layer.empty()) continue;
      schedule::LoweringOptions other = asked;
      other.phase = phase;
      all.push_back({std::string(name_of(phase)), other, {}});
    }
    if (asked.precision == Precision::fp32) {
      schedule::LoweringOptions other = asked;
      other.precision = Precision::fp64;
      all.push_back({std::string(name_of(Precision::fp64)), other, {}});
    }
    return all;
  }

  /// The largest counts, all grown together by as many; of a recorded step the first that is
  /// varied.
  [[nodiscard]] analyze::FitCircumstance boundary_in(const Circumstance& circumstance) const {
    std::vector<std::int64_t> least = least_;
    std::span<const predict::CountRange> ranges = ranges_;
    if (varies_size()) {
      least.front() = ranges_.front().least;
      ranges = ranges.first(1);
    }
    const auto grown = [&](std::int64_t more) {
      std::vector<std::int64_t> counts = least;
      for (std::size_t i = 0; i < ranges.size(); ++i) counts[i] += more;
      return counts;
    };
    const auto memory_at = [&](std::int64_t more) {
      return memory_of(*load(grown(more)).lowered(circumstance.lowering), circumstance.loop);
    };
    predict::CountRange range{.least = 0};
    for (const predict::CountRange& each : ranges) {
      if (!each.most) continue;
      const std::int64_t room = *each.most - each.least;
      range.most = std::min(range.most.value_or(room), room);
    }
    std::optional<predict::SearchStart> start;
    if (!predicted_.empty() && !predicted_.front().counts.empty()) {
      const std::int64_t near = predicted_.front().counts.front() - least.front();
      start = {.count = near, .step = std::max<std::int64_t>(1, near / 8)};
    }
    const predict::LargestCount found = predict::largest_count(
        range, [&](std::int64_t more) { return memory_at(more).has_value(); }, start);
    analyze::FitCircumstance result{.circumstance = circumstance.name};
    if (!found.count) return result;
    result.counts = grown(*found.count);
    result.end_of_range = found.end_of_range;
    result.memory = memory_at(*found.count);
    return result;
  }

  /// With room for everything.
  [[nodiscard]] predict::MemoryEstimate ample_memory_of(const schedule::Schedule& schedule) const {
    const predict::LibraryMemory library = device_.library(schedule);
    return predict::estimate_memory(schedule, predict::GradientReset::after_loss, &library);
  }

  /// The largest counts whose verdict is at least as good as `verdict`, within what is predicted.
  [[nodiscard]] std::vector<FrontierPoint> frontier_of(predict::Verdict verdict) const {
    return boundary([&](Counts counts) { return judgement_of(counts).verdict <= verdict; },
                    predicted_);
  }

  /// What is to be said of counts with room for everything.
  struct Judgement {
    predict::Verdict verdict;
    std::vector<predict::AssumedMemory> assumed;
  };
  /// Kept, because the searches for several verdicts ask about the same counts.
  [[nodiscard]] const Judgement& judgement_of(Counts counts) const {
    const std::vector<std::int64_t> key(counts.begin(), counts.end());
    const auto known = judgements_.find(key);
    if (known != judgements_.end()) return known->second;
    predict::MemoryEstimate memory = ample_memory_of(schedule_of(counts));
    const predict::Verdict verdict = predict::fit(memory, device_.memory).verdict;
    return judgements_.emplace(key, Judgement{verdict, std::move(memory.assumed)}).first->second;
  }

  /// Every try lowers the network anew.
  template <class Used>
  [[nodiscard]] std::optional<predict::SearchStart> start_of(Used used) const {
    if (ranges_.size() != 1) return std::nullopt;
    return predict::proportional_start(
        ranges_.front(),
        [&](std::int64_t count) -> std::optional<double> {
          return used(schedule_of(std::array{count}));
        },
        device_.memory.as_double());
  }

  /// Nothing is predicted of a step with ops of unknown memory; the device may still be asked.
  FitOutcome not_counted(const schedule::Schedule& schedule) {
    FitOutcome outcome{head()};
    outcome.result.uncounted = analyze::count_network(schedule).uncounted;
    predicted_.clear();
    if (request_.measure) search(outcome);
    return outcome;
  }

  /// The result of what was asked, without an answer.
  [[nodiscard]] FitResult head() const {
    const LoadedModel first = load(least_);
    const bool is_chain = !request_.network.layer.empty();
    const schedule::LoweringOptions lowering = request_.network.lowering();
    FitResult result;
    result.model = is_chain ? "chain" : first.name;
    result.device = device_.name;
    result.memory = device_.memory;
    result.limited = request_.target.memory_limit.has_value();
    result.phase = lowering.phase;
    result.precision = lowering.precision;
    result.prediction = device_.predicts_time() ? "predicted" : "limit";
    result.names = names_;
    result.command = session_.command;
    result.notes = first.notes;
    return result;
  }

  [[nodiscard]] FitResult describe() const {
    FitResult result = head();
    const std::vector<FrontierPoint> comfortable = frontier_of(predict::Verdict::fits);
    const std::vector<FrontierPoint> likely = frontier_of(predict::Verdict::likely);
    for (const FrontierPoint& point : predicted_) {
      result.points.push_back(point_of(point));
      FitPoint& described = result.points.back();
      const auto expected = std::ranges::find(likely, point.varied, &FrontierPoint::varied);
      if (expected != likely.end()) described.likely = expected->counts;
      const auto same = std::ranges::find(comfortable, point.varied, &FrontierPoint::varied);
      if (same == comfortable.end() || same->counts.empty()) continue;
      described.comfortable = same->counts;
      described.comfortable_end_of_range = same->end_of_range;
      described.assumed = judgement_of(same->counts).assumed;
    }
    for (const Circumstance& each : other_circumstances()) {
      result.circumstances.push_back(boundary_in(each));
    }
    add_notes(result);
    return result;
  }

  /// What `varied` names grown by one more.
  [[nodiscard]] std::vector<std::int64_t> one_more(const FrontierPoint& found) const {
    std::vector<std::int64_t> counts = found.counts;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const bool grows = found.varied == "together" || found.varied == names_[i] ||
                         found.varied.starts_with(names_[i] + " ");
      if (grows) ++counts[i];
    }
    return counts;
  }

  [[nodiscard]] FitPoint point_of(const FrontierPoint& found) const {
    FitPoint point;
    point.varied = found.varied;
    point.counts = found.counts;
    point.end_of_range = found.end_of_range;
    if (point.counts.empty()) return point;
    const schedule::Schedule schedule = schedule_of(point.counts);
    point.memory = memory_of(schedule);
    if (!point.end_of_range) {
      point.beyond = one_more(found);
      point.beyond_memory = ample_memory_of(schedule_of(point.beyond));
    }
    try {
      point.step = device_.step_time(schedule);
      if (device_.predicts_time()) {
        point.samples_per_s = samples_per_s(
            point.counts, schedule.lives.empty() ? std::nullopt : schedule.graph.samples,
            point.step->value);
      }
    } catch (const Error& error) {  // memory is what was asked for
      if (!error.is_of_input()) throw;
    }
    return point;
  }

  /// nullopt: only the input's shape says how many samples a step has.
  [[nodiscard]] std::optional<double> samples_per_s(Counts counts,
                                                    std::optional<std::int64_t> recorded,
                                                    double step_s) const {
    const auto batch = std::ranges::find(names_, "batch");
    const auto& given = request_.network.settings.batch;
    if (batch == names_.end() && given.empty() && !recorded) return std::nullopt;
    const std::int64_t samples = batch != names_.end()
                                     ? counts[static_cast<std::size_t>(batch - names_.begin())]
                                 : given.empty() ? *recorded
                                                 : given.front();
    return static_cast<double>(samples) / step_s;
  }

  void add_notes(FitResult& result) const {
    if (!device_.predicts_time()) {
      result.notes.push_back({"step_is_limit", {device_.name}});
    }
    std::vector<std::string> unknown;
    for (const FitPoint& point : result.points) {
      if (!point.memory) continue;
      for (const std::string& part : point.memory->unknown) {
        if (std::ranges::find(unknown, part) == unknown.end()) unknown.push_back(part);
      }
    }
    if (unknown.empty()) return;
    result.notes.push_back({"memory_incomplete", {device_.name, unknown}});
  }

  /// Asks the device by running sizes. What was asked is kept in a journal, a JSON object a line,
  /// and not asked again.
  void search(FitOutcome& outcome) {
    FitResult& result = outcome.result;
    worker_ = require_torch_worker();
    if (!request_.folder.empty()) {
      lock_.emplace(request_.folder);
      const std::filesystem::path journal = request_.folder / tries_file;
      if (!request_.resume) std::filesystem::remove(journal);
      read_journal(journal_.emplace(journal));
    }
    try {
      for (const FrontierPoint& each : predict::frontier(
               names_, ranges_, [this](Counts counts) { return runs(counts); }, predicted_)) {
        auto point = std::ranges::find(result.points, each.varied, &FitPoint::varied);
        if (point == result.points.end()) {  // nothing was predicted to fit
          point = result.points.insert(point, FitPoint());
          point->varied = each.varied;
        }
        point->searched = true;
        point->found = each.counts;
        point->found_end_of_range = each.end_of_range;
        if (const FitTry* const found = try_of(each.counts)) point->found_step_s = found->step_s;
        if (point->found_step_s) {
          point->samples_per_s = samples_per_s(each.counts, {}, *point->found_step_s);
        }
      }
    } catch (const SearchInterrupted&) {
      outcome.interrupted = true;
    } catch (...) {
      session_.show_progress("");
      if (tries_.empty()) throw;
      outcome.failure = error_at_hand();
    }
    if (outcome.interrupted || outcome.failure) {
      result.notes.push_back({"search_interrupted", {flag_of<&FitRequest::resume>()}});
    }
    result.tries = std::move(tries_);
  }

  void read_journal(engine::ProbeJournal& journal) {
    const Json request = search_request();
    const std::vector<Json>& lines = journal.lines();
    if (lines.empty()) return journal.append({{"request", request}});
    const Json first = with_new_keys(lines.front());  // the journal may be of an older version
    const auto known = first.find("request");
    if (known == first.end() || *known != request) {
      throw Error(ErrorKind::input, "the folder's tries are of another search",
                  "name another folder, or leave --resume out to begin anew");
    }
    for (const Json& line : lines) {
      const Json renewed = with_new_keys(line);
      const JsonFields fields(renewed, std::string(tries_file));
      if (!fields.has("result")) continue;
      tries_.push_back(from_json<FitTry>(fields.object("result")));
      if (tries_.back().counts.size() == names_.size()) continue;
      throw Error(ErrorKind::input,
                  format("a try has {}, this search has {}",
                         plural(tries_.back().counts.size(), "count"), names_.size()),
                  "name another folder, or leave --resume out to begin anew",
                  {.file = std::string(tries_file), .line = {}, .column = {}, .byte_offset = {}});
    }
  }

  [[nodiscard]] const FitTry* try_of(Counts counts) const {
    const auto known = std::ranges::find_if(
        tries_, [&](const FitTry& each) { return std::ranges::equal(each.counts, counts); });
    return known == tries_.end() ? nullptr : &*known;
  }

  /// Throws Error (capability) where the system cannot read what a try came to: that says nothing
  /// about the counts, as wrong input does.
  static record::Record run_try(const engine::Case& asked, const std::string& what,
                                const engine::RunOptions& options) {
    try {
      return engine::run_case(asked, options);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      throw Error(ErrorKind::capability,
                  format("{} does not say whether it fits: {}", what, error.full_message()),
                  error.hint());
    }
  }

  /// Whether these counts run on the device. Throws SearchInterrupted, and Error (capability) for a
  /// case that ends in another way than well or out of memory.
  [[nodiscard]] bool runs(Counts counts) {
    if (const FitTry* const known = try_of(counts)) return known->status == Status::ok;
    if (session_.should_stop()) throw SearchInterrupted{};
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      parts.push_back(format("{} {}", names_[i], counts[i]));
    }
    const std::string what = join(parts, ", ");
    const std::string label = format("try {}: {}: ", tries_.size() + 1, what);
    engine::RunOptions options = run_options(worker_, session_, label);
    options.timeout_s = request_.timeout.value_or(0.0);
    const record::Record record = run_try(case_of(load(counts)), what, options);
    session_.show_progress("");
    if (record.status == Status::interrupted) throw SearchInterrupted{};
    if (record.status != Status::ok && record.status != Status::oom) {
      throw Error(ErrorKind::capability,
                  format("{} does not say whether it fits: {}: {}", what, name_of(record.status),
                         record.message),
                  "rooflab measure runs the same network");
    }
    FitTry each;
    each.counts.assign(counts.begin(), counts.end());
    each.status = record.status;
    each.message = record.message;
    if (record.timing) each.step_s = record.timing->median_s();
    if (record.memory) {
      each.allocated_peak = record.memory->allocated_peak;
      each.reserved_peak = record.memory->reserved_peak;
    }
    session_.say(label + std::string(name_of(each.status)) +
                 (each.step_s ? format(", {} a step", si(*each.step_s, "s")) : ""));
    tries_.push_back(std::move(each));
    if (journal_) journal_->append({{"result", to_json(tries_.back())}});
    return record.status == Status::ok;
  }

  [[nodiscard]] engine::Case case_of(const LoadedModel& loaded) const {
    engine::Case request = request_.network.case_of(loaded);
    request.identity.device = device_.name;
    request.identity.command = session_.command;
    // What is asked is whether it runs: near the edge a step may be slow.
    request.settings.iterations = request_.iterations;
    request.settings.min_time_s = 0.0;
    request.settings.max_time_s = 20.0;
    request.settings.warmup_time_s = 1.0;
    request.settings.sample_period_s = 0.0;
    if (const auto& limit = request_.target.memory_limit) {
      request.settings.memory_limit_bytes = limit->bytes.value();
    }
    return request;
  }

  /// What makes a try comparable with another.
  [[nodiscard]] Json search_request() const {
    const schedule::LoweringOptions lowering = request_.network.lowering();
    const auto& limit = request_.target.memory_limit;
    return {{"graph", graph::to_text(load(least_).runnable())},
            {"device", device_.name},
            {"device_name", device_.device.name},
            {"memory_limit_bytes", limit ? Json(limit->bytes.value()) : Json(nullptr)},
            {"count_names", names_},
            {"phase", name_of(lowering.phase)},
            {"precision", name_of(lowering.precision)},
            {"optimizer", name_of(lowering.optimizer)},
            {"channels_last", lowering.channels_last}};
  }

  const FitRequest& request_;
  TargetDevice device_;
  const Session& session_;
  mutable BatchLoader loader_;
  mutable std::map<std::vector<std::int64_t>, Judgement> judgements_;
  std::vector<std::string> names_;
  std::vector<predict::CountRange> ranges_;
  std::vector<std::int64_t> least_;
  std::vector<FrontierPoint> predicted_;
  std::filesystem::path worker_;
  std::optional<FolderLock> lock_;
  std::optional<engine::ProbeJournal> journal_;
  std::vector<FitTry> tries_;  ///< in the order in which they ran, those of the journal first
};

void check(const FitRequest& request) {
  const std::string vary = flag_of<&FitRequest::vary>();
  const std::string measure = flag_of<&FitRequest::measure>();
  request.network.check();
  request.target.check();
  request.link.check();
  if (!words_of(request.link).empty() && !is_recorded(request.network.model)) {
    throw Error(ErrorKind::usage,
                format("{} and {} are for a recorded step that exchanges with other devices",
                       flag_of<&LinkChoice::link>(), flag_of<&LinkChoice::all_reduce>()),
                format("rooflab predict has {}", flag_of<&PredictRequest::gpus>()));
  }
  const std::vector<std::string> known = request.network.countable();
  std::vector<std::string> names;
  for (const VariedCount& each : request.vary) {
    if (std::ranges::find(known, each.name) == known.end()) {
      const std::string all = format("one of {}", join(known, ", "));
      throw Error(ErrorKind::usage, format("unknown count in {} '{}'", vary, each.name),
                  near_hint(each.name, known, all, all));
    }
    if (std::ranges::find(names, each.name) != names.end()) {
      throw Error(ErrorKind::usage, format("{} names '{}' twice", vary, each.name),
                  parameter_of<&FitRequest::vary>().example_hint());
    }
    names.push_back(each.name);
  }
  const auto varies = [&names](const char* name) {
    return std::ranges::find(names, name) != names.end();
  };
  // Where both are varied, each is searched at the given value of the other.
  const auto refuse_given = [&](const std::string& flag, const char* name) {
    throw Error(ErrorKind::usage, format("{} is what is varied", flag),
                format("{} {}=1..256 bounds it", vary, name));
  };
  const bool both = varies("batch") && varies("context");
  if (!both && varies("batch") && !request.network.settings.batch.empty()) {
    refuse_given(flag_of<&NetworkSettings::batch>(), "batch");
  }
  if (!both && varies("context") && !request.network.settings.context.empty()) {
    refuse_given(flag_of<&NetworkSettings::context>(), "context");
  }
  if (!request.folder.empty() && !request.measure) {
    throw Error(
        ErrorKind::usage,
        format("'{}' would hold tries, which only {} makes", request.folder.string(), measure),
        "a report has an extension: -o fit.json");
  }
  if (request.resume && request.folder.empty()) {
    throw Error(ErrorKind::usage,
                format("{} needs the folder of the tries", flag_of<&FitRequest::resume>()),
                format("for example {} -o tries {}", measure, flag_of<&FitRequest::resume>()));
  }
}

}  // namespace

VariedCount VariedCount::from_word(std::string_view word, const Parameter& parameter) {
  const std::size_t equals = word.find('=');
  VariedCount varied{std::string(trim(word.substr(0, equals)))};
  if (varied.name.empty()) {
    throw Error(ErrorKind::usage, format("{} '{}' names nothing", parameter.flag(), word),
                parameter.example_hint());
  }
  if (equals == std::string_view::npos) return varied;
  const std::string_view range = word.substr(equals + 1);
  const std::size_t dots = range.find("..");
  if (dots == std::string_view::npos) parameter.refuse("ranges A..B", word);
  varied.range.least = end_of(range.substr(0, dots), parameter).value_or(1);
  varied.range.most = end_of(range.substr(dots + 2), parameter);
  if (varied.range.most && *varied.range.most < varied.range.least) {
    throw Error(ErrorKind::usage, format("{} '{}' ends before it begins", parameter.flag(), word),
                parameter.example_hint());
  }
  return varied;
}

std::string VariedCount::word() const {
  if (range.least == 1 && !range.most) return name;
  return format("{}={}..{}", name, range.least, range.most ? format("{}", *range.most) : "");
}

const Parameters& parameters_of(For<FitRequest>) {
  static const Parameters all = {
      part<&FitRequest::network>(),
      part<&FitRequest::target>(
          parameters_of(For<TargetChoice>{}).with<&TargetChoice::device>([](Parameter& each) {
            each.single = true;
            each.help = "a device of `rooflab devices`, or the one here: cuda:N, gpu";
          })),
      part<&FitRequest::link>(),
      parameter<&FitRequest::vary>(
          "NAME[=A..B],...", "what grows: batch, layers of a chain, context of a recording",
          {.example = "batch, --vary batch=1..4096, --vary batch,context, --vary conv=1..,fc=1.."}),
      parameter<&FitRequest::measure>("search the boundary on the device too (cuda:N)"),
      needing(
          {key_of<&FitRequest::measure>()},
          aside({parameter<&FitRequest::iterations>("N", "timed steps of a try", {.example = "10"}),
                 parameter<&FitRequest::timeout>("S", "stop a try after S seconds",
                                                 {.default_text = "never", .example = "600"})})),
      aside({parameter<&FitRequest::resume>("leave out the tries that the folder has")}),
  };
  return all;
}

bool FitOutcome::nothing_fits() const {
  return std::ranges::all_of(result.points, [](const FitPoint& point) {
    return point.searched ? point.found.empty() : point.counts.empty();
  });
}

FitOutcome run(FitRequest request, Session& session) {
  check(request);
  request.network.settle_recording();
  std::vector<TargetDevice> devices = request.target.devices(session, request.link);
  if (devices.size() > 1) {
    throw Error(
        ErrorKind::usage,
        format("{} '{}' are {} devices, fit takes one", flag_of<&TargetChoice::device>(),
               request.target.device.front(), devices.size()),
        format("for example {} {}", flag_of<&TargetChoice::device>(), devices.front().name));
  }
  TargetDevice device = std::move(devices.front());
  if (request.measure && !device.here) {
    throw Error(ErrorKind::usage,
                format("{} needs a device that is here, '{}' is a name of the catalog",
                       flag_of<&FitRequest::measure>(), device.name),
                format("{} cuda:0", flag_of<&TargetChoice::device>()));
  }
  const std::optional<Note> note = request.network.settle_precision(device.device);
  FitOutcome outcome = Fit(request, std::move(device), session).run();
  if (note) outcome.result.notes.push_back(*note);
  return outcome;
}

}  // namespace rooflab::task
