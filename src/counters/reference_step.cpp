// Which traced kernel is which launch of the step: activities come in no order, but correlations
// rise with the launches. Sorted by those, the traced kernels are searched for the reference step,
// from beginning to end; place i in what is found is launch i. Where it is not found as launched,
// because a launch is a CUDA graph of many kernels, the kernels between the beginnings of two
// traced steps are the step: the sequence that most of the traced steps have. A launch that was
// never traced at its place has the median time of all traced kernels with its signature, or none.

#include "reference_step.hpp"

#include <algorithm>
#include <map>

#include "like_launches.hpp"

namespace rooflab::counters {
namespace {

std::vector<std::size_t> places_of(const std::vector<std::uint32_t>& step,
                                   const ProfileFacts& facts) {
  std::vector<std::uint32_t> launches;
  launches.reserve(facts.kernels.size());
  for (const TracedKernel& kernel : facts.kernels) launches.push_back(facts.like(kernel.signature));
  return places_among(step, launches);
}

/// What ran while the step was searched for is not what it takes.
void leave_search_out(ProfileFacts& facts) {
  if (facts.sequence.empty() || facts.steps.empty()) return;
  const std::int64_t first_ns = facts.steps.front().ns;
  std::erase_if(facts.kernels,
                [first_ns](const TracedKernel& kernel) { return kernel.start_ns < first_ns; });
  std::erase_if(facts.copies,
                [first_ns](const record::CopyEvent& copy) { return copy.start_ns < first_ns; });
}

void take_step_from_windows(const ProfileFacts& facts, ReferenceStep& found) {
  std::map<std::vector<std::uint32_t>, std::size_t> windows;
  auto kernel = facts.kernels.cbegin();
  for (std::size_t i = 0; i + 1 < facts.steps.size(); ++i) {
    const StepBegin& step = facts.steps[i];
    std::vector<std::uint32_t> window;
    for (; kernel != facts.kernels.cend() && kernel->correlation < facts.steps[i + 1].launch;
         ++kernel) {
      if (kernel->correlation >= step.launch) window.push_back(facts.like(kernel->signature));
    }
    if (!step.broke && !window.empty()) ++windows[window];
  }
  const auto most =
      std::ranges::max_element(windows, {}, [](const auto& each) { return each.second; });
  if (most == windows.end()) return;
  found.launches = most->first;
  found.found = places_of(found.launches, facts);
}

}  // namespace

ReferenceStep find_step(ProfileFacts& facts) {
  ReferenceStep found;
  leave_search_out(facts);
  std::ranges::stable_sort(facts.kernels, {}, &TracedKernel::correlation);
  for (const std::uint32_t id : facts.sequence) found.launches.push_back(facts.like(id));
  if (found.launches.empty()) {  // the program ended before it was written: a counted step is one
    for (const auto& [index, set] : facts.sets) {
      if (set.rows.empty()) continue;
      for (const CountedRow& row : set.rows) {
        if (facts.signature(row.signature) != nullptr)
          found.launches.push_back(facts.like(row.signature));
      }
      break;
    }
  }
  found.found = places_of(found.launches, facts);
  if (found.found.empty() && !found.launches.empty()) take_step_from_windows(facts, found);
  return found;
}

}  // namespace rooflab::counters
