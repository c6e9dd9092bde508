// Findings of training runs are the advice that `rooflab train --try` follows
// (training/training_advice.cpp has the rules and their sources): each becomes a finding of the
// kind that says the same, with the advice's own sentence. Worth: unknown, `--try` measures it.

#include "rules.hpp"

namespace rooflab::findings {
namespace {

FindingKind kind_of(training::TrainingLimit limit) {
  using training::TrainingLimit;
  switch (limit) {
    case TrainingLimit::data:
      return FindingKind::data_loading;
    case TrainingLimit::host:
      return FindingKind::host_wait;
    case TrainingLimit::small_batch:
      return FindingKind::small_batch;
    case TrainingLimit::precision:
      return FindingKind::cuda_core_products;
    case TrainingLimit::memory_format:
      return FindingKind::layout_conversion;
    case TrainingLimit::power:
    case TrainingLimit::heat:
      break;
  }
  return FindingKind::clocks_held_down;
}

}  // namespace

void add_training_advice(std::span<const training::TrainingAdvice> advice,
                         const std::string& command, FindingList& found) {
  for (const training::TrainingAdvice& each : advice) {
    Finding& finding = found.add(kind_of(each.limit), {}, {}, std::string());
    advise(finding, command, each.changes);
    finding.words = each.sentence;
  }
}

}  // namespace rooflab::findings
