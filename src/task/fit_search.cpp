#include "fit_search.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "describe/schema.hpp"
#include "notes/task_notes.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/task/session.hpp"
#include "run_list.hpp"
#include "system/fault.hpp"

namespace rooflab::task {
namespace {

/// The user stopped a search.
struct SearchInterrupted {};

/// Throws Error (capability) where the system cannot read what a try came to: that says nothing
/// about the counts, as wrong input does.
record::Record run_try(const engine::Case& asked, const std::string& what,
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

}  // namespace

using analyze::FitPoint;
using analyze::FitResult;
using analyze::FitTry;
using record::Status;

FitSearch::FitSearch(const FitRequest& request, const TargetDevice& device,
                     const FitNetwork& network, const Session& session)
    : request_(request), device_(device), network_(network), session_(session) {}

void FitSearch::run(FitOutcome& outcome, std::span<const predict::FrontierPoint> expected) {
  FitResult& result = outcome.result;
  worker_ = require_torch_worker(session_.prefix);
  if (!request_.folder.empty()) {
    lock_.emplace(request_.folder);
    const std::filesystem::path journal = request_.folder / tries_file;
    if (!request_.resume) std::filesystem::remove(journal);
    read_journal(journal_.emplace(journal));
  }
  try {
    for (const predict::FrontierPoint& each :
         network_.frontier([this](FitCounts counts) { return runs(counts); }, expected)) {
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
        point->samples_per_s = network_.samples_per_s(each.counts, {}, *point->found_step_s);
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
    result.notes.push_back({says.search_interrupted, {flag_of<&FitRequest::resume>()}});
  }
  result.tries = std::move(tries_);
}

void FitSearch::read_journal(engine::ProbeJournal& journal) {
  const Json request = search_request();
  const std::vector<Json>& lines = journal.lines();
  if (lines.empty()) return journal.append({{"request", request}});
  const Json& first = lines.front();
  const auto known = first.find("request");
  if (known == first.end() || *known != request) {
    throw Error(ErrorKind::input, "the folder's tries are of another search",
                "name another folder, or leave --resume out to begin anew");
  }
  for (const Json& line : lines) {
    const JsonFields fields(line, std::string(tries_file));
    if (!fields.has("result")) continue;
    tries_.push_back(from_json<FitTry>(fields.object("result")));
    if (tries_.back().counts.size() == network_.names().size()) continue;
    throw Error(ErrorKind::input,
                format("a try has {}, this search has {}",
                       plural(tries_.back().counts.size(), "count"), network_.names().size()),
                "name another folder, or leave --resume out to begin anew",
                {.file = std::string(tries_file), .line = {}, .column = {}, .byte_offset = {}});
  }
}

const FitTry* FitSearch::try_of(FitCounts counts) const {
  const auto known = std::ranges::find_if(
      tries_, [&](const FitTry& each) { return std::ranges::equal(each.counts, counts); });
  return known == tries_.end() ? nullptr : &*known;
}

bool FitSearch::runs(FitCounts counts) {
  if (const FitTry* const known = try_of(counts)) return known->status == Status::ok;
  if (session_.should_stop()) throw SearchInterrupted{};
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    parts.push_back(format("{} {}", network_.names()[i], counts[i]));
  }
  const std::string what = join(parts, ", ");
  const std::string label = format("try {}: {}: ", tries_.size() + 1, what);
  engine::RunOptions options = run_options(worker_, session_, label);
  options.timeout_s = request_.timeout.value_or(0.0);
  const record::Record record = run_try(case_of(network_.load(counts)), what, options);
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

engine::Case FitSearch::case_of(const LoadedModel& loaded) const {
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

Json FitSearch::search_request() const {
  const schedule::LoweringOptions lowering = request_.network.lowering();
  const auto& limit = request_.target.memory_limit;
  return {{"graph", graph::to_text(network_.load(network_.least()).runnable())},
          {"device", device_.name},
          {"device_name", device_.device.name},
          {"memory_limit_bytes", limit ? Json(limit->bytes.value()) : Json(nullptr)},
          {"count_names", network_.names()},
          {"phase", name_of(lowering.phase)},
          {"precision", name_of(lowering.precision)},
          {"optimizer", name_of(lowering.optimizer)},
          {"channels_last", lowering.channels_last}};
}

}  // namespace rooflab::task
