// The time of a message among devices.
//
// n devices exchange messages of B bytes (Collective says what that counts). With beta the
// bandwidth of one direction of one device and alpha the time of one message to a neighbour,
// software included:
//
//     all-reduce, ring                     2 (n-1)/n B / beta + 2 (n-1) alpha
//     all-reduce, tree                     2 B / beta + 2 ceil(log2 n) alpha
//     all-gather, reduce-scatter (rings)   (n-1)/n B / beta + (n-1) alpha
//     all-to-all (pairs)                   (n-1)/n B / beta + (n-1) alpha
//     broadcast (pipelined ring)           B / beta + (n-1) alpha
//     copy                                 B / beta + alpha
//
// A ring sends n pieces round. An all-reduce does so twice, once to sum and once to tell: it is a
// reduce-scatter and an all-gather. Two binary trees, each with half of the bytes, in which a leaf
// of one is an inner node of the other, keep all links busy with a logarithm of messages.
// `automatic` is the faster of the two, as NCCL chooses. Reduction itself is assumed to keep up
// with the links. Of an all-to-all each device keeps its own part and sends n - 1 others. Sources:
// Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH",
// 2005, sections 4 and 5 (rings, pairwise exchange); Sanders, Speck, Traeff, "Two-tree algorithms
// for full bandwidth broadcast, reduction and scan", Parallel Computing 35, 2009 (double binary
// tree); NCCL 2.4, which has both.
//
// Measured times come first. For a number of ranks that was measured they are interpolated in
// log-log between sizes, made non-decreasing before; below the smallest message its time is
// used, above the largest the last bandwidth goes on. For other numbers of ranks the bus bandwidth,
// B / t times the factor of B / beta above, which nccl-tests define so that it does not depend on
// n, is taken at that message size: between two measured numbers interpolated in log-log over n,
// beyond them that of the nearest. A collective that was not measured takes 0.61 of the all-reduce
// of as many bytes where that was measured (published messages of 8 MiB and more, geometric means:
// 0.61 all-gather, 0.60 reduce-scatter, 0.62 all-to-all, 140 rows each, deviations of 0.11 to
// 0.18), a broadcast half of it, which is one way there and one back. Where an algorithm is asked
// for by name, alpha and beta are fitted to all rows of all-reduces as the ring has them, by least
// squares of the relative error, and put into the formulas. Wrong where hosts with links of several
// speeds take part: the slowest link has to be named.
//
// Deviations are of the logarithm. Published times of NCCL that were left out (docs/methods/
// scaling.md) differ by 0.085 from those of the sizes next to them, by 0.23 from those of other
// numbers of ranks, by 0.42 from the datasheet. Source of the bus bandwidth:
// github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md.

