#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// A count that may grow, with its limits.
struct CountRange {
  std::int64_t least = 1;
  std::optional<std::int64_t> most = std::nullopt;  ///< nullopt: unbounded
};

/// Result of a search for the largest count.
struct LargestCount {
  std::optional<std::int64_t> count = {};  ///< nullopt: not even the smallest fits
  bool end_of_range = false;               ///< the range ends before the boundary
  /// A larger count that holds again, beyond counts that do not; nullopt: none was found.
  std::optional<std::int64_t> further{};
};

/// Begin of a search.
struct SearchStart {
  std::int64_t count = 0;
  std::int64_t step = 1;  ///< distance of the first try from there
};

/// Finds the largest count for which `holds` is true, by doubling steps from `start` (default: the
/// smallest) and then bisection. `holds` must not become true again beyond the first false one. An
/// Error (input), as for counts beyond 64 bits, counts as false. Tries about 2 log2(distance
/// between start and result) counts. Throws Error (usage) for a range without a count.
[[nodiscard]] LargestCount largest_count(const CountRange& range,
                                         const std::function<bool(std::int64_t)>& holds,
                                         std::optional<SearchStart> start = std::nullopt);

/// Finds the largest count up to which every tried count holds, for a `holds` that may fail for
/// some counts and be true again beyond them. Around the boundary of largest_count() it tries
/// counts whose distance grows by half each time, from the smallest count to twice the boundary; a
/// failure among the smaller ones moves the boundary below it. Counts between the tried ones are
/// not checked.
[[nodiscard]] LargestCount every_count_up_to(const CountRange& range,
                                             const std::function<bool(std::int64_t)>& holds,
                                             std::optional<SearchStart> start = std::nullopt);

/// Method of searching the boundary of a frontier.
enum class Boundary {
  sharp,   ///< largest_count: nothing holds beyond the first count that does not
  ragged,  ///< every_count_up_to
};

/// Estimates the largest count for which `used` stays within `room`, as a start of a search: for
/// large counts use is about proportional to the count. `used` returns nullopt for a count that
/// does not hold. Tries a few counts, each 64 times the last, and two derived from them; nullopt:
/// no estimate.
[[nodiscard]] std::optional<SearchStart> proportional_start(
    const CountRange& range, const std::function<std::optional<double>(std::int64_t)>& used,
    double room);

/// Largest values of several counts and which of them were varied.
struct FrontierPoint {
  /// `together`, `conv further`, `conv alone`; `batch`; `context at batch 4`
  std::string varied = {};
  /// Nothing of `varied` can grow by one; empty: nothing fits
  std::vector<std::int64_t> counts = {};
  bool end_of_range = false;
  std::vector<std::int64_t> further{};  ///< larger counts that hold again; empty: none found
};

/// Frontier of several counts: all grown together from their minimum by the same number of steps;
/// from there each further by itself; and each alone with the others at their minimum. One count
/// gives a single point. For a slow `holds` the search can start at `expected`, a frontier of the
/// same ranges, with steps of 1/50, or for a single count at `start`.
[[nodiscard]] std::vector<FrontierPoint> frontier(
    std::span<const std::string> names, std::span<const CountRange> ranges,
    const std::function<bool(std::span<const std::int64_t>)>& holds,
    std::span<const FrontierPoint> expected = {}, std::optional<SearchStart> start = std::nullopt,
    Boundary boundary = Boundary::sharp);

/// Frontier of two counts whose product matters, such as batch and context: each by itself with the
/// other as `given`, and the second for values of the first from smallest to largest, a factor of
/// four apart (`context at batch 4`).
[[nodiscard]] std::vector<FrontierPoint> size_frontier(
    std::span<const std::string> names, std::span<const CountRange> ranges,
    std::span<const std::int64_t> given,
    const std::function<bool(std::span<const std::int64_t>)>& holds,
    std::span<const FrontierPoint> expected = {}, Boundary boundary = Boundary::sharp);

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
  std::optional<cost::Cost> cost = {};  ///< nullopt: the op has no rule
  std::optional<Seconds> time = {};     ///< nullopt: no cost, or no figure for its path
  Bound bound = Bound::none;
  std::optional<ArithmeticPath> matrix_path = {};  ///< nullopt: no matrix work
};

/// Work of the forward or the backward pass.
struct PassWork {
  Flops flops = {};  ///< matrix and vector work
  Flops matrix_flops = {};
  Bytes bytes = {};  ///< compulsory
};

/// Arithmetic and data movement of a schedule, without a device. Ops without a rule are left out.
struct Work {
  Macs macs = {};
  Macs causal_macs = {};  ///< like macs, with only the visible half of causal attention
  Flops matrix_flops = {};
  Flops vector_flops = {};
  Bytes compulsory_bytes = {};
  /// Forward pass without the loss. nullopt: no ops, or read from a file without this figure.
  std::optional<PassWork> forward = {};
  std::optional<PassWork> backward = {};  ///< data and weight gradients, without the optimizer

  void add(const cost::Cost& cost, schedule::Pass pass);
  [[nodiscard]] Flops flops() const { return matrix_flops + vector_flops; }
  /// FLOP per compulsory byte; 0 when nothing is moved.
  [[nodiscard]] double intensity() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<Work>);

/// The limit of a schedule on a device.
struct NetworkLimit : Work {
  std::vector<OpLimit> ops = {};  ///< one for each of schedule.ops
  /// Sum over ops of max(FLOPs / peak of the path, bytes / bandwidth). nullopt when an op's path
  /// has no figure; `missing` then says which.
  std::optional<Seconds> time = {};
  /// The whole network as one perfectly fused op: only its inputs and outputs are moved.
  std::optional<Seconds> ideal_time = {};
  Bytes ideal_bytes = {};
  std::map<ArithmeticPath, Flops> flops_by_path = {};
  std::optional<ArithmeticPath>
      main_path;                           ///< path of the matrix work (vector path if it has none)
  std::optional<double> ridge_point = {};  ///< ridge point of main_path, FLOP per byte
  Bound bound = Bound::none;               ///< total intensity against the ridge point
  std::vector<std::string> missing = {};   ///< figures that the device lacks, one sentence each

  /// The bound; nullopt without a time.
  [[nodiscard]] std::optional<Bound> known_bound() const {
    return time ? std::optional(bound) : std::nullopt;
  }
};
/// Fields in JSON: all except `ops` and `missing`.
[[nodiscard]] std::span<const Field> fields_of(For<NetworkLimit>);

/// Limit of a schedule: a bound for the direct algorithm, not a prediction. `percent` scales the
/// peaks.
[[nodiscard]] NetworkLimit limit_of(const schedule::Schedule& schedule,
                                    const device::Device& device, PercentOfPeak percent = {});

/// Path of matrix work on operands of `type`: tensor cores where the device has them for that type,
/// with an fp32 accumulator as frameworks ask for; fp32 data stays on the FP32 units unless the
/// precision allows TF32. nullopt: the device has no figure for such a path.
[[nodiscard]] std::optional<ArithmeticPath> matrix_path(const device::Device& device, DType type,
                                                        Precision precision);

/// Path of vector work; `type`: type of the arithmetic (fp32 also for fp16 and bf16 data). nullopt:
/// the device has no figure for it.
[[nodiscard]] std::optional<ArithmeticPath> vector_path(const device::Device& device, DType type);

}  // namespace rooflab::predict
