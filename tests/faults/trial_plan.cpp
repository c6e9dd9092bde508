#include "trial_plan.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <string>

#include "fault_protocol.hpp"

namespace faults {

std::size_t TrialPlan::below(std::size_t end) {
  return end == 0 ? 0 : static_cast<std::size_t>(random_() % end);
}

Disturbance TrialPlan::kill() {
  Disturbance result;
  const bool hangs = !trial_.scenario().hang.empty() && below(4) == 0;
  if (hangs || below(2) == 0) {
    // A worker that waits is killed at any time; others until a little after their usual end.
    const auto longest = trial_.wall() * (hangs ? 30 : 11) / 10;
    result.hangs = hangs;
    result.kill_after =
        std::chrono::microseconds(1 + below(static_cast<std::size_t>(longest.count())));
  } else {
    result.call = static_cast<long>(1 + below(trial_.calls().size()));
  }
  return result;
}

std::vector<Disturbance> TrialPlan::kills(int most) {
  std::vector<Disturbance> runs;
  const auto count = 1 + below(static_cast<std::size_t>(std::min(most, 3)));
  for (std::size_t i = 0; i < count; ++i) runs.push_back(kill());
  return runs;
}

Disturbance TrialPlan::fault_at(const Call& call) {
  Disturbance result;
  result.call = call.number;
  for (const CallKind& kind : call_kinds) {
    if (call.kind != kind.name) continue;
    const auto errors = static_cast<std::size_t>(std::ranges::find(kind.errors, 0) - kind.errors);
    result.error = kind.errors[below(errors)];
  }
  result.stays = below(3) == 0;
  return result;
}

const TrialPlan::Start& TrialPlan::halfway() {
  if (!halfway_) {
    Disturbance kill;
    kill.call = static_cast<long>(trial_.calls().size() / 2);
    halfway_ = Start{{kill}, trial_.calls_after({kill})};
  }
  return *halfway_;
}

std::vector<Disturbance> TrialPlan::fault() {
  const bool first = !trial_.scenario().resumes || below(3) != 0;
  const std::vector<Call> calls = one_of_each(first ? trial_.calls() : halfway().calls);
  std::vector<Disturbance> runs = first ? std::vector<Disturbance>{} : halfway().runs;
  runs.push_back(fault_at(calls[below(calls.size())]));
  return runs;
}

bool TrialPlan::can_be_judged(const Call& call) const {
  const bool fake = trial_.scenario().group == Group::fake && call.program != "rooflab";
  return !fake || call.path.find("/here/d") == std::string::npos;
}

std::vector<Call> TrialPlan::one_of_each(const std::vector<Call>& calls) {
  static const std::regex counted("-[A-Za-z0-9]{6}(?=/|$)|[0-9]+");
  std::map<std::string, std::vector<Call>> alike;
  for (const Call& call : calls) {
    if (!can_be_judged(call)) continue;
    const std::string path = std::regex_replace(call.path, counted, "");
    alike[call.kind + ' ' + call.program + ' ' + path].push_back(call);
  }
  std::vector<Call> chosen;
  for (const auto& [name, group] : alike) chosen.push_back(group[below(group.size())]);
  std::ranges::sort(chosen, {}, &Call::number);
  return chosen;
}

std::vector<std::vector<Disturbance>> TrialPlan::all_faults() {
  std::vector<std::vector<Disturbance>> trials;
  for (const Call& call : one_of_each(trial_.calls())) trials.push_back({fault_at(call)});
  if (!trial_.scenario().resumes) return trials;
  for (const Call& call : one_of_each(halfway().calls)) {
    trials.push_back(halfway().runs);
    trials.back().push_back(fault_at(call));
  }
  return trials;
}

std::vector<std::vector<Disturbance>> TrialPlan::streams_and_pair() {
  std::vector<std::vector<Disturbance>> trials;
  for (const char* const text : {"stdin=closed", "stdout=closed", "stdout=full", "stdout=cut",
                                 "stderr=closed", "stderr=full", "pair"}) {
    trials.push_back(read_disturbances(text));
  }
  return trials;
}

}  // namespace faults