#include "rooflab/predict/link_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "notes/predict_notes.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::predict {
namespace {

using device::LinkRow;

/// What NCCL takes for its fastest transport and for one network card (data/links.toml), for links
/// without such a figure.
constexpr double network_bandwidth = 64e9;
constexpr int fast_multiprocessors = 16;
constexpr int network_multiprocessors = 2;

/// Messages that a device sends one after the other.
double messages_of(Collective collective, int ranks) {
  switch (collective) {
    case Collective::all_reduce:
      return 2.0 * (ranks - 1);
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all:
    case Collective::broadcast:
      return ranks - 1.0;
    case Collective::copy:
      break;
  }
  return 1.0;
}

/// Bytes that a device sends of a message of `bytes`.
double sent_bytes(Collective collective, double bytes, int ranks) {
  return sent_share(collective, ranks) * bytes;
}

bool is_of(const LinkRow& row, Collective collective) {
  return row.collective == name_of(collective);
}

/// What other collectives take of the all-reduce's time.
constexpr double part_of_all_reduce = 0.61;
constexpr double broadcast_of_all_reduce = 0.5;

/// sd of the logarithm of a time.
constexpr double measured_deviation = 0.10;
constexpr double other_ranks_deviation = 0.23;
constexpr double datasheet_deviation = 0.42;

/// t = messages * alpha + bytes / beta, both at least 0.
struct Line {
  double alpha = 0.0;
  double inverse_beta = 0.0;
};

Line fitted(const std::vector<LinkRow>& rows) {
  const auto known = [&rows](Collective collective) {
    return std::ranges::any_of(rows, [&](const LinkRow& row) { return is_of(row, collective); });
  };
  using enum Collective;
  constexpr std::array order = {all_reduce,     copy,       all_gather,
                                reduce_scatter, all_to_all, broadcast};
  const auto found = std::ranges::find_if(order, known);
  if (found == order.end()) {
    throw Error(ErrorKind::input, "no times of known collectives were measured",
                "rooflab probe --links");
  }
  const Collective best = *found;
  double mm = 0.0;
  double mb = 0.0;
  double bb = 0.0;
  double m = 0.0;
  double b = 0.0;
  for (const LinkRow& row : rows) {
    if (!is_of(row, best)) continue;
    const double messages = messages_of(best, row.ranks) / row.time_s;
    const double bytes = sent_bytes(best, row.bytes, row.ranks) / row.time_s;
    mm += messages * messages;
    mb += messages * bytes;
    bb += bytes * bytes;
    m += messages;
    b += bytes;
  }
  const double determinant = mm * bb - mb * mb;
  if (determinant > 1e-12 * mm * bb) {
    const Line line{(m * bb - b * mb) / determinant, (b * mm - m * mb) / determinant};
    if (line.alpha >= 0.0 && line.inverse_beta > 0.0) return line;
  }
  return {0.0, b / bb};
}

/// Rows of one collective and number of ranks, by size.
std::vector<LinkRow> series(const std::vector<LinkRow>& rows, Collective collective, int ranks) {
  std::vector<LinkRow> found;
  for (const LinkRow& row : rows) {
    if (is_of(row, collective) && row.ranks == ranks) found.push_back(row);
  }
  return found;
}

double interpolated(const std::vector<LinkRow>& rows, double bytes) {
  if (bytes <= rows.front().bytes) return rows.front().time_s;
  if (bytes >= rows.back().bytes) return rows.back().time_s * bytes / rows.back().bytes;
  const auto above = std::ranges::upper_bound(rows, bytes, {}, &LinkRow::bytes);
  const auto below = above - 1;
  const double part = std::log(bytes / below->bytes) / std::log(above->bytes / below->bytes);
  return below->time_s * std::pow(above->time_s / below->time_s, part);
}

/// Time at the bus bandwidth of the measured numbers of ranks; nullopt: nothing was measured.
std::optional<double> by_bus_bandwidth(const std::vector<LinkRow>& rows, Collective collective,
                                       double bytes, int ranks) {
  int below = 0;
  int above = std::numeric_limits<int>::max();
  for (const LinkRow& row : rows) {
    if (!is_of(row, collective)) continue;
    if (row.ranks <= ranks) below = std::max(below, row.ranks);
    if (row.ranks >= ranks) above = std::min(above, row.ranks);
  }
  const auto seconds_a_byte = [&](int measured) {
    return interpolated(series(rows, collective, measured), bytes) /
           sent_bytes(collective, bytes, measured);
  };
  const bool ends = above == std::numeric_limits<int>::max();
  if (below == 0 && ends) return std::nullopt;
  const double own_bytes = sent_bytes(collective, bytes, ranks);
  if (below == 0) return own_bytes * seconds_a_byte(above);
  if (ends) return own_bytes * seconds_a_byte(below);
  const double part =
      std::log(static_cast<double>(ranks) / below) / std::log(static_cast<double>(above) / below);
  return own_bytes * std::pow(seconds_a_byte(below), 1.0 - part) *
         std::pow(seconds_a_byte(above), part);
}

}  // namespace

