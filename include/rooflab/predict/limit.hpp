#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// PALEO's percent of peak: the fraction of the datasheet's arithmetic rate and bandwidth that a
/// program is assumed to reach. Source: Qi et al., "Paleo", ICLR 2017, section 4.
struct PercentOfPeak {
  double compute = 1.0;
  double memory = 1.0;
};
[[nodiscard]] std::span<const Field> fields_of(For<PercentOfPeak>);

enum class Bound { none, memory, compute };
constexpr auto names_in_order(For<Bound>) {
  return names_through<Bound::compute>("none", "memory", "compute");
}

/// The shortest time of one scheduled op on a device.
struct OpLimit {
  std::optional<cost::Cost> cost;  ///< nullopt: no rule
  std::optional<Seconds> time;     ///< nullopt: no cost, or no figure for its path
  Bound bound = Bound::none;
  std::optional<ArithmeticPath> matrix_path;  ///< when it does matrix work
};

/// What a schedule has to compute and to move, without a device. Ops without a rule are left out.
struct Work {
  Macs macs;
  Macs causal_macs;  ///< with only the visible half of causal attention
  Flops matrix_flops;
  Flops vector_flops;
  Bytes compulsory_bytes;

  [[nodiscard]] Flops flops() const { return matrix_flops + vector_flops; }
  /// FLOP per compulsory byte; 0 when nothing is moved.
  [[nodiscard]] double intensity() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<Work>);

/// The limit of a schedule on a device.
struct NetworkLimit : Work {
  std::vector<OpLimit> ops;  ///< one for each of schedule.ops
  /// Sum over ops of max(FLOPs / peak of the path, bytes / bandwidth). nullopt when an op's path
  /// has no figure; `missing` then says which.
  std::optional<Seconds> time;
  /// The whole network as one perfectly fused op: only what enters and leaves it is moved.
  std::optional<Seconds> ideal_time;
  Bytes ideal_bytes;
  std::map<ArithmeticPath, Flops> flops_by_path;
  std::optional<ArithmeticPath>
      main_path;                      ///< path of the matrix work (vector path if it has none)
  std::optional<double> ridge_point;  ///< ridge point of main_path, FLOP per byte
  Bound bound = Bound::none;          ///< intensity of the whole against the ridge point
  std::vector<std::string> missing;   ///< figures that the device lacks, one sentence each

  /// nullopt without a time.
  [[nodiscard]] std::optional<Bound> known_bound() const {
    return time ? std::optional(bound) : std::nullopt;
  }
};
/// All but `ops` and `missing`.
[[nodiscard]] std::span<const Field> fields_of(For<NetworkLimit>);

/// A limit is a bound for the direct algorithm, not a prediction. Percentages scale the peaks.
[[nodiscard]] NetworkLimit limit_of(const schedule::Schedule& schedule,
                                    const device::Device& device, PercentOfPeak percent = {});

}  // namespace rooflab::predict
