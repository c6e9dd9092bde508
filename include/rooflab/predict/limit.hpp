#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// A count that may grow, with its limits.
struct CountRange {
  std::int64_t least = 1;
  std::optional<std::int64_t> most = std::nullopt;  ///< nullopt: without an end
};

/// Result of a search for the largest count.
struct LargestCount {
  std::optional<std::int64_t> count;  ///< nullopt: not even the smallest fits
  bool end_of_range = false;          ///< the range's end came before the boundary
  /// A larger one that holds again, where one was found beyond counts that do not.
  std::optional<std::int64_t> further{};
};

/// Begin of a search.
struct SearchStart {
  std::int64_t count = 0;
  std::int64_t step = 1;  ///< the first one away from there
};

/// The largest count for which `holds`, found by doubling steps from `start` (default: the
/// smallest) and then bisection; `holds` must not hold again beyond the first count for which it
/// does not. An Error (input), as for counts beyond 64 bits, is a count that does not hold. Asks
/// for about 2 log2 of the distance between start and result. Throws Error (usage) for a range
/// without a count.
[[nodiscard]] LargestCount largest_count(const CountRange& range,
                                         const std::function<bool(std::int64_t)>& holds,
                                         std::optional<SearchStart> start = std::nullopt);

/// The largest count up to which every count holds, of a `holds` that may fail for some counts and
/// hold again beyond them. Around the boundary that largest_count finds, counts are asked whose
/// distance grows by half each time, down to the least and up to twice the boundary; a failure
/// among the smaller ones moves the boundary below it. What lies between the asked counts is not
/// seen.
[[nodiscard]] LargestCount every_count_up_to(const CountRange& range,
                                             const std::function<bool(std::int64_t)>& holds,
                                             std::optional<SearchStart> start = std::nullopt);

/// How the boundary of a frontier is looked for.
enum class Boundary {
  sharp,   ///< largest_count: nothing holds beyond the first count that does not
  ragged,  ///< every_count_up_to
};

/// A beginning near the largest count with which what is `used` stays within `room`: use grows
/// about in proportion to a large count. `used` is nullopt where the count does not hold. Asks for
/// a few counts, each 64 times the last, and two that follow from those; nullopt: nothing can be
/// said.
[[nodiscard]] std::optional<SearchStart> proportional_start(
    const CountRange& range, const std::function<std::optional<double>(std::int64_t)>& used,
    double room);

/// The largest of several counts at once: what was varied, and the result.
struct FrontierPoint {
  std::string varied;  ///< `together`, `conv further`, `conv alone`; `batch`; `context at batch 4`
  std::vector<std::int64_t> counts;  ///< nothing of `varied` can grow by one; empty: nothing fits
  bool end_of_range = false;
  std::vector<std::int64_t> further{};  ///< larger ones that hold again; empty: none was found
};

/// The frontier of several counts: all at their minimum and then grown together by the same number
/// of steps; from there each further by itself; and each alone with the others at their minimum.
/// One count has a single point. `expected`, a frontier of the same ranges, gives the beginning,
/// with steps of a fiftieth, or `start` does for a single count: for a `holds` that takes long.
[[nodiscard]] std::vector<FrontierPoint> frontier(
    std::span<const std::string> names, std::span<const CountRange> ranges,
    const std::function<bool(std::span<const std::int64_t>)>& holds,
    std::span<const FrontierPoint> expected = {}, std::optional<SearchStart> start = std::nullopt,
    Boundary boundary = Boundary::sharp);

/// The frontier of two counts whose product counts, a batch and a context: each by itself with the
/// other as `given`, and the second at some counts of the first, a factor of four apart, from the
/// least up to the largest (`context at batch 4`).
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
  std::optional<cost::Cost> cost;  ///< nullopt: no rule
  std::optional<Seconds> time;     ///< nullopt: no cost, or no figure for its path
  Bound bound = Bound::none;
  std::optional<ArithmeticPath> matrix_path;  ///< when it does matrix work
};

/// The part of the work that the forward or the backward pass does.
struct PassWork {
  Flops flops;  ///< matrix and vector work
  Flops matrix_flops;
  Bytes bytes;  ///< compulsory
};

/// What a schedule has to compute and to move, without a device. Ops without a rule are left out.
struct Work {
  Macs macs;
  Macs causal_macs;  ///< with only the visible half of causal attention
  Flops matrix_flops;
  Flops vector_flops;
  Bytes compulsory_bytes;
  /// Loss and optimizer are in neither part. nullopt: without ops, or read from a file without it.
  std::optional<PassWork> forward;
  std::optional<PassWork> backward;  ///< data and weight gradients

  void add(const cost::Cost& cost, schedule::Pass pass);
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

/// The path that matrix work on operands of `type` takes on a device: tensor cores where the device
/// has them for that type, with an fp32 accumulator as frameworks ask for; fp32 data stays on the
/// FP32 units unless the precision allows TF32. nullopt: the device has no figure for such a path.
[[nodiscard]] std::optional<ArithmeticPath> matrix_path(const device::Device& device, DType type,
                                                        Precision precision);

/// The path of everything else; `type` is the arithmetic's (fp32 also for fp16 and bf16 data).
[[nodiscard]] std::optional<ArithmeticPath> vector_path(const device::Device& device, DType type);

}  // namespace rooflab::predict
