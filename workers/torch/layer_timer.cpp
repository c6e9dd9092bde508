// Forward: a mark before and after each node. Backward: autograd's own nodes are found from a graph
// node's outputs (everything recorded that was not there before) and get hooks that set marks
// before and after each runs. What the gaps between marks add up to is the difference between the
// sum and the whole.
//
// For comparison the forward pass is run once more with a wait for the device after every node, by
// the host's clock: the layerwise times of published studies, which hold a launch and a wait each.

#include "layer_timer.hpp"

#include <chrono>
#include <map>

#include "backward_hooks.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::torch_worker {
namespace {

using graph::NodeId;
using MarkPointer = std::unique_ptr<Mark>;

struct Span {
  MarkPointer begin;
  MarkPointer end;
};

/// Marks of one step.
class StepMarks : public OpObserver {
 public:
  StepMarks(DeviceBackend& backend, std::size_t nodes, bool backward)
      : backend_(backend),
        forward_(nodes),
        backward_(nodes),
        hooks_(
            [this](NodeId node) {
              spans_of(node).push_back({backend_.mark(), nullptr});
            },
            [this](NodeId node) {
              if (!spans_of(node).empty()) spans_of(node).back().end = backend_.mark();
            }),
        has_backward_(backward) {}

  void begin(NodeId node) override {
    forward_[static_cast<std::size_t>(node)].begin = backend_.mark();
  }
  void end(NodeId node, std::span<const at::Tensor> outputs) override {
    forward_[static_cast<std::size_t>(node)].end = backend_.mark();
    if (has_backward_) hooks_.attach(node, outputs);
  }
  void phase(std::string_view name) { phases_[std::string(name)] = backend_.mark(); }
  void start() { first_ = backend_.mark(); }
  void finish() { last_ = backend_.mark(); }

  // Once the device is done:
  [[nodiscard]] double whole() const { return backend_.seconds_between(*first_, *last_); }
  [[nodiscard]] double forward(std::size_t node) const { return length(forward_[node]); }
  [[nodiscard]] double backward(std::size_t node) const {
    double sum = 0.0;
    for (const Span& span : backward_[node]) sum += length(span);
    return sum;
  }
  /// From the end of one phase to the end of the next.
  [[nodiscard]] double between(const std::string& from, const std::string& to) const {
    const auto begin = phases_.find(from);
    const auto end = phases_.find(to);
    if (begin == phases_.end() || end == phases_.end()) return 0.0;
    return backend_.seconds_between(*begin->second, *end->second);
  }

 private:
  [[nodiscard]] std::vector<Span>& spans_of(NodeId node) {
    return backward_[static_cast<std::size_t>(node)];
  }
  [[nodiscard]] double length(const Span& span) const {
    return span.begin && span.end ? backend_.seconds_between(*span.begin, *span.end) : 0.0;
  }

  DeviceBackend& backend_;
  MarkPointer first_;
  MarkPointer last_;
  std::vector<Span> forward_;
  std::vector<std::vector<Span>> backward_;
  std::map<std::string, MarkPointer> phases_;
  BackwardHooks hooks_;
  bool has_backward_;
};

/// Waits after every node; times and memory of each.
class WaitingObserver : public OpObserver {
 public:
  explicit WaitingObserver(DeviceBackend& backend, std::size_t nodes)
      : seconds(nodes, 0.0), grown(nodes), backend_(backend) {}

  void begin(NodeId) override {
    before_ = backend_.allocator().allocated;
    start_ = std::chrono::steady_clock::now();
  }
  void end(NodeId node, std::span<const at::Tensor>) override {
    backend_.synchronize();
    const auto index = static_cast<std::size_t>(node);
    seconds[index] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const std::optional<Bytes> after = backend_.allocator().allocated;
    if (before_ && after) grown[index] = (*after - *before_).value();
  }

  std::vector<double> seconds;
  std::vector<std::optional<std::int64_t>> grown;

 private:
  DeviceBackend& backend_;
  std::chrono::steady_clock::time_point start_;
  std::optional<Bytes> before_;
};

/// Samples of one quantity per node, and their medians.
class Columns {
 public:
  explicit Columns(std::size_t nodes) : samples_(nodes) {}
  void add(std::size_t node, double value) { samples_[node].push_back(value); }
  [[nodiscard]] double median(std::size_t node) const {
    return samples_[node].empty() ? 0.0 : quantile(samples_[node], 0.5);
  }