LinkModel::LinkModel(const device::Link& link)
    : name_(link.id),
      bandwidth_(link.bandwidth),
      latency_s_(link.latency_s),
      multiprocessors_(link.multiprocessors.value_or(
          link.bandwidth > network_bandwidth ? fast_multiprocessors : network_multiprocessors)) {}

LinkModel::LinkModel(std::vector<LinkRow> rows, const device::Link* beside)
    : name_("measured"), rows_(std::move(rows)) {
  if (rows_.empty()) {
    throw Error(ErrorKind::input, "no times of links were measured", "rooflab probe --links");
  }
  if (std::ranges::none_of(rows_, [](const LinkRow& row) { return row.origin.empty(); })) {
    name_ = "published";
  }
  const auto place = [](const LinkRow& row) {
    return std::tuple(std::string_view(row.collective), row.ranks, row.bytes);
  };
  std::ranges::sort(rows_, {}, [&place](const LinkRow& row) { return place(row); });
  for (std::size_t i = 1; i < rows_.size(); ++i) {
    const bool same =
        rows_[i].collective == rows_[i - 1].collective && rows_[i].ranks == rows_[i - 1].ranks;
    if (same) rows_[i].time_s = std::max(rows_[i].time_s, rows_[i - 1].time_s);
  }
  const Line line = fitted(rows_);
  latency_s_ = line.alpha;
  bandwidth_ = 1.0 / line.inverse_beta;
  multiprocessors_ = beside != nullptr && beside->multiprocessors ? *beside->multiprocessors
                     : bandwidth_ > network_bandwidth             ? fast_multiprocessors
                                                                  : network_multiprocessors;
}

double LinkModel::seconds(Collective collective, double bytes, int ranks,
                          AllReduce algorithm) const {
  if (ranks < 2 || bytes <= 0.0) return 0.0;
  const bool reduces = collective == Collective::all_reduce;
  if (!reduces || algorithm == AllReduce::automatic) {
    const std::vector<LinkRow> measured = series(rows_, collective, ranks);
    if (!measured.empty()) return interpolated(measured, bytes);
    if (const auto time_s = by_bus_bandwidth(rows_, collective, bytes, ranks)) return *time_s;
    const bool is_part = !reduces && collective != Collective::copy;
    if (is_part && by_bus_bandwidth(rows_, Collective::all_reduce, bytes, ranks)) {
      const double share =
          collective == Collective::broadcast ? broadcast_of_all_reduce : part_of_all_reduce;
      return share * seconds(Collective::all_reduce, bytes, ranks);
    }
  }
  const double ring = sent_bytes(collective, bytes, ranks) / bandwidth_ +
                      messages_of(collective, ranks) * latency_s_;
  if (!reduces || algorithm == AllReduce::ring) return ring;
  const double tree = 2.0 * bytes / bandwidth_ +
                      2.0 * std::ceil(std::log2(static_cast<double>(ranks))) * latency_s_;
  return algorithm == AllReduce::tree ? tree : std::min(ring, tree);
}

double LinkModel::deviation(int ranks, Collective collective) const {
  if (!measured()) return datasheet_deviation;
  return series(rows_, collective, ranks).empty() ? other_ranks_deviation : measured_deviation;
}

std::optional<device::Overlap> LinkModel::overlap(int ranks) const {
  const auto distance = [ranks](const device::Overlap& overlap) {
    return std::abs(std::log(static_cast<double>(overlap.ranks) / ranks));
  };
  const auto nearest = std::ranges::min_element(overlaps_, {}, distance);
  return nearest == overlaps_.end() ? std::nullopt : std::optional(*nearest);
}

std::vector<Note> LinkModel::notes(int ranks) const {
  if (ranks < 2) return {};
  std::vector<Note> notes = notes_;
  if (overlaps_.empty()) notes.push_back({says.overlap_not_measured});
  return notes;
}

}  // namespace rooflab::predict
