// A program that trains something on the fake device: usage: cuda_program STEPS [HOW]. With HOW
// `ops`, `varied_ops`, `captured_ops`, `stepless_ops`, `lost_ops` or `no_ops` it tells the profile
// its ops: with other kernels meanwhile, of a graph, in no steps, without a recording, or why not.
// It prints a line at its beginning and at its end, whatever is done to it. A step lasts
// microseconds: two thousand of them are proof of a step.

#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "cuda.hpp"

namespace {

/// Runs work on a separate thread and waits for it, as PyTorch runs a backward pass.
class Autograd {
 public:
  ~Autograd() {
    if (!thread_.joinable()) return;
    give(nullptr);
    thread_.join();
  }
  void run(void (*work)()) {
    if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
    give(work);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !given_; });
  }

 private:
  void give(void (*work)()) {
    const std::lock_guard lock(mutex_);
    work_ = work;
    given_ = true;
    changed_.notify_all();
  }
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return given_; });
      if (work_ == nullptr) return;
      work_();
      given_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  void (*work_)() = nullptr;
  bool given_ = false;
  std::thread thread_;
};

/// What the Python package does in a program of PyTorch: two products, a relu, an op that has no
/// rule, and a kernel without an op.
class Ops {
 public:
  explicit Ops(std::string_view how)
      : how_(how), library_(::dlopen(std::getenv("CUDA_INJECTION64_PATH"), RTLD_NOW)) {
    function<void()>("rooflab_ops_offer")();
  }
  void begin_step() {
    const bool wanted = !ended_ && function<int()>("rooflab_ops_wanted")() == 1;
    if (begun_ && !wanted) end("");
    if (!wanted || begun_) return;
    if (how_ == "no_ops") return end("no op is known");
    file_ = function<const char*()>("rooflab_ops_file")();
    function<void()>("rooflab_ops_begin")();
    begun_ = true;
  }
  [[nodiscard]] bool is_told() const { return begun_; }
  void launch(long long op, const char* symbol, unsigned grid, unsigned block) {
    if (begun_) function<void(long long)>("rooflab_op")(op);
    fake_launch(symbol, grid, block, 0);
    if (begun_) function<void(long long)>("rooflab_op")(-1);
  }
  /// The ops that make the nodes of a graph are told without being asked for.
  void capture() {
    const bool wanted = function<int()>("rooflab_ops_capture_wanted")() == 1;
    const std::string file = function<const char*()>("rooflab_ops_file")();
    if (wanted) function<void()>("rooflab_ops_capture_begin")();
    begun_ = wanted;
    fake_capture(1);
    launch(0, "_Z9conv_gemmPf", 10, 128);
    launch(1, "_Z4reluPf", 20, 256);
    fake_capture(0);
    begun_ = false;
    if (!wanted) return;
    write(file);
    function<void()>("rooflab_ops_capture_end")();
  }

 private:
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(library_, name));
  }
  void end(const char* trouble) {
    ended_ = true;
    begun_ = false;
    if (how_ != "lost_ops" && how_ != "no_ops") write(file_);
    function<void(const char*)>("rooflab_ops_end")(trouble);
  }
  static void write(const std::string& path) {
    constexpr const char* recording = R"({"rooflab_recording":1,"name":"Net"}
{"module":0,"name":"","class":"Net","root":0}
{"module":1,"name":"fc","class":"Linear","root":0}
{"layout":"f16","shape":[64,128]}
{"layout":"f16","shape":[128,32]}
{"layout":"f16","shape":[64,32]}
{"storage":0,"bytes":16384,"device":"cuda:0","before":true}
{"storage":1,"bytes":8192,"device":"cuda:0","before":true}
{"storage":2,"bytes":4096,"device":"cuda:0"}
{"tensor":0,"layout":0,"storage":0}
{"tensor":1,"layout":1,"storage":1}
{"storage":3,"bytes":4096,"device":"cuda:0"}
{"tensor":2,"layout":2,"storage":2}
{"tensor":3,"layout":2,"storage":3}
{"at":"forward","module":1}
{"op":"aten.mm","call":0,"in":[0,1],"out":[2]}
{"op":"aten.relu","call":1,"in":[2],"out":[3]}
{"op":"aten.mm","call":2,"in":[0,1],"out":[2]}
{"op":"mine.mystery","call":3,"in":[2],"out":[2]}
{"end":true}
)";
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (file == nullptr) return;
    std::fputs(recording, file);
    std::fclose(file);
  }

  std::string how_;
  std::string file_;
  void* library_;
  bool begun_ = false;
  bool ended_ = false;
};