 private:
  std::vector<std::vector<double>> samples_;
};

/// Steps that wait after every node.
struct WaitedSteps {
  WaitedSteps(Step& step, DeviceBackend& backend, int repetitions)
      : times(step.graph().nodes.size()) {
    const std::size_t count = step.graph().nodes.size();
    for (int i = 0; i < repetitions; ++i) {
      WaitingObserver observer(backend, count);
      backend.synchronize();
      step.run({}, &observer);
      backend.synchronize();
      double sum = 0.0;
      for (std::size_t node = 0; node < count; ++node) {
        times.add(node, observer.seconds[node]);
        sum += observer.seconds[node];
      }
      sums.push_back(sum);
      grown = observer.grown;
    }
  }

  Columns times;
  std::vector<double> sums;
  std::vector<std::optional<std::int64_t>> grown;  ///< the growth by the last of them
};

/// Median of the forward pass as a whole.
double forward_time(Step& step, DeviceBackend& backend, int repetitions) {
  std::vector<double> forward_whole;
  for (int i = 0; i < repetitions; ++i) {
    MarkPointer begin = backend.mark();
    MarkPointer end;
    step.run([&](std::string_view phase) {
      if (phase == "forward") end = backend.mark();
    });
    backend.synchronize();
    forward_whole.push_back(backend.seconds_between(*begin, *end));
  }
  return quantile(forward_whole, 0.5);
}

}  // namespace

record::LayerTimes time_layers(Step& step, DeviceBackend& backend, int repetitions,
                               double issue_s) {
  const graph::Graph& graph = step.graph();
  const std::size_t count = graph.nodes.size();
  Columns forward(count);
  Columns backward(count);
  Columns extra(3);  // loss, optimizer, rest of the backward pass
  std::vector<double> whole;
  bool has_backward = false;
  bool has_optimizer = false;

  for (int i = 0; i < repetitions; ++i) {
    // A mark costs the host about as much as a launch, and there are two for every op.
    if (issue_s > 0.0) backend.delay(3.0 * issue_s + 1e-3);
    StepMarks marks(backend, count, true);
    marks.start();
    step.run(
        [&](std::string_view phase) {
          marks.phase(phase);
          has_backward = has_backward || phase == "backward";
          has_optimizer = has_optimizer || phase == "optimizer";
        },
        &marks);
    marks.finish();
    backend.synchronize();
    whole.push_back(marks.whole());
    double backward_sum = 0.0;
    for (std::size_t node = 0; node < count; ++node) {
      forward.add(node, marks.forward(node));
      backward.add(node, marks.backward(node));
      backward_sum += marks.backward(node);
    }
    extra.add(0, marks.between("forward", "loss"));
    extra.add(1, marks.between("backward", "optimizer"));
    extra.add(2, std::max(0.0, marks.between("loss", "backward") - backward_sum));
  }
  const bool waits = backend.device().is_cuda();  // a CPU has nothing to wait for
  const WaitedSteps waited(step, backend, waits ? repetitions : 1);

  record::LayerTimes times;
  times.repetitions = repetitions;
  times.whole_s = quantile(whole, 0.5);
  if (waits) times.synchronized_sum_s = quantile(waited.sums, 0.5);
  times.forward_whole_s = forward_time(step, backend, repetitions);
  for (std::size_t i = 0; i < count; ++i) {
    record::NodeTiming node;
    node.node = graph.nodes[i].name;
    node.op = graph::name_of(graph.nodes[i].op);
    node.forward_s = forward.median(i);
    if (waits) node.synchronized_s = waited.times.median(i);
    node.allocated_delta_bytes = waited.grown[i];
    if (has_backward) node.backward_s = backward.median(i);
    times.sum_s += node.forward_s + node.backward_s.value_or(0.0);
    times.nodes.push_back(std::move(node));
  }
  if (has_backward) {
    times.nodes.push_back({"(loss)", "cross_entropy", extra.median(0), {}, {}, {}});
    if (has_optimizer) {
      times.nodes.push_back({"(optimizer)", "optimizer", extra.median(1), {}, {}, {}});
    }
    // Where a value has several readers, autograd adds their gradients between its nodes.
    times.nodes.push_back({"(other)", "gradient accumulation", 0.0, extra.median(2), {}, {}});
    times.sum_s += extra.median(0) + extra.median(1) + extra.median(2);
  }
  return times;
}

}  // namespace rooflab::torch_worker
