// T = epochs x steps per epoch steps, numbered t = 0 ... T - 1; `peak` is the recipe's rate. The
// rate is set before every step.
//
//   one-cycle   with e = rise T - 1 and the half cosine c(a, b, p) = b + (a - b) (1 + cos pi p) /
//   2:
//                 t <= e: c(peak / 25, peak, t / e)
//                 t >  e: c(peak, peak / 250000, (t - e) / (T - 1 - e))
//               which is torch.optim.lr_scheduler.OneCycleLR with its defaults (div_factor 25,
//               final_div_factor 1e4, anneal_strategy 'cos') but without its cycle of the momentum.
//               Where e <= 0 the rise is left out.
//   constant    peak
//   step        peak x factor^(milestones m with m <= the epoch of t), as MultiStepLR
//   cosine      peak (1 + cos pi (t - w) / (T - w)) / 2, as CosineAnnealingLR taken step by step
//
// A warm-up of w steps (not for one-cycle, which has its own) replaces the first w rates by
// peak (t + 1) / w: linear from 0, which the step before the first would have.
//
// Sources: PyTorch documentation, torch.optim.lr_scheduler; Smith, Topin, "Super-Convergence",
// 2018 (one-cycle); Loshchilov, Hutter, "SGDR", 2017 (cosine); Goyal et al., "Accurate, Large
// Minibatch SGD", 2017 (gradual warm-up).

#include "rooflab/record/training_run.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rooflab/base/statistics.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::record {

std::int64_t Evaluation::images() const {
  std::int64_t sum = 0;
  for (const std::vector<std::int64_t>& row : confusion) {
    for (const std::int64_t count : row) sum += count;
  }
  return sum;
}

std::int64_t Evaluation::correct() const {
  std::int64_t right = 0;
  for (std::size_t i = 0; i < confusion.size(); ++i) right += confusion[i].at(i);
  return right;
}

std::optional<double> Evaluation::accuracy() const {
  return quotient(static_cast<double>(correct()), static_cast<double>(images()));
}

void count_loss(std::vector<Loss>& losses, std::string_view what, std::string_view where) {
  const auto known =
      std::ranges::find_if(losses, [&](const Loss& loss) { return loss.what == what; });
  if (known != losses.end()) {
    ++known->count;
  } else {
    losses.push_back({std::string(what), 1, std::string(where)});
  }
}

namespace {

constexpr double first_divisor = 25.0;
constexpr double last_divisor = 1e4;  // of the first rate

double half_cosine(double from, double to, double part) {
  return to + (from - to) * (1.0 + std::cos(std::numbers::pi * part)) / 2.0;
}

double one_cycle(const TrainingRecipe& recipe, double step, double steps) {
  const double peak = recipe.learning_rate;
  const double first = peak / first_divisor;
  const double top = recipe.rise * steps - 1.0;
  if (step <= top && top > 0.0) return half_cosine(first, peak, step / top);
  const double from = std::max(top, 0.0);
  const double fall = steps - 1.0 - from;
  return half_cosine(peak, first / last_divisor, fall > 0.0 ? (step - from) / fall : 1.0);
}

}  // namespace

double learning_rate_at(const TrainingRecipe& recipe, std::int64_t step,
                        std::int64_t steps_per_epoch) {
  const auto steps = static_cast<double>(recipe.epochs * steps_per_epoch);
  const auto now = std::min(static_cast<double>(step), steps - 1.0);
  if (recipe.schedule == LearningRateSchedule::one_cycle) return one_cycle(recipe, now, steps);
  const double warmup = recipe.warmup_epochs * static_cast<double>(steps_per_epoch);
  if (now < warmup) return recipe.learning_rate * std::min((now + 1.0) / warmup, 1.0);
  switch (recipe.schedule) {
    case LearningRateSchedule::step: {
      const std::int64_t epoch = static_cast<std::int64_t>(now) / steps_per_epoch;
      const auto passed = std::ranges::count_if(
          recipe.milestones, [&](std::int64_t milestone) { return milestone <= epoch; });
      return recipe.learning_rate * std::pow(recipe.step_factor, passed);
    }
    case LearningRateSchedule::cosine:
      return half_cosine(recipe.learning_rate, 0.0, (now - warmup) / (steps - warmup));
    case LearningRateSchedule::constant:
    case LearningRateSchedule::one_cycle:
      break;
  }
  return recipe.learning_rate;
}

}  // namespace rooflab::record
