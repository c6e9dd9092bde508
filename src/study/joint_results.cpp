#include "joint_results.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "page/slug.hpp"

namespace rooflab::study {
namespace {

/// A case as one machine plans it, and what came of it there.
struct Entry {
  const MachineResults* machine = nullptr;
  PlannedCase* planned = nullptr;
  std::optional<CaseOutcome> outcome;

  [[nodiscard]] bool ran_as_asked() const { return outcome && is_as_asked(*planned); }
};

/// All ids, a machine's own behind that which it follows in its plan.
std::vector<std::string> ids_of(std::span<const MachineResults> machines) {
  std::vector<std::string> ids;
  for (const MachineResults& each : machines) {
    auto behind = ids.begin();
    for (const PlannedCase& planned : each.plan) {
      auto place = std::ranges::find(ids, planned.id);
      if (place == ids.end()) place = ids.insert(behind, planned.id);
      behind = std::next(place);
    }
  }
  return ids;
}

/// Those that ran as asked for, each once; else the first that ran at all, else the first that
/// could.
std::vector<Entry*> chosen_of(std::vector<Entry>& entries) {
  std::vector<Entry*> chosen;
  for (Entry& each : entries) {
    const auto is_same = [&each](const Entry* other) {
      const bool is_anywhere =
          !is_of_machine(*each.planned) || each.machine->folder == other->machine->folder;
      return is_anywhere && command_of(*each.planned) == command_of(*other->planned);
    };
    if (each.ran_as_asked() && std::ranges::none_of(chosen, is_same)) chosen.push_back(&each);
  }
  if (!chosen.empty()) return chosen;
  auto first = std::ranges::find_if(entries, [](const Entry& each) { return bool(each.outcome); });
  if (first == entries.end()) {
    first = std::ranges::find_if(entries,
                                 [](const Entry& each) { return each.planned->skipped.empty(); });
  }
  return {first == entries.end() ? &entries.front() : &*first};
}

}  // namespace

JointResults join_results(std::vector<MachineResults> machines) {
  std::map<std::string, std::vector<Entry>> entries;
  const std::vector<std::string> ids = ids_of(machines);
  for (MachineResults& each : machines) {
    for (PlannedCase& planned : each.plan) {
      entries[planned.id].push_back({&each, &planned, read_outcome(each.folder, planned)});
    }
  }
  const auto is_first = [&](const MachineResults& each) {
    return each.folder == machines.front().folder;
  };
  const bool is_one = std::ranges::all_of(machines, is_first);
  JointResults joint;
  std::set<std::string> taken;
  for (const std::string& id : ids) {
    for (Entry* const each : chosen_of(entries.at(id))) {
      PlannedCase& planned = joint.plan.emplace_back(std::move(*each->planned));
      joint.outcomes.push_back(std::move(each->outcome));
      if (is_one) continue;
      if (is_of_machine(planned)) planned.attributes["machine"] = each->machine->machine;
      if (!taken.insert(planned.id).second) {
        planned.id = format("{}-on-{}", planned.id, page::slug(each->machine->machine));
      }
    }
  }
  return joint;
}

std::set<std::string> cases_run_elsewhere(std::span<const PlannedCase> plan,
                                          std::span<const MachineResults> others) {
  std::set<std::string> in_place;
  for (const PlannedCase& planned : plan) {
    if (!is_as_asked(planned)) in_place.insert(planned.id);
  }
  std::set<std::string> found;
  for (const MachineResults& each : others) {
    for (const PlannedCase& planned : each.plan) {
      const bool is_sought = in_place.contains(planned.id) && is_as_asked(planned);
      if (is_sought && read_outcome(each.folder, planned)) found.insert(planned.id);
    }
  }
  return found;
}

}  // namespace rooflab::study
