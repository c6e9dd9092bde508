// Times of devices of one architecture, in the order of the devices.
//
// Of two devices of one architecture the one that is nowhere worse (is_nowhere_better, the other
// way round) is not slower: the same kernels run on both. Single estimates may say otherwise. Rows
// of two boards were published by different people, times of two boards were carried from different
// devices, and a time that is carried from the op of equal work follows every bump among the rows.
// What is surer decides: rows that `rooflab probe` measured on the device, then published ones of
// it, then what is carried over. With t_d the time of device d by itself,
//
//     least_d    the least t of the devices that are nowhere better than d and as sure, d included
//     time_d     least_d, but at least the times of surer devices that are nowhere worse, and at
//                most those of surer devices that are nowhere better
//
// Both parts keep the order: a device that is nowhere worse has more devices below it, and fewer
// above. So the result does, for all pairs. A device that was probed keeps its times.
//
// By how much the result differs from the device's own estimate widens the deviation.

#include "device_family.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "carrying.hpp"

namespace rooflab::predict {

namespace {

constexpr std::size_t most_shapes = 4096;

}  // namespace

/// Estimates of one shape, for one thread at a time.
struct DeviceFamily::Shared {
  std::mutex mutex;
  Alone alone;
};

DeviceFamily::DeviceFamily(std::vector<TimeModel> members)
    : members_(std::move(members)),
      lesser_(members_.size()),
      better_(members_.size()),
      known_(std::make_unique<decltype(known_)::element_type>(most_shapes)) {
  for (std::size_t one = 0; one < members_.size(); ++one) {
    for (std::size_t other = 0; other < members_.size(); ++other) {
      if (one == other || !is_nowhere_better(members_[one].target(), members_[other].target())) {
        continue;
      }
      lesser_[other].push_back(one);
      better_[one].push_back(other);
    }
  }
}

DeviceFamily::Trust DeviceFamily::trust_in(const OpEstimate& estimate) {
  if (estimate.source != TimeSource::measured_kind) return Trust::carried;
  return estimate.origin.empty() ? Trust::probed : Trust::published;
}

std::optional<std::size_t> DeviceFamily::place_of(const device::Device& device) const {
  const auto at = std::ranges::find(members_, device, &TimeModel::target);
  if (at == members_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - members_.begin());
}

bool DeviceFamily::is_shorter(const Settled& one, const Settled& other) {
  return one.time_s < other.time_s;
}

const OpEstimate& DeviceFamily::alone(const OpShape& shape, Alone& known,
                                      std::size_t member) const {
  if (!known[member]) known[member] = members_[member].estimate(shape);
  return *known[member];
}

DeviceFamily::Settled DeviceFamily::settled(const OpShape& shape, Alone& known,
                                            std::size_t member) const {
  const OpEstimate& own = alone(shape, known, member);
  const Trust trust = trust_in(own);
  // What a device without measurements may take matters to no device with some.
  const auto matters = [&](std::size_t other) {
    return trust == Trust::carried || !members_[other].carried();
  };
  Settled result{own.time_s, &own};
  Settled most{std::numeric_limits<double>::infinity(), nullptr};
  for (const std::size_t other : lesser_[member]) {
    if (!matters(other)) continue;
    const OpEstimate& one = alone(shape, known, other);
    if (trust_in(one) == trust && one.time_s < result.time_s) result = {one.time_s, &one};
    if (trust_in(one) <= trust) continue;
    most = std::min(most, settled(shape, known, other), is_shorter);
  }
  if (most.time_s < result.time_s) result = most;
  for (const std::size_t other : better_[member]) {
    if (!matters(other) || trust_in(alone(shape, known, other)) <= trust) continue;
    result = std::max(result, settled(shape, known, other), is_shorter);
  }
  return result;
}

OpEstimate DeviceFamily::estimate(const OpShape& shape, std::size_t member) const {
  const std::shared_ptr<Shared> shared = known_->get({shape.kind(), shape.sizes}, [this] {
    auto made = std::make_shared<Shared>();
    made->alone.resize(members_.size());
    return made;
  });
  const std::scoped_lock lock(shared->mutex);
  Alone& known = shared->alone;
  OpEstimate result = alone(shape, known, member);
  const Trust trust = trust_in(result);
  if (trust == Trust::probed) return result;
  const auto [time_s, decides] = settled(shape, known, member);
  result.deviation = std::hypot(result.deviation, std::log(time_s / result.time_s));
  result.time_s = time_s;
  if (trust == Trust::carried && trust_in(*decides) != Trust::carried) {
    result.kind = decides->kind;
    result.device = decides->device;
    result.origin = decides->origin;
    result.source = TimeSource::carried_kind;
  }
  return result;
}

}  // namespace rooflab::predict
