#include "group_counting.hpp"

#include <charconv>
#include <chrono>
#include <span>
#include <string>
#include <utility>

#include "record/counter_metric.hpp"

namespace rooflab::inject {
namespace {

constexpr std::size_t most_members = 128;  // of a round: half a megabyte and 2 ms of arming each
constexpr double small_error = 0.02;       // of a sum: counting is good enough
constexpr double in_advance_s = 0.45;      // the first arming and a round, whatever the share
constexpr std::size_t first_launches = 8;  // programs that launch less have nothing to count
constexpr std::size_t look_every = 8;      // launches, of the first ones; groups are few then
constexpr std::size_t early_launches = 32768;
constexpr double later_look_s = 0.01;
constexpr int again_every = 3;  // rounds: one counts groups that were counted before
constexpr double written_every_s = 2.0;
constexpr double longest_wait_s = 0.2;  // for launches between those of graphs
constexpr int rounds_of_a_set = 3;      // then the other set has its turn

// What things cost on an H100, s.
constexpr double arming_s = 0.40;
constexpr double renewal_s = 0.15;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool at(const std::vector<bool>& flags, std::uint32_t group) {
  return group < flags.size() && flags[group];
}

void set_at(std::vector<bool>& flags, std::uint32_t group) {
  if (flags.size() <= group) flags.resize(group + 1, false);
  flags[group] = true;
}

}  // namespace

GroupCounting::GroupCounting(std::shared_ptr<const profile::CuptiLibrary> cupti, void* context,
                             int device, double overhead, std::function<void(bool on)> counters_on,
                             ProfileFile& file)
    : cupti_(std::move(cupti)),
      counters_on_(std::move(counters_on)),
      file_(file),
      session_(cupti_, context, device),
      exist_(profile::metrics_exist(cupti_, session_.chip(), session_.availability())),
      has_tensor_cores_(!record::tensor_metrics_of(session_.chip()).empty()),
      pipe_tells_(record::tensor_pipe_tells(session_.chip())),
      statistics_(sets_.size(), small_error),
      budget_(overhead, in_advance_s) {
  budget_.begin(now_s());
}

bool GroupCounting::may_be_in(std::size_t set, std::uint32_t group) const {
  if (set == 0) return true;
  if (!has_tensor_cores_) return false;
  return pipe_tells_ ? at(has_tensor_work_, group) : at(is_counted_, group);
}

std::optional<std::size_t> GroupCounting::next_set(double now) const {
  const auto wanted = [&](std::size_t set) {
    const bool armed = session_.armed() && set == set_;
    return budget_.allows(armed ? renewal_s : arming_s, now) &&
           statistics_.wants_any(set, [&](std::uint32_t group) { return may_be_in(set, group); });
  };
  const bool long_enough = sets_[set_].rounds >= rounds_of_a_set;
  const std::size_t other = 1 - set_;
  for (const std::size_t set : {long_enough ? other : set_, long_enough ? set_ : other}) {
    if (wanted(set)) return set;
  }
  return std::nullopt;
}

bool GroupCounting::before_launch(std::uint32_t group, bool may_count) {
  statistics_.launched(group);
  ++launches_;
  if (!may_count) return false;
  const double begin = now_s();
  last_launch_s_ = begin;
  bool is_counted = false;
  // Activities have as much time as a round took.
  const bool rested = begin - round_ended_s_ >= round_ended_s_ - round_began_s_;
  const bool early = launches_ < early_launches && launches_ % look_every == 0;
  if (!round_ && rested && launches_ >= first_launches &&
      (early || begin - last_look_s_ >= later_look_s)) {
    last_look_s_ = begin;
    if (const std::optional<std::size_t> set = next_set(begin)) begin_round(*set);
  } else if (round_ && round_->pass_is_over(begin)) {
    end_pass();
  }
  if (round_) {
    if (const std::optional<std::size_t> member = round_->before_launch(group, begin)) {
      session_.begin_range(std::to_string(*member));
      is_counted = true;
    }
  }
  const double end = now_s();
  if (end - last_written_s_ > written_every_s) {
    write_launches();
    last_written_s_ = end;
  }
  if (is_counted) {
    began_s_ = begin;
  } else if (end - begin > 1e-5) {  // more than a look
    budget_.spend(end - begin);
  }
  return is_counted;
}

void GroupCounting::after_launch() {
  if (!session_.armed()) return;  // freed meanwhile, by another thread
  session_.end_range();
  budget_.spend(now_s() - began_s_);
}

void GroupCounting::make_config(std::size_t set) {
  profile::MetricList list = set == 0 ? profile::launch_metrics(session_.chip(), exist_)
                                      : profile::tensor_metrics(session_.chip(), exist_);
  file_.missing(list.missing);
  const std::string pipe = record::metric_of(record::KernelFigure::tensor_pipe_instructions);
  const std::string moves = record::metric_of(record::KernelFigure::tensor_pipe_moves);
  Set& made = sets_[set];
  for (std::size_t i = 0; i < list.metrics.size(); ++i) {
    made.adds_up.push_back(list.metrics[i].ends_with(".sum"));
    if (list.metrics[i] == pipe) pipe_ = i;
    if (list.metrics[i] == moves) moves_ = i;
  }
  pipe_tells_ = pipe_tells_ && pipe_;
  made.config.emplace(cupti_, session_.chip(), std::move(list.metrics), session_.availability());
  made.number = file_.new_set();
  file_.lines().set(made.number, profile::CountedUnit::launch, made.config->metrics());
}

void GroupCounting::begin_round(std::size_t set) {
  if (!sets_[set].config) make_config(set);
  counters_on_(true);
  if (session_.armed() && set == set_) {
    session_.renew();
  } else {
    sets_[set].rounds = 0;
    session_.start(*sets_[set].config, profile::CountedUnit::launch, most_members);
  }
  set_ = set;
  round_began_s_ = now_s();
  const auto may = [this](std::uint32_t group) { return may_be_in(set_, group); };
  const bool only_new = ++sets_[set].all_rounds % again_every != 0 && statistics_.has_new(set, may);
  ++sets_[set].rounds;
  round_.emplace(sets_[set].config->passes(), most_members, [this, only_new](std::uint32_t group) {
    return may_be_in(set_, group) &&
           (only_new ? statistics_.is_new(group, set_) : statistics_.wants(group, set_));
  });
}

void GroupCounting::end_pass() {
  session_.end_pass();
  round_->next_pass();
  if (round_->is_over()) {
    end_round();
  } else {
    session_.next_pass();
  }
}

void GroupCounting::end_round() {
  const profile::RangeValues values = session_.finish();
  const std::vector<std::uint32_t>& members = round_->members();
  for (std::size_t range = 0; range < values.ranges; ++range) {
    const std::string& name = values.names[range];
    std::size_t member = members.size();
    std::from_chars(name.data(), name.data() + name.size(), member);
    if (member >= members.size()) continue;
    take(members[member], std::span(values.values).subspan(range * values.metrics, values.metrics));
  }
  statistics_.look(set_);
  round_.reset();
  round_ended_s_ = now_s();
  counters_on_(false);
}

void GroupCounting::take(std::uint32_t group, std::span<const double> values) {
  file_.lines().launch_values(sets_[set_].number, group, values);
  statistics_.counted(group, set_, values, sets_[set_].adds_up);
  if (set_ != 0) return;
  set_at(is_counted_, group);
  // Where moves are not told apart, some instructions are not yet matrix work.
  const double pipe = pipe_ ? values[*pipe_] : 0.0;
  const double moves = moves_ ? values[*moves_] : 0.0;
  if (pipe > moves) set_at(has_tensor_work_, group);
}

void GroupCounting::graph_launched() {
  if (session_.armed() && now_s() - last_launch_s_ > longest_wait_s) pause();
}

void GroupCounting::pause() {
  if (!session_.armed()) return;
  const double begin = now_s();
  if (round_) {
    session_.end_pass();
    end_round();  // what its passes have told by now
  }
  session_.abandon();
  budget_.spend(now_s() - begin);
}

void GroupCounting::write_launches() {
  constexpr double nanoseconds = 1e9;
  file_.lines().launched(statistics_.launches(),
                         static_cast<std::int64_t>(budget_.elapsed_s(now_s()) * nanoseconds),
                         static_cast<std::int64_t>(budget_.spent_s() * nanoseconds));
}

}  // namespace rooflab::inject
