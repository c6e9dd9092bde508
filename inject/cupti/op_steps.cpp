#include "op_steps.hpp"

namespace rooflab::inject {
namespace {

/// The program begins to tell within a step, tells the next one, and ends its recording within
/// another. A step may break off under the recording.
constexpr int most_steps = 10;
/// A program without anything that it could tell does not lose many steps.
constexpr std::chrono::milliseconds longest_silence{500};
/// An outermost module may run that long before the next is called.
constexpr std::chrono::seconds longest_call{2};
/// Part of a run without steps.
constexpr std::chrono::milliseconds longest_part{500};
constexpr std::size_t most_told_in_part = 200'000;

}  // namespace

bool OpSteps::begin() {
  if (!OpTeller::here().is_offered()) return false;
  active_ = true;
  whole_ = found_ = heard_ = false;
  steps_ = 0;
  told_ = 0;
  asked_at_ = Clock::now();
  OpTeller::here().ask();
  return true;
}

bool OpSteps::begin_steps(std::size_t launches_per_step) {
  if (asked_steps_ || !begin()) return false;
  most_told_ = most_steps * launches_per_step;
  return asked_steps_ = true;
}

void OpSteps::begin_part() {
  asked_part_ = begin();
  most_told_ = most_told_in_part;
}

void OpSteps::launch(std::uint32_t id, std::uint32_t correlation) {
  if (!active_ || found_ || !OpTeller::here().tells()) return;
  if (!heard_) {
    heard_ = true;
    heard_at_ = Clock::now();
    steps_ = 0;
  }
  ++told_;
  file_.lines().op_launch(id, OpTeller::op_of_this_thread(), correlation);
}

bool OpSteps::end_step() {
  OpTeller& teller = OpTeller::here();
  if (whole_ && teller.tells()) {
    found_ = true;
    teller.enough();
  }
  return broke();
}

bool OpSteps::broke() {
  whole_ = false;
  if (OpTeller::here().has_told()) return true;
  if (++steps_ < most_steps) return false;
  return heard_ || Clock::now() - asked_at_ >= longest_silence;
}

bool OpSteps::has_told_enough() {
  if (OpTeller::here().has_told()) return true;
  const auto now = Clock::now();
  if (!heard_) return now - asked_at_ >= longest_call;
  if (now - heard_at_ >= longest_part || is_overdue()) stop();
  return false;
}

void OpSteps::stop() {
  found_ = heard_;
  OpTeller::here().enough();
}

void OpSteps::end() {
  if (!active_) return;
  active_ = false;
  OpTeller& teller = OpTeller::here();
  const std::string trouble = teller.trouble();
  teller.enough();
  if (!trouble.empty()) {
    file_.lines().warning("the ops of the program were not recorded: " + trouble,
                          "FLOPs and bytes by op are not known");
  }
  file_.lines().flush();
}

}  // namespace rooflab::inject
