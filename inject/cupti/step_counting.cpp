#include "step_counting.hpp"

#include <cmath>
#include <map>
#include <span>
#include <string_view>

namespace rooflab::inject {
namespace {

using profile::CountedUnit;

constexpr int most_attempts = 5;
constexpr std::size_t most_groups = 512;  // of a step: their image is large, and slow to set up

std::size_t groups_in(const std::vector<std::uint32_t>& sequence) {
  return std::unordered_set<std::uint32_t>(sequence.begin(), sequence.end()).size();
}

/// One launch of each group takes less time than every kernel: where steps are long, or kernels
/// alike.
bool worth_groups(const std::vector<std::uint32_t>& sequence) {
  const std::size_t groups = groups_in(sequence);
  return groups <= most_groups && 4 * groups <= 3 * sequence.size() && sequence.size() >= 100;
}

}  // namespace

StepCounting::StepCounting(std::shared_ptr<const profile::CuptiLibrary> cupti, void* context,
                           int device, std::vector<std::uint32_t> sequence, bool kernels,
                           ProfileFile& file)
    : cupti_(std::move(cupti)),
      session_(cupti_, context, device),
      sequence_(std::move(sequence)),
      file_(file),
      exist_(profile::metrics_exist(cupti_, session_.chip(), session_.availability())),
      plan_(session_.chip(), exist_, kernels, worth_groups(sequence_)),
      groups_(groups_in(sequence_)) {
  choose_next();
}

void StepCounting::choose_next() {
  config_.reset();
  attempts_ = 0;
  const std::optional<profile::CountingPlan::Set> next = plan_.next();
  if (!next) return;
  file_.missing(next->list.missing);
  config_.emplace(cupti_, session_.chip(), next->list.metrics, session_.availability());
  unit_ = next->unit;
  set_ = file_.new_set();
  file_.lines().set(set_, unit_, config_->metrics());
}

void StepCounting::begin_step() {
  if (done()) return;
  if (session_.armed()) {
    session_.next_pass();
  } else {
    ++attempts_;
    passes_ = 0;
    const Clock::time_point start = Clock::now();
    const std::size_t ranges = unit_ == CountedUnit::step     ? 1
                               : unit_ == CountedUnit::launch ? groups_
                                                              : sequence_.size();
    session_.start(*config_, unit_, ranges);
    set_began_ = Clock::now();
    arming_ = set_began_ - start;
    if (!began_) {
      began_ = set_began_;
      first_arming_ = arming_;
    }
  }
  ++passes_;
  taken_.clear();
}

bool StepCounting::before_launch(std::uint32_t signature) {
  if (unit_ != CountedUnit::launch || !session_.armed() || !taken_.insert(signature).second) {
    return false;
  }
  session_.begin_range(std::to_string(signature));
  return true;
}

void StepCounting::after_launch() {
  if (session_.armed()) session_.end_range();
}

void StepCounting::end_step(const std::vector<std::uint32_t>& launched) {
  if (!session_.armed()) return;
  const bool last = session_.end_pass();
  if (launched != sequence_) return abandon_step();
  if (!last) return;
  const profile::RangeValues values = session_.finish();
  switch (unit_) {
    case CountedUnit::step:
      return write_totals(values);
    case CountedUnit::kernel:
      return write_kernels(values);
    case CountedUnit::launch:
      return write_groups(values);
  }
}

void StepCounting::write_totals(const profile::RangeValues& values) {
  std::vector<double> totals(values.metrics, std::nan(""));
  std::map<std::string, double> peaks;
  for (std::size_t i = 0; i < values.metrics && values.ranges == 1; ++i) {
    const std::string& metric = config_->metrics()[i];
    const double value = values.at(0, i);
    totals[i] = value;
    const std::optional<std::string> peaked = profile::peaked_metric(metric);
    if (peaked && !std::isnan(value)) peaks[*peaked] = value;
  }
  plan_.totals_are(config_->metrics(), totals);
  file_.lines().totals(set_, totals);
  if (!peaks.empty()) file_.peaks(peaks);
  end_set(values.ranges == 1 ? 0 : static_cast<std::int64_t>(sequence_.size()));
}

void StepCounting::write_kernels(const profile::RangeValues& values) {
  // The number of ranges must be that of the launches: otherwise they cannot be matched.
  const bool matched = values.ranges == sequence_.size();
  for (std::size_t i = 0; matched && i < sequence_.size(); ++i) {
    file_.lines().values(set_, i, sequence_[i],
                         std::span(values.values).subspan(i * values.metrics, values.metrics));
  }
  if (!matched) {
    file_.lines().warning("the hardware counted " + std::to_string(values.ranges) +
                          " kernels where " + std::to_string(sequence_.size()) +
                          " were launched: their counters are left out");
  }
  end_set(matched ? 0 : static_cast<std::int64_t>(sequence_.size()));
}

void StepCounting::write_groups(const profile::RangeValues& values) {
  for (std::size_t range = 0; range < values.ranges; ++range) {
    const auto signature = static_cast<std::uint32_t>(std::stoul(values.names[range]));
    file_.lines().launch_values(
        set_, signature, std::span(values.values).subspan(range * values.metrics, values.metrics));
  }
  end_set(static_cast<std::int64_t>(groups_ - values.ranges));
}

void StepCounting::end_set(std::int64_t dropped) {
  const Clock::time_point now = Clock::now();
  file_.lines().set_done(set_, passes_, arming_.count(),
                         std::chrono::nanoseconds(now - set_began_).count(),
                         static_cast<std::int64_t>(sequence_.size()), dropped);
  session_.abandon();
  choose_next();
  if (done()) {
    file_.lines().counting_wall(std::chrono::nanoseconds(now - *began_).count(),
                                first_arming_.count());
  }
  file_.lines().flush();
}

void StepCounting::abandon_step() {
  session_.abandon();
  // Where steps are never alike, what this set would have told stays unknown.
  if (!done() && attempts_ >= most_attempts) end_set(static_cast<std::int64_t>(sequence_.size()));
}

}  // namespace rooflab::inject