void step_of_ops(Ops& ops, bool is_varied) {
  ops.begin_step();
  ops.launch(0, "_Z9conv_gemmPf", 10, 128);
  // A library may choose another kernel for a tensor that lies elsewhere.
  ops.launch(1, is_varied && ops.is_told() ? "_Z9relu_tailPf" : "_Z4reluPf", 20, 256);
  ops.launch(2, "_Z9conv_gemmPf", 10, 128);
  ops.launch(3, "_Z4bn_fPf", 5, 64);
  ops.launch(-1, "_Z4lossPf", 1, 32);
}

/// Forward: 31 blocks; backward: 40; optimizer: 3.
void training_step(Autograd& autograd, std::string_view how) {
  const auto backward = [] {
    fake_launch("_Z13relu_backwardPf", 20, 256, 0);
    fake_launch("_Z9conv_gemmPf", 10, 128, 1);
    fake_launch("_Z9conv_gemmPf", 10, 128, 1);
  };
  const int micro_batches = how == "accumulates" ? 2 : 1;
  for (int i = 0; i < micro_batches; ++i) {
    fake_launch("_Z9conv_gemmPf", 10, 128, 1);
    fake_launch("_Z4reluPf", 20, 256, 0);
    fake_launch("_Z4lossPf", 1, 32, 0);
    autograd.run(backward);
  }
  const bool foreach = how != "tensorwise";
  fake_launch(foreach ? "_Z25multi_tensor_apply_kernelPf" : "_Z3addPf", 3, 512, 0);
}

/// Sends a million floats through the fake NCCL, as PyTorch calls the real one.
void all_reduce() {
  using AllReduce = int(const void*, void*, std::size_t, int, int, void*, void*);
  static void* const library = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_GLOBAL);
  static auto* const function = reinterpret_cast<AllReduce*>(
      ::dlsym(library == nullptr ? nullptr : RTLD_DEFAULT, "ncclAllReduce"));
  function(nullptr, nullptr, 1'000'000, 7, 0, nullptr, nullptr);
}

void step(std::string_view how, int number) {
  if (how == "nvtx") nvtxRangePushA("step");
  if (how == "profiler") fake_profiler_start();
  if (how == "uneven" && number % 10 == 9) fake_launch("_Z3logv", 1, 32, 0);
  if (how != "vector") fake_launch("_Z9conv_gemmPf", 10, 128, 1);
  fake_launch("_Z4reluPf", 20, 256, 0);
  if (how != "vector") fake_launch("_Z9conv_gemmPf", 10, 128, 1);
  fake_launch("_Z4bn_fPf", 5, 64, 0);
  if (how == "nccl") all_reduce();
  if (how == "graph") fake_graph_launch();
  fake_launch("_Z4lossPf", 1, 32, 0);
  if (how == "profiler") fake_profiler_stop();
  if (how == "nvtx") nvtxRangePop();
}

/// For some milliseconds, with a grid that is new each time.
void train_without_steps(Ops& ops, int milliseconds) {
  for (int number = 0; number < milliseconds; ++number) {
    ops.begin_step();
    ops.launch(0, "_Z9conv_gemmPf", static_cast<unsigned>(number * number % 10007 + 1), 128);
    ::usleep(1000);
  }
}

/// No two launches are alike for long.
void launch_another(int number) {
  fake_launch("_Z4reluPf", static_cast<unsigned>(number * number % 10007 + 1), 256, 0);
}

/// Three kernels in no order, by a seed: N launches of gemm of 10 blocks, 3 N of relu of 20 times
/// 256 threads, 6 N of scale of 1 to 3 times 64.
void train_without_steps(int launches) {
  std::uint32_t state = 12345;  // Knuth's linear congruential generator (MMIX without its low bits)
  const auto draw = [&state](std::uint32_t below) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8U) % below;
  };
  int left[] = {launches, 3 * launches, 6 * launches};
  int all = 10 * launches;
  for (; all > 0; --all) {
    auto number = static_cast<int>(draw(static_cast<std::uint32_t>(all)));
    int kind = 0;
    while (number >= left[kind]) number -= left[kind++];
    --left[kind];
    if (kind == 0) fake_launch("_Z9conv_gemmPf", 10, 128, 1);
    if (kind == 1) fake_launch("_Z4reluPf", 20, 256, 0);
    if (kind == 2) fake_launch("_Z5scalePf", 1 + static_cast<unsigned>(left[2] % 3), 64, 0);
  }
}

