// All items take two turns, so that what else the machine does in this second disturbs no class
// alone. A turn begins with a run that does not count: the others have taken its place in the
// caches, and a calibration's costs are those of runs one behind the other. Two runs before that
// choose algorithms and load kernels. What is left of the time is shared equally by the turns to
// come; a turn has two runs that count at least.
//
// A cost is the first decile of its runs, as a calibration's is. `jitter` is what ops in turn cost
// over equal ops in a row, times the median of the runs over their first decile, in the middle of
// all chains.

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
class Turns {
 public:
  Turns(const HostItem& item, DeviceBackend& backend, OperandPool& pool)
      : graph_(graph::parse_text(item.item.graph, "item")), backend_(backend) {
    if (item.item.kind == ProbeKind::optimizer) {
      optimizer_ = optimizer_of(item.item, graph_, pool);
    } else {
      chain_.emplace(item.item, graph_, backend, pool);
    }
  }

  void warm_up() {
    run(false);
    run(false);
  }

  void take_turn(double seconds) {
    constexpr int least = 2;
    run(false);
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < least || seconds_since(start) < seconds; ++i) run(true);
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
  void run(bool counts) {
    if (chain_) return chain_->run(counts);
    backend_.synchronize();
    const Clock::time_point start = Clock::now();
    optimizer_->step();
    const double step_s = seconds_since(start);
    if (counts) steps_s_.push_back(step_s);
  }

  graph::Graph graph_;
  DeviceBackend& backend_;
  std::optional<IssueChain> chain_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<double> steps_s_;
};

/// Calls `work`; false where the framework refuses. The case has been measured by now: nothing that
/// goes wrong here may spoil it.
template <class Work>
bool works(Work work) {
  try {
    work();
    return true;
  } catch (const Unsupported&) {
    return false;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

record::HostCosts probe_host(DeviceBackend& backend, double seconds,
                             const std::function<void(double)>& progress) {
  constexpr std::size_t rounds = 2;
  const Clock::time_point start = Clock::now();
  const std::vector<HostItem> items = engine::host_grid();
  OperandPool pool(backend.device(), pool_elements);
  std::vector<std::unique_ptr<Turns>> all(items.size());  // nullptr: refused
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool runs = works([&] {
      all[i] = std::make_unique<Turns>(items[i], backend, pool);
      all[i]->warm_up();
    });
    if (!runs) all[i].reset();
  }
  for (std::size_t turn = 0; turn < rounds * items.size(); ++turn) {
    std::unique_ptr<Turns>& item = all[turn % items.size()];
    const auto turns_left = static_cast<double>(rounds * items.size() - turn);
    const double share_s = (seconds - seconds_since(start)) / turns_left;
    if (item && !works([&] { item->take_turn(share_s); })) item.reset();
    if (progress) progress(std::min(1.0, seconds_since(start) / seconds));
  }
  std::vector<ProbeResult> results;
  std::vector<double> jitters;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!all[i]) continue;
    results.push_back(all[i]->result());
    results.back().item = i;
    if (const std::optional<double> jitter = all[i]->jitter()) jitters.push_back(*jitter);
  }
  record::HostCosts costs = engine::host_costs(items, 0, results);
  costs.jitter *= median_of(jitters).value_or(1.0);
  return costs;
}

}  // namespace rooflab::torch_worker
