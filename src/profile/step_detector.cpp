// Where a program's steps begin, from the sequence of its launches alone.
//
// A training loop launches the same kernels with the same grids in the same order, step by step. So
// a step is a period of the launch sequence: the smallest P for which launch i and launch i + P are
// alike. Two things make that harder than it sounds.
//
// Repetition inside a step. Eighty equal transformer layers are eighty periods of a layer, forward
// and again backward; optimizers repeat themselves over groups of parameters, recurrent networks
// over time. Unlike those, a step repeats on and on. Hence the proof: the whole
// second half of what was seen since the search began repeats itself, at least three times, and has
// done so for a second, or fifty times within no less than a tenth of a second (layers take
// only milliseconds), or a thousand times. The second half is also what makes warm-up harmless:
// set-up and the first steps, where algorithms are tried out, lie in the first. The second is of
// the repetition itself and not of the program, because first launches take long (kernels are
// loaded when they are needed) and prove nothing. The smallest period of the half is its length
// minus that of its longest border (Knuth, Morris and Pratt, 1977): linear in its length, and as it
// is asked for only when the history has grown by an eighth, a constant number of comparisons a
// launch. From there the repetition is traced backwards as far as it goes.
//
// If a repetition is nevertheless mistaken for the step, it ends soon. The next candidate has to
// repeat for twice as long, in launches: so inner loops are ruled out one after the other, by
// doubling, and the step, which is longer than they are, is found. generation() grows, so the user
// of the false step can see it.
//
// Steps that are not quite alike: a few launches for a log every tenth step, a validation after
// every epoch, an optimizer step after every few micro-batches. The same break can be an exception
// or part of a greater step. The length of the break and the number of repetitions
// before it decide:
//
//   a little     (up to a sixteenth of the step, then it goes on where it was) after nine
//                repetitions or more is an exception: the step is void, the next one begins where
//                it is expected
//   much         after more than 150 is an exception as well (a validation): the step is looked out
//                for, and taken up when it has been seen once in full
//   otherwise    it is part of something greater: the repetition is forgotten and the search begins
//                again. For the same one to be found again it has to go on for twice as long, or
//                for as many times as make an exception; a greater one that spans the break is
//                found in the meantime
//
// The same where the greater one is found first: a period that is a small step nine times and more
// with a little in between is that step with an exception.
//
// While a step is looked out for, another one is searched for too. It has to go on for twice as
// long as the first has, so that a validation does not take its place but a changed program does. A
// repetition that in the end covers less than half of all launches is forgotten (the time steps of
// a recurrent network).
//
// CUDA graphs. What runs before the first launch of a graph is its warm-up and its capture, often
// more launches than the graph is replayed afterwards, and no step. So whoever sees a graph for the
// first time has the search begin anew (search_anew); a graph that is launched again and again is
// then a step of one launch.
//
// The beginning. Any launch of a period could be its first. A person would say that a step begins
// where the host turns to something new: waits for data, reads the loss, goes around the loop. So
// it begins at the launch with the largest median of the host's time before it. Where the launch at
// which the repetition began has at least half of that, it is the one: a loop begins with the first
// launch of its first step.
//
// When it is wrong
//  - A host that never waits runs against the full launch queue and is then held up before whatever
//    launch; the beginning is arbitrary, though always the same. The totals are not affected.
//  - More than 150 micro-batches or layers that are most of the step, or nine and more with little
//    in between (a fused optimizer), are mistaken for steps. A log every ninth step or more often
//    becomes part of the step, and an epoch of up to 150 steps with its validation one step.
//  - What is inside of a step and slow (layers that together take more than a second) is mistaken
//    for the step at first; generation() then grows.
//  - Shapes that differ from step to step never repeat: nothing is found. So do launches of several
//    threads that race.
//  - A program may end before there is proof.
// For all of them there are other ways to say what a step is: a number of launches, ranges.

#include "step_detector.hpp"

#include <algorithm>
#include <span>

