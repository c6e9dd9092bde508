#include "op_steps.hpp"

namespace rooflab::inject {
namespace {

/// The program begins to tell within a step, tells the next one, and ends its recording within
/// another. A step may break off under the recording.
constexpr int most_steps = 10;
/// A program without anything that it could tell does not lose many steps.
constexpr std::chrono::seconds longest_silence{2};

}  // namespace

bool OpSteps::begin() {
  if (asked_ || !OpTeller::here().is_offered()) return false;
  asked_ = active_ = true;
  asked_at_ = std::chrono::steady_clock::now();
  OpTeller::here().ask();
  return true;
}

void OpSteps::launch(std::uint32_t id) {
  if (!active_ || found_ || !OpTeller::here().tells()) return;
  if (!heard_) {
    heard_ = true;
    steps_ = 0;
    file_.ops_in();
  }
  file_.lines().op_launch(id, OpTeller::op_of_this_thread());
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
  return heard_ || std::chrono::steady_clock::now() - asked_at_ >= longest_silence;
}

void OpSteps::end() {
  if (!active_) return;
  active_ = false;
  OpTeller& teller = OpTeller::here();
  const std::string trouble = teller.trouble();
  teller.close();
  if (!trouble.empty()) {
    file_.lines().warning("the ops of the program were not recorded: " + trouble,
                          "FLOPs and bytes by op are not known");
  }
  file_.lines().flush();
}

}  // namespace rooflab::inject
