#include "fit_search.hpp"

#include <algorithm>

#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"
#include "run_list.hpp"

namespace rooflab::task {
namespace {

using analyze::FitTry;
using record::Status;

FitTry try_of(const record::Record& record, std::span<const std::int64_t> counts) {
  FitTry each;
  each.counts.assign(counts.begin(), counts.end());
  each.status = record.status;
  each.message = record.message;
  if (record.timing) each.step_s = record.timing->median_s();
  if (record.memory) {
    each.allocated_peak = record.memory->allocated_peak;
    each.reserved_peak = record.memory->reserved_peak;
  }
  return each;
}

}  // namespace

FitSearch::FitSearch(std::vector<std::string> names, MakeCase make_case,
                     std::filesystem::path worker, double timeout_s,
                     const std::optional<std::filesystem::path>& journal, const Json& request,
                     const Session& session)
    : names_(std::move(names)),
      make_case_(std::move(make_case)),
      worker_(std::move(worker)),
      timeout_s_(timeout_s),
      session_(session) {
  if (!journal) return;
  journal_.emplace(*journal);
  read_journal(request);
}

void FitSearch::read_journal(const Json& request) {
  const std::vector<Json>& lines = journal_->lines();
  if (lines.empty()) return journal_->append({{"request", request}});
  const auto known = lines.front().find("request");
  if (known == lines.front().end() || *known != request) {
    throw Error(ErrorKind::input, "the folder's tries are of another search",
                "name another folder, or leave --resume out to begin anew");
  }
  for (const Json& line : lines) {
    const Json renewed = with_new_keys(line);  // the journal may be of an older version
    const JsonFields fields(renewed, "tries.jsonl");
    if (fields.has("try")) tries_.push_back(from_json<FitTry>(fields.object("try")));
  }
}

const FitTry* FitSearch::find(std::span<const std::int64_t> counts) const {
  const auto known = std::ranges::find_if(
      tries_, [&](const FitTry& each) { return std::ranges::equal(each.counts, counts); });
  return known == tries_.end() ? nullptr : &*known;
}

std::optional<double> FitSearch::step_s(std::span<const std::int64_t> counts) const {
  const FitTry* const known = find(counts);
  return known == nullptr ? std::nullopt : known->step_s;
}

std::string FitSearch::title(std::span<const std::int64_t> counts) const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    parts.push_back(format("{} {}", names_[i], counts[i]));
  }
  return join(parts, ", ");
}

void FitSearch::say(const FitTry& each) const {
  session_.say(format("try {}: {}: {}{}", tries_.size(), title(each.counts), name_of(each.status),
                      each.step_s ? format(", {} a step", si(*each.step_s, "s")) : ""));
}

bool FitSearch::fits(std::span<const std::int64_t> counts) {
  if (const FitTry* const known = find(counts)) return known->status == Status::ok;
  if (session_.should_stop()) throw SearchInterrupted{};
  const std::string what = title(counts);
  engine::RunOptions options =
      run_options(worker_, session_, format("try {}: {}: ", tries_.size() + 1, what));
  options.timeout_s = timeout_s_;
  const record::Record record = engine::run_case(make_case_(counts), options);
  session_.show_progress("");
  if (record.status == Status::interrupted) throw SearchInterrupted{};
  if (record.status != Status::ok && record.status != Status::oom) {
    throw Error(ErrorKind::capability,
                format("{} does not say whether it fits: {}: {}", what, name_of(record.status),
                       record.message),
                "rooflab measure runs the same network");
  }
  tries_.push_back(try_of(record, counts));
  if (journal_) journal_->append({{"try", to_json(tries_.back())}});
  say(tries_.back());
  return record.status == Status::ok;
}

}  // namespace rooflab::task