namespace rooflab::profile {
namespace {

constexpr std::size_t least_repetitions = 3;

// A small break is an exception after more than this many repetitions; a greater one likewise.
constexpr std::size_t few_before_small_break = 8;
constexpr std::size_t few_before_break = 150;

/// Launches that may come in between for a break to be small.
std::size_t small_break(std::size_t period) {
  constexpr std::size_t shortest = 8;
  constexpr std::size_t part = 16;
  return period < shortest ? 0 : std::max<std::size_t>(1, period / part);
}

/// What is seen once could be a coincidence where it is this short.
constexpr std::size_t launches_to_recognise = 16;

/// The history is looked at when it has grown by an eighth.
std::size_t look_after(std::size_t length) { return length + std::max<std::size_t>(8, length / 8); }

/// borders[i]: length of the longest proper prefix of the first i + 1 items that is their suffix.
template <class Same>
void find_borders(std::size_t length, std::vector<std::uint32_t>& borders, Same same) {
  borders.resize(length);
  if (length == 0) return;
  borders[0] = 0;
  std::size_t border = 0;
  for (std::size_t i = 1; i < length; ++i) {
    while (border > 0 && !same(i, border)) border = borders[border - 1];
    if (same(i, border)) ++border;
    borders[i] = static_cast<std::uint32_t>(border);
  }
}

}  // namespace

StepEvent StepDetector::before_launch(std::uint64_t fingerprint, double now_s) {
  switch (state_) {
    case State::following:
      return follow(fingerprint, now_s);
    case State::resuming:
      return resume(fingerprint, now_s);
    case State::lost:
    case State::searching:
      break;
  }
  return look_out(fingerprint, now_s);
}

void StepDetector::search_anew() {
  if (state_ != State::searching) return;
  history_.clear();
  next_look_ = look_after(0);
}

StepEvent StepDetector::follow(std::uint64_t fingerprint, double now_s) {
  const bool first = next_ == 0;
  if (fingerprint != step_[next_]) return break_off(fingerprint, now_s);
  ++since_found_;
  ++covered_;
  if (first) {
    if (in_step_) ++run_, ++long_run_;
    in_step_ = true;
  }
  if (++next_ == step_.size()) next_ = 0;
  if (!in_step_) return StepEvent::searching;
  return first ? StepEvent::begins : StepEvent::inside;
}

// The current step is void, unless it had just ended.
StepEvent StepDetector::break_off(std::uint64_t fingerprint, double now_s) {
  if (next_ == 0 && in_step_) ++run_, ++long_run_;
  in_step_ = false;
  ++breaks_;
  extra_ = 0;
  matched_ = 0;
  whole_ = 0;
  history_.clear();
  next_look_ = look_after(0);
  state_ = State::resuming;
  (void)resume(fingerprint, now_s);
  return StepEvent::broke;
}

StepEvent StepDetector::resume(std::uint64_t fingerprint, double now_s) {
  if (fingerprint == step_[next_]) {
    if (next_ == 0) {  // the break came between two steps, and here is the next
      state_ = State::following;
      if (run_ > few_before_small_break) {
        run_ = 0;
        return follow(fingerprint, now_s);
      }
      forget(few_before_small_break + 1);
      return look_out(fingerprint, now_s);
    }
    ++since_found_;
    ++covered_;
    remember(fingerprint, now_s);
    take_up(fingerprint);
    if (++next_ < step_.size()) return StepEvent::searching;
    next_ = 0;
    state_ = State::following;
    if (run_ <= few_before_small_break) forget(few_before_small_break + 1);
    run_ = 0;
    return StepEvent::searching;
  }
  ++since_found_;
  remember(fingerprint, now_s);
  take_up(fingerprint);
  if (++extra_ > small_break(step_.size())) interrupted_for_long();
  return StepEvent::searching;
}

// Handles launches without a known place: the known step may begin again, or another one be found.
StepEvent StepDetector::look_out(std::uint64_t fingerprint, double now_s) {
  if (state_ == State::lost) {
    ++since_found_;
    take_up(fingerprint);
    if (matched_ == 0 && whole_ * step_.size() >= launches_to_recognise) {
      state_ = State::following;
      next_ = 0;
      // How long it had gone on by then is not known.
      run_ = std::max(whole_, few_before_small_break + 1);
      long_run_ = run_;
      covered_ += whole_ * step_.size();
      return StepEvent::searching;
    }
  }
  remember(fingerprint, now_s);
  return history_.size() < next_look_ ? StepEvent::searching : look();
}

/// How much of the step's beginning the last launches are.
void StepDetector::take_up(std::uint64_t fingerprint) {
  while (fingerprint != step_[matched_]) {
    whole_ = 0;
    if (matched_ == 0) return;
    matched_ = step_borders_[matched_ - 1];
  }
  if (++matched_ < step_.size()) return;
  matched_ = 0;
  ++whole_;
}

void StepDetector::interrupted_for_long() {
  constexpr std::size_t breaks_to_tell = 3;
  const bool rare = breaks_ >= breaks_to_tell && 2 * covered_ < since_found_;
  if (long_run_ <= few_before_break || rare) {
    return forget(rare ? 2 * long_run_ : std::min(2 * long_run_, few_before_break + 1));
  }
  state_ = State::lost;
}

void StepDetector::forget(std::size_t demanded_repetitions) {
  demand_ = std::max(demand_, std::min(demanded_repetitions * step_.size(), proof_.history / 4));
  step_.clear();
  in_step_ = false;
  state_ = State::searching;
}

void StepDetector::remember(std::uint64_t fingerprint, double now_s) {
  if (history_.size() >= std::max<std::size_t>(proof_.history, 16)) {
    history_.erase(history_.begin(),
                   history_.begin() + static_cast<std::ptrdiff_t>(history_.size() / 2));
    next_look_ = look_after(history_.size());
  }
  history_.push_back({fingerprint, now_s});
}

/// The smallest period of launches of the history; their number where they have none.
std::size_t StepDetector::period_of(std::size_t first, std::size_t length) {
  if (length == 0) return 0;
  const std::span launches = std::span(history_).subspan(first, length);
  find_borders(length, borders_, [&](std::size_t a, std::size_t b) {
    return launches[a].fingerprint == launches[b].fingerprint;
  });
  return length - borders_[length - 1];
}

StepEvent StepDetector::look() {
  const std::size_t length = history_.size();
  const std::size_t half = length / 2;
  next_look_ = look_after(length);
  const std::size_t period = period_of(length - half, half);
  if (period == 0 || least_repetitions * period > half) return StepEvent::searching;
  Stretch stretch = {length - half, length, period, 0};
  while (stretch.first > 0 && history_[stretch.first - 1].fingerprint ==
                                  history_[stretch.first - 1 + period].fingerprint) {
    --stretch.first;
  }
  stretch.repetitions = stretch.length() / period;
  if (!proven(stretch)) return StepEvent::searching;
  return adopt(without_exception(period).value_or(stretch));
}

bool StepDetector::proven(const Stretch& stretch) const {
  std::size_t demand = demand_;
  if (state_ == State::lost) {
    demand = std::max(demand, std::min(2 * long_run_ * step_.size(), proof_.history / 4));
  }
  if (stretch.length() < demand) return false;
  const double time_s = history_[stretch.end - 1].time_s - history_[stretch.first].time_s;
  return time_s >= proof_.time_s || stretch.repetitions >= proof_.many ||
         (stretch.repetitions >= proof_.repetitions && time_s >= 0.1 * proof_.time_s);
}

/// Where the last launches, which are a period, are a step many times over and something small in
/// between: a stretch of that step.
std::optional<StepDetector::Stretch> StepDetector::without_exception(std::size_t period) {
  const std::size_t begin = history_.size() - period;
  const auto at = [&](std::size_t i) { return history_[begin + i % period].fingerprint; };
  // What is in between is in one half only.
  const std::size_t half = period / 2;
  for (const std::size_t first : {std::size_t{0}, period - half}) {
    const std::size_t inner = period_of(begin + first, half);
    const std::size_t small = inner == 0 ? 0 : small_break(inner);
    if (small == 0 || period / inner <= few_before_small_break || period < demand_) continue;
    const std::size_t rest = period % inner;
    if (std::min(rest, inner - rest) > small) continue;
    // Up to a step before what is in between, and itself, differ from what comes a step later.
    std::size_t different = 0;
    for (std::size_t i = 0; i < period; ++i) different += at(i) != at(i + inner) ? 1U : 0U;
    if (different <= inner + 2 * small) {
      return Stretch{begin + first, begin + first + half, inner, period / inner};
    }
  }
  return std::nullopt;
}

/// Ordinal within the period that begins with the stretch.
std::size_t StepDetector::beginning_of(const Stretch& stretch) const {
  constexpr std::size_t most = 15;  // enough for a median
  const std::size_t repetitions = (stretch.length() - 1) / stretch.period;
  const std::size_t used = std::min(repetitions, most);
  std::vector<double> gaps;
  double largest = -1.0;
  std::size_t beginning = 0;
  for (std::size_t ordinal = 0; ordinal < stretch.period; ++ordinal) {
    gaps.clear();
    // The last ones, and never the very first launch: what came before it was no step.
    for (std::size_t each = 0; each < used; ++each) {
      const std::size_t place = stretch.first + ordinal + (repetitions - each) * stretch.period;
      if (place >= stretch.end) continue;
      gaps.push_back(history_[place].time_s - history_[place - 1].time_s);
    }
    if (gaps.empty()) continue;
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
    std::ranges::nth_element(gaps, middle);
    const double median = *middle;
    // Where the repetition began has a bonus.
    if (median > (ordinal > 0 && beginning == 0 ? 2.0 * largest : largest)) {
      largest = median;
      beginning = ordinal;
    }
  }
  return beginning;
}

StepEvent StepDetector::adopt(const Stretch& stretch) {
  const std::size_t begin = stretch.first + beginning_of(stretch);
  step_.resize(stretch.period);
  for (std::size_t ordinal = 0; ordinal < stretch.period; ++ordinal) {
    step_[ordinal] = history_[begin + ordinal].fingerprint;
  }
  find_borders(stretch.period, step_borders_,
               [&](std::size_t a, std::size_t b) { return step_[a] == step_[b]; });
  run_ = stretch.repetitions;
  long_run_ = run_;
  breaks_ = 0;
  covered_ = 0;
  since_found_ = 0;
  matched_ = 0;
  whole_ = 0;
  ++generation_;
  // Launches since a beginning, where the stretch goes on until now.
  next_ = (stretch.end - begin) % stretch.period;
  const bool now = stretch.end == history_.size();
  in_step_ = now && (next_ == 1 || stretch.period == 1);
  state_ = now ? State::following : State::lost;
  history_.clear();
  next_look_ = look_after(0);
  return in_step_ ? StepEvent::begins : StepEvent::searching;
}

}  // namespace rooflab::profile
