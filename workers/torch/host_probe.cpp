// The probe of a calibration takes one item after the other. Here all take turns, so that what else
// the machine does in this second disturbs every class alike, and a round may be the last one at
// any time. Two rounds warm up: they choose algorithms and load kernels.
//
// A cost is the first decile of its rounds, as a calibration's is; `jitter` is the median over it,
// in the middle of all chains.

#include "host_probe.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "clock.hpp"
#include "engine/host_grid.hpp"
#include "issue_chain.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::torch_worker {
namespace {

/// 4 MB at a time, since the network still holds its memory; all chains together need about 6.
constexpr std::int64_t pool_elements = 1 << 20;

using engine::HostItem;
using engine::ProbeKind;
using engine::ProbeResult;

/// An item of the grid between its turns.
class Turn {
 public:
  Turn(const HostItem& item, DeviceBackend& backend, OperandPool& pool)
      : graph_(graph::parse_text(item.item.graph, "item")), backend_(backend) {
    if (item.item.kind == ProbeKind::optimizer) {
      optimizer_ = optimizer_of(item.item, graph_, pool);
    } else {
      chain_.emplace(item.item, graph_, backend, pool);
    }
  }

  void run() {
    if (chain_) return chain_->run();
    backend_.synchronize();
    const Clock::time_point start = Clock::now();
    optimizer_->step();
    steps_s_.push_back(seconds_since(start));
  }
  void forget() {
    if (chain_) chain_->forget();
    steps_s_.clear();
  }

  [[nodiscard]] ProbeResult result() const {
    if (chain_) return chain_->result();
    ProbeResult result;
    result.issue_s = quantile(steps_s_, undisturbed);
    return result;
  }
  [[nodiscard]] std::optional<double> jitter() const {
    return chain_ ? std::optional(chain_->jitter()) : std::nullopt;
  }

 private:
  graph::Graph graph_;
  DeviceBackend& backend_;
  std::optional<IssueChain> chain_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<double> steps_s_;
};

/// All items; those that the framework refuses drop out.
class Turns {
 public:
  Turns(const std::vector<HostItem>& items, DeviceBackend& backend)
      : pool_(backend.device(), pool_elements) {
    for (const HostItem& item : items) {
      turns_.emplace_back();
      unless_refused(turns_.back(),
                     [&] { turns_.back() = std::make_unique<Turn>(item, backend, pool_); });
    }
  }

  void round() {
    for (std::unique_ptr<Turn>& turn : turns_) {
      if (turn) unless_refused(turn, [&turn] { turn->run(); });
    }
  }
  void forget() {
    for (const std::unique_ptr<Turn>& turn : turns_) {
      if (turn) turn->forget();
    }
  }

  [[nodiscard]] std::vector<ProbeResult> results() const {
    std::vector<ProbeResult> results;
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      if (!turns_[i]) continue;
      results.push_back(turns_[i]->result());
      results.back().item = i;
    }
    return results;
  }
  [[nodiscard]] double jitter() const {
    std::vector<double> all;
    for (const std::unique_ptr<Turn>& turn : turns_) {
      if (const auto jitter = turn ? turn->jitter() : std::nullopt) all.push_back(*jitter);
    }
    return all.empty() ? 1.0 : quantile(all, 0.5);
  }

 private:
  /// The case has been measured by now: nothing that goes wrong here may spoil it.
  template <class Work>
  static void unless_refused(std::unique_ptr<Turn>& turn, Work work) {
    try {
      work();
    } catch (const Unsupported&) {
      turn.reset();
    } catch (const std::exception&) {
      turn.reset();
    }
  }

  OperandPool pool_;
  std::vector<std::unique_ptr<Turn>> turns_;  ///< index: item; nullptr where it was refused
};

}  // namespace

record::HostCosts probe_host(DeviceBackend& backend, double seconds,
                             const std::function<void(double)>& progress) {
  constexpr int warm_ups = 2;
  constexpr int least_rounds = 3;
  const Clock::time_point start = Clock::now();
  const std::vector<HostItem> items = engine::host_grid();
  Turns turns(items, backend);
  for (int i = 0; i < warm_ups; ++i) turns.round();
  turns.forget();
  for (int i = 0; i < least_rounds || seconds_since(start) < seconds; ++i) {
    turns.round();
    if (progress) progress(std::min(1.0, seconds_since(start) / seconds));
  }
  record::HostCosts costs = engine::host_costs(items, 0, turns.results());
  costs.jitter = turns.jitter();
  return costs;
}

}  // namespace rooflab::torch_worker
