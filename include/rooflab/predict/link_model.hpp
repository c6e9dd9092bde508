#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rooflab/base/collective.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/device/overlap.hpp"

namespace rooflab::predict {

/// Algorithm of the all-reduce; `automatic` is the faster of the two.
enum class AllReduce { automatic, ring, tree };
constexpr auto names_in_order(For<AllReduce>) {
  return names_through<AllReduce::tree>("automatic", "ring", "tree");
}

/// Time of one message, from measured times where the link was probed, else from bandwidth and
/// latency. The essay is at the head of link_model.cpp.
class LinkModel {
 public:
  explicit LinkModel(const device::Link& link);
  /// Makes a link from measured times; throws Error (input) without times. `beside`: the
  /// datasheet's link for what the times do not show; nullptr: the datasheet names none.
  explicit LinkModel(std::vector<device::LinkRow> rows, const device::Link* beside = nullptr);

  /// Adds measured slowdowns of all-reduces and concurrent kernels.
  void add(std::vector<device::Overlap> overlaps) { overlaps_ = std::move(overlaps); }
  /// Adds a remark about the source of the figures.
  void add(Note note) { notes_.push_back(std::move(note)); }

  /// Seconds of a message of `bytes`, as `Collective` counts them, among `ranks` devices.
  [[nodiscard]] double seconds(Collective collective, double bytes, int ranks,
                               AllReduce algorithm = AllReduce::automatic) const;
  [[nodiscard]] double all_reduce_s(double bytes, int ranks,
                                    AllReduce algorithm = AllReduce::automatic) const {
    return seconds(Collective::all_reduce, bytes, ranks, algorithm);
  }
  /// Seconds of a copy from one device to another.
  [[nodiscard]] double transfer_s(double bytes) const {
    return seconds(Collective::copy, bytes, 2);
  }
  [[nodiscard]] bool measured() const { return !rows_.empty(); }
  /// The link's id; for times `measured` or `published`.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] double bandwidth() const { return bandwidth_; }  ///< B/s, one direction
  [[nodiscard]] double latency_s() const { return latency_s_; }  ///< latency of one message
  /// Standard deviation of log(time) of such messages over `ranks` devices.
  [[nodiscard]] double deviation(int ranks, Collective collective = Collective::all_reduce) const;
  /// Number of multiprocessors that kernels of the collective library occupy.
  [[nodiscard]] int multiprocessors() const { return multiprocessors_; }
  /// Overlap measured with this number of devices, else with the nearest; nullopt: not measured.
  [[nodiscard]] std::optional<device::Overlap> overlap(int ranks) const;
  /// Notes about a prediction for this number of devices.
  [[nodiscard]] std::vector<Note> notes(int ranks) const;

 private:
  std::string name_;
  double bandwidth_ = 0.0;
  double latency_s_ = 0.0;
  int multiprocessors_ = 0;
  std::vector<device::LinkRow> rows_;  ///< sorted by collective, ranks and bytes; times never fall
  std::vector<device::Overlap> overlaps_;
  std::vector<Note> notes_;
};

}  // namespace rooflab::predict
