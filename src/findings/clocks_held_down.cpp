// Clocks below what the device could do.
//
//   measured   reasons that the driver gave for 5 % of the samples or more, or before or after the
//              steps (record/suspicion.cpp: without idleness and clocks that a user set). Worth:
//              the step times 1 - (mean clock / boost clock), for work whose time goes with the
//              clock; unknown without samples or a boost clock.
//
// Source: NVML API reference, clocks event reasons. When it is wrong: work that the memory bounds
// does not become faster with the clock; at its power limit a device works as hard as it may.

#include <algorithm>

#include "record/record_notes.hpp"
#include "rooflab/base/text.hpp"
#include "rules.hpp"

namespace rooflab::findings {

void add_clocks_held_down(const analyze::MeasuredCase& measured, FindingList& found) {
  std::vector<std::string> reasons;
  for (const Note& warning : measured.warnings) {
    if (warning.code != record::says.clocks_held_down || warning.values.size() < 3)
      continue;
    const std::optional<std::int64_t> in = warning.values[0].count();
    const std::optional<std::int64_t> of = warning.values[1].count();
    const double share =
        in && of && *of > 0 ? static_cast<double>(*in) / static_cast<double>(*of) : 1.0;
    if (share >= row_of(FindingKind::clocks_held_down).least) {
      reasons.push_back(warning.values[2].text());
    }
  }
  if (reasons.empty()) return;
  std::optional<double> boost_share;
  if (measured.model && measured.model->device.boost_clock && measured.samples &&
      measured.samples->sm_clock_hz) {
    boost_share = measured.samples->sm_clock_hz->mean / measured.model->device.boost_clock->value;
  }
  const std::optional<double> step_s = measured.median_s();
  const auto worth_s = boost_share && step_s
                           ? std::optional(*step_s * std::max(0.0, 1.0 - *boost_share))
                           : std::nullopt;
  found.add(FindingKind::clocks_held_down, {join(reasons, ", "), boost_share}, worth_s);
}

}  // namespace rooflab::findings
