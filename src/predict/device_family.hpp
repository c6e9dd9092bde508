#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rooflab/device/device.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {

/// Devices of one architecture of which some are nowhere better than others. Their times are put in
/// that order. The rule is at the head of device_family.cpp. It remembers its estimates, so each
/// thread needs a family of its own.
class DeviceFamily {
 public:
  /// Each model knows one device and nothing of the others.
  explicit DeviceFamily(std::vector<TimeModel> members);

  /// The place of a device; nullopt: the family lacks it.
  [[nodiscard]] std::optional<std::size_t> place_of(const std::string& device) const;
  [[nodiscard]] OpEstimate estimate(const OpShape& shape, std::size_t member);

 private:
  /// How sure a member's own time is, from the least.
  enum class Trust { carried, published, probed };
  static Trust trust_in(const OpEstimate& estimate);

  /// Estimates of one shape that were made so far, by member.
  using Alone = std::vector<std::optional<OpEstimate>>;
  const OpEstimate& alone(const OpShape& shape, Alone& known, std::size_t member) const;
  struct Settled {
    double time_s;
    const OpEstimate* decides;  ///< the member's own, or that of another one
  };
  static bool is_shorter(const Settled& one, const Settled& other);
  [[nodiscard]] Settled settled(const OpShape& shape, Alone& known, std::size_t member) const;

  std::vector<TimeModel> members_;
  std::vector<std::vector<std::size_t>> lesser_;  ///< those that are nowhere better, by member
  std::vector<std::vector<std::size_t>> better_;
  std::map<std::pair<std::string, std::vector<double>>, Alone> known_;  ///< keys: kind, sizes
};

}  // namespace rooflab::predict
