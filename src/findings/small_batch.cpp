// The batch is too small for the device.
//
//   trace   blocks over multiprocessors of the kernels that run, at most 1, over their time: e
//           (SM efficiency while busy, of the device with most kernels). Said where e is below 0.7.
//           Worth: (1 - e) of the time in which a kernel runs, at most what others leave of it.
//   predicted   T(B) of B samples and T(2B) of twice as many are both predicted; the gain is
//               1 - T(2B) / (2 T(B)). Worth: T(B) - T(2B) / 2, what B samples of the larger batch
//               take less, without what the finding of the host saves. The samples of both batches
//               share the weights, so that the floor is half of the step's.
//
// Source: e is estimated from the sizes of the launches (docs/methods/traces.md). When it is wrong:
// a kernel of few blocks that is bound by memory may be as fast as one that fills the device.

#include <algorithm>

#include "rules.hpp"

namespace rooflab::findings {
namespace {

constexpr double filled_share = 0.7;

}  // namespace

void add_small_batch(const TraceFacts& trace, FindingList& found) {
  const std::vector<trace::DeviceUse>& devices = trace.panes.devices;
  const auto most = std::ranges::max_element(devices, {}, &trace::DeviceUse::kernels);
  if (most == devices.end() || !most->sm_efficiency_busy) return;
  const double filled = *most->sm_efficiency_busy;
  if (filled >= filled_share) return;
  found.add(FindingKind::small_batch, {filled, {}, {}, {}},
            std::min((1.0 - filled) * trace.role_ns(trace::StepRole::kernel) * seconds_per_ns,
                     trace.kernels_left_s(found)));
}

void add_small_batch(const NetworkFacts& network, FindingList& found) {
  std::optional<Seconds> half = network.result.doubled_batch;
  if (half) half->value /= 2.0;
  const std::optional<double> gain = network.gain(half);
  if (!gain || *gain < row_of(FindingKind::small_batch).least) return;
  const std::int64_t batch = network.result.batch;
  found.set_floor(network.floor_s / 2.0);
  network.advise_twice_the_batch(
      found.add(FindingKind::small_batch, {{}, 2 * batch, batch, *gain},
                *gain * network.step_s - found.worth_of(FindingKind::host_wait)));
}

}  // namespace rooflab::findings
