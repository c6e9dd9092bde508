// What a launch costs, with a kernel that does nothing, s:
//   launch.issue      the host's time of one launch, in trains of 1000 on an idle device
//   launch.gap        the device's time of one of 1000 launches that were all queued behind a
//   delay:
//                     what lies between two kernels when the host is ahead
//   launch.roundtrip  the host's time of one launch and of waiting for its end
//   launch.graph_launch  the host's time of launching 1000 of them, captured as a CUDA graph, on an
//                        idle device
// The queue holds about 1000 launches; issuing more would wait for the device.

#include "cuda_bench.hpp"
#include "cuda_call.hpp"
#include "small_kernels.hpp"
#include "stopwatch.hpp"

namespace rooflab::probe_worker {
namespace {

constexpr int train = 1000;

void wait() { check(cudaDeviceSynchronize(), "waiting for the device"); }

double issue_seconds() {
  const Stopwatch watch;
  for (int i = 0; i < train; ++i) launch_nothing();
  const double elapsed_s = watch.seconds();
  check_launch("launching a kernel");
  wait();
  return elapsed_s / train;
}

double roundtrip_seconds() {
  constexpr int rounds = 100;
  const Stopwatch watch;
  for (int i = 0; i < rounds; ++i) {
    launch_nothing();
    wait();
  }
  return watch.seconds() / rounds;
}

double gap_seconds(const DeviceTimer& timer) {
  constexpr long long delay_cycles = 40'000'000;  // about 20 ms: longer than issuing takes
  int launched = 0;
  const auto launch = [&launched] {
    if (launched++ == 0) {
      launch_delay(delay_cycles);
    } else {
      launch_nothing();
    }
  };
  return timer.time(launch, {.count = train - 8});
}

/// Empty kernels, captured one behind the other and launched at once.
class EmptyGraph {
 public:
  explicit EmptyGraph(int kernels) {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing a graph");
    for (int i = 0; i < kernels; ++i) launch_nothing(stream);
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream, &graph), "capturing a graph");
#if CUDART_VERSION >= 12000
    check(cudaGraphInstantiate(&graph_, graph, 0), "making a graph ready");
#else
    check(cudaGraphInstantiateWithFlags(&graph_, graph, 0), "making a graph ready");
#endif
    check(cudaGraphDestroy(graph), "giving a graph up");
    check(cudaStreamDestroy(stream), "giving a stream up");
  }
  ~EmptyGraph() { static_cast<void>(cudaGraphExecDestroy(graph_)); }
  EmptyGraph(const EmptyGraph&) = delete;
  EmptyGraph& operator=(const EmptyGraph&) = delete;

  void launch() const { check(cudaGraphLaunch(graph_, nullptr), "launching a graph"); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

double graph_launch_seconds() {
  constexpr int rounds = 20;
  const EmptyGraph graph(train);
  graph.launch();  // the first one brings the graph to the device
  wait();
  double sum_s = 0.0;
  for (int i = 0; i < rounds; ++i) {
    const Stopwatch watch;
    graph.launch();
    sum_s += watch.seconds();
    wait();
  }
  return sum_s / rounds;
}

}  // namespace

std::vector<Step> cuda_launches(CudaBench& bench) {
  std::vector<Step> steps;
  const auto add = [&](const std::string& name, const std::string& at, double pieces, auto once) {
    if (bench.results.find(name) != nullptr) return;
    steps.push_back(
        {.expected_s = 0.4, .run = [=, &bench] {
           const RepetitionPlan plan{
               .warm_up_s = 0.1 / pieces, .least = 15, .measured_s = 0.15 / pieces, .most = 200};
           bench.results.figure(duration(name, repeat(once, plan), at));
         }});
  };
  add("launch.issue", "trains of 1000", train, issue_seconds);
  // A sample holds the delay, which is in no time: few samples.
  add("launch.gap", "trains of 992 behind a delay", 10.0 * train,
      [&timer = bench.timer] { return gap_seconds(timer); });
  add("launch.roundtrip", "one at a time", 100.0, roundtrip_seconds);
  add("launch.graph_launch", "a graph of 1000 kernels", train, graph_launch_seconds);
  return steps;
}

}  // namespace rooflab::probe_worker