/// Captures a step within ranges of NVTX, and replays it.
void train_by_ranges(int steps) {
  nvtxRangePushA("decode");
  nvtxRangePushA("layer 0");
  fake_capture(1);
  fake_launch("_Z9conv_gemmPf", 10, 128, 1);
  nvtxRangePop();
  fake_launch("_Z4reluPf", 20, 256, 0);
  fake_capture(0);
  nvtxRangePop();
  for (int number = 0; number < steps; ++number) fake_graph_launch();
}

/// Runs a step by itself, captures it, and replays it.
void train_by_graph(int steps) {
  for (int number = 0; number < 300; ++number) {
    fake_launch("_Z9conv_gemmPf", 10, 128, 1);
    fake_launch("_Z4reluPf", 20, 256, 0);
  }
  fake_capture(1);
  fake_launch("_Z9conv_gemmPf", 10, 128, 1);
  fake_launch("_Z4reluPf", 20, 256, 0);
  fake_capture(0);
  for (int number = 0; number < steps; ++number) fake_graph_launch();
}

void train(int steps, std::string_view how) {
  if (how == "unordered") return train_without_steps(steps);
  if (how == "captures") return train_by_graph(steps);
  if (how == "ranges") return train_by_ranges(steps);
  if (how == "replays") {  // warms up for longer than it replays
    for (int number = 0; number < 3 * steps; ++number) launch_another(number);
    for (int number = 0; number < steps; ++number) fake_graph_launch();
    return;
  }
  if (how.ends_with("ops")) {
    Ops ops(how);
    if (how == "captured_ops") {
      ops.capture();
      for (int number = 0; number < steps; ++number) fake_graph_launch();
      return;
    }
    if (how == "stepless_ops") return train_without_steps(ops, steps);
    for (int number = 0; number < steps; ++number) step_of_ops(ops, how == "varied_ops");
    return;
  }
  if (how == "autograd" || how == "tensorwise" || how == "accumulates") {
    Autograd autograd;
    for (int number = 0; number < steps; ++number) training_step(autograd, how);
    return;
  }
  for (int number = 0; number < steps; ++number) {
    if (how == "never") {
      launch_another(number);
    } else {
      if (how == "profiled" && number == 100) fake_profiler_start();
      if (how == "profiled" && number == steps - 100) fake_profiler_stop();
      step(how, number);
    }
  }
}

/// Runs in a separate process.
template <class Work>
void in_child(const Work& work) {
  if (const pid_t child = ::fork(); child == 0) {
    work();
    ::_exit(1);
  } else {
    ::waitpid(child, nullptr, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 100;
  const std::string how = argc > 2 ? argv[2] : "";
  std::puts("training");
  std::fflush(stdout);
  if (how == "cpu") return 0;
  fake_cuda_init();
  if (how == "helps") {  // starts CUDA for nothing; the work is a child's
    in_child([&] { ::execl("/proc/self/exe", argv[0], argv[1], nullptr); });
    return 0;
  }
  if (how == "serves") {  // the server goes on when its starter ends
    int ready[2] = {};
    if (::pipe(ready) != 0) return 1;
    if (::fork() == 0) {
      ::close(ready[0]);
      ::setsid();
      const std::string end = std::to_string(ready[1]);
      ::execl("/proc/self/exe", argv[0], argv[1], "is_served", end.c_str(), nullptr);
      ::_exit(1);
    }
    ::close(ready[1]);
    char byte = 0;
    return ::read(ready[0], &byte, 1) == 1 ? 0 : 1;
  }
  if (how == "is_served") {
    const int ready = std::atoi(argv[3]);
    if (::write(ready, "r", 1) != 1) return 1;
    ::close(ready);
    ::usleep(700'000);  // longer than rooflab waits before it looks again
  }
  if (how == "fork") {  // with the driver's state, and as a separate program
    in_child([&] {
      train(steps, how);
      ::_exit(0);
    });
    in_child([&] { ::execl("/proc/self/exe", argv[0], argv[1], nullptr); });
  }
  train(steps, how);
  std::puts("trained");
  std::fflush(stdout);
  if (how == "_exit") ::_exit(5);
  if (how == "abort") std::abort();
  if (how == "kill") std::raise(SIGKILL);
  return how == "fails" ? 3 : 0;
}
