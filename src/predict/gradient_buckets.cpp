// Which gradients are exchanged together.
//
// PyTorch's Reducer fills buckets until one reaches its limit: the first at 1 MiB, so that the
// exchange begins early, the others at 25 MiB. Before the first step the parameters are taken in
// reverse order; after it the buckets are rebuilt in the order in which the gradients came, which
// is what every later step sees. A gradient larger than the limit closes its bucket at once.
// Source: Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training",
// VLDB 2020, section 4.2; torch/csrc/distributed/c10d/reducer.cpp,
// compute_bucket_assignment_by_size and rebuild_buckets.
//
// A gradient comes with the last op that writes its storage: of a weight that is used twice, with
// the sum of both. A linear layer's two come together, the bias first: autograd takes the weight's
// through a transposition. Parts of sums are not exchanged.

#include <algorithm>
#include <map>

#include "rooflab/predict/predicted_scaling.hpp"

namespace rooflab::predict {
namespace {

constexpr double first_limit = 1024.0 * 1024.0;
constexpr double later_limit = 25.0 * 1024.0 * 1024.0;

/// The linear layer that an op is part of; -1: of none.
graph::NodeId linear_node(const schedule::Schedule& schedule, std::size_t op) {
  const graph::NodeId node = schedule.ops[op].node;
  if (node < 0) return -1;
  const graph::Op& layer = schedule.graph.nodes[static_cast<std::size_t>(node)].op;
  return std::holds_alternative<graph::Linear>(layer) ? node : -1;
}

}  // namespace

std::vector<std::vector<std::size_t>> gradient_buckets(const std::vector<double>& gradient_bytes) {
  std::vector<std::vector<std::size_t>> buckets;
  double held = 0.0;
  bool open = false;
  for (std::size_t i = 0; i < gradient_bytes.size(); ++i) {
    if (!open) buckets.emplace_back();
    open = true;
    buckets.back().push_back(i);
    held += gradient_bytes[i];
    if (held < (buckets.size() == 1 ? first_limit : later_limit)) continue;
    open = false;
    held = 0.0;
  }
  return buckets;
}

std::vector<GradientReady> gradients_of(const schedule::Schedule& schedule) {
  using schedule::Pass;
  std::map<schedule::StorageId, GradientReady> gradients;
  for (const schedule::TensorId id : schedule.parameter_gradients) {
    gradients[schedule.tensor(id).storage].bytes = schedule.tensor(id).distinct_bytes().as_double();
  }
  for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
    if (schedule.ops[i].pass == Pass::optimizer) continue;
    for (const schedule::TensorId id : schedule.ops[i].writes) {
      const auto known = gradients.find(schedule.tensor(id).storage);
      if (known != gradients.end()) known->second.op = i;
    }
  }
  std::vector<GradientReady> ordered;
  for (const auto& [storage, gradient] : gradients) ordered.push_back(gradient);
  std::ranges::stable_sort(ordered, {}, &GradientReady::op);
  for (std::size_t i = 1; i < ordered.size(); ++i) {
    const graph::NodeId node = linear_node(schedule, ordered[i].op);
    if (node < 0 || node != linear_node(schedule, ordered[i - 1].op)) continue;
    ordered[i - 1].op = ordered[i].op;
    if (ordered[i].bytes < ordered[i - 1].bytes) std::swap(ordered[i], ordered[i - 1]);
  }
  return ordered;
}

}  // namespace rooflab::predict
