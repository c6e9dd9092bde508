#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/memo.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {

/// Devices of one architecture, some of which are not better than others in any figure; their times
/// are put in this order. The rule is at the head of device_family.cpp. Threads may share a family;
/// it remembers some thousand estimates.
class DeviceFamily {
 public:
  /// Takes one model per device, each without knowledge of the others.
  explicit DeviceFamily(std::vector<TimeModel> members);

  /// Place of a device with these very figures; nullopt: not in the family.
  [[nodiscard]] std::optional<std::size_t> place_of(const device::Device& device) const;
  [[nodiscard]] OpEstimate estimate(const OpShape& shape, std::size_t member) const;

 private:
  /// Certainty of a member's own time, from the lowest.
  enum class Trust { carried, published, probed };
  static Trust trust_in(const OpEstimate& estimate);

  /// Estimates of one shape so far, by member.
  using Alone = std::vector<std::optional<OpEstimate>>;
  struct Shared;
  const OpEstimate& alone(const OpShape& shape, Alone& known, std::size_t member) const;
  struct Settled {
    double time_s;
    const OpEstimate* decides;  ///< estimate of the member or of another one
  };
  static bool is_shorter(const Settled& one, const Settled& other);
  [[nodiscard]] Settled settled(const OpShape& shape, Alone& known, std::size_t member) const;

  std::vector<TimeModel> members_;
  std::vector<std::vector<std::size_t>> lesser_;  ///< members not better in any figure, by member
  std::vector<std::vector<std::size_t>> better_;
  /// Keys: kind, sizes.
  std::unique_ptr<Memo<std::pair<std::string, std::vector<double>>, std::shared_ptr<Shared>>>
      known_;
};

}  // namespace rooflab::predict
