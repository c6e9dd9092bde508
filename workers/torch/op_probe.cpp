// What is measured in addition to the items, once each:
//
// event_s: two marks with nothing between them (queued_timing.hpp).
// Workspaces: cuBLAS takes memory from the framework's allocator at the first product of a thread
//   and keeps it. Autograd's thread is another one, so training has it once more. Measured before
//   the first item, whose memory would hold it otherwise.
// graph_kernel_s: what the shortest kernel takes in a replayed graph, one that writes one number: a
//   long graph less a short one, so that the start of a graph is not in it.
// Context: the device's memory in use at the end, when kernels of all libraries have been loaded,
//   less what was in use before the process came to the device, less what the allocator reserved.
//   Other processes that take or give back memory in between falsify it.

#include "op_probe.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "base/format.hpp"
#include "clock.hpp"
#include "describe/fields.hpp"
#include "device_watch.hpp"
#include "framework.hpp"
#include "issue_chain.hpp"
#include "monitor/host.hpp"
#include "named_call.hpp"
#include "outcome.hpp"
#include "queued_timing.hpp"
#include "record/record_json.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "single_op.hpp"

namespace rooflab::torch_worker {
namespace {

using engine::ProbeItem;
using engine::ProbeKind;
using engine::ProbeResult;
using Line = engine::OpProbeLine;

/// Two products, as linear layers and attention make them.
at::Tensor products(const at::Tensor& matrix, const at::Tensor& bias) {
  return at::matmul(at::linear(matrix, matrix, bias), matrix);
}

class OpProbe {
 public:
  OpProbe(const engine::OpProbeRequest& request, engine::ProbeJournal& journal,
          const ProgressListener& progress)
      : request_(request), journal_(journal), progress_(progress) {
    for (Line& line : journal.lines_as<Line>()) {
      if (line.result) done_.insert(line.result->item);
      before_.push_back(std::move(line));
    }
  }

  void run() {
    const at::Device device = device_named(request_.device);
    const std::optional<Bytes> used_before = DeviceWatch::memory_used(device);
    backend_ = make_backend(device);
    at::globalContext().setBenchmarkCuDNN(false);
    at::manual_seed(0);
    write_once(&Line::environment, [this] { return environment(); });
    if (items_left() > 0 && !is_over()) measure_items();
    if (items_measured_ > 0 && used_before) {
      if (const auto bytes = context_bytes(*used_before)) write(&Line::context_bytes, *bytes);
    }
  }

 private:
  void measure_items() {
    const bool on_cuda = backend_->device().is_cuda();
    if (on_cuda) measure_workspaces();
    const double mark_s = time_between_marks(*backend_);
    if (on_cuda) write_once(&Line::graph_kernel_s, [&] { return graph_kernel_seconds(mark_s); });
    write_once(&Line::event_s, [mark_s] { return mark_s; });
    const auto cache = request_.repeats_operands ? std::nullopt : backend_->last_cache();
    OpBench bench{*backend_, OperandPool(backend_->device()), CacheState(backend_->device(), cache),
                  mark_s};
    for (std::size_t i = 0; i < request_.items.size() && !is_over(); ++i) {
      if (done_.contains(i)) continue;
      say_progress();
      bench.pool.rewind();
      ProbeResult result = measure_item(request_.items[i], bench);
      result.item = i;
      write(&Line::result, result);
      done_.insert(i);
      ++items_measured_;
      if (!broken_.empty()) throw Error(ErrorKind::capability, broken_);
    }
  }

  /// Failures are the result's message.
  ProbeResult measure_item(const ProbeItem& item, OpBench& bench) {
    ProbeResult result;
    record::Record outcome;  // how a case would have ended
    try {
      run_to_outcome(
          outcome, [&] { result = measured(item, bench); }, [] { return std::optional<Bytes>(); });
    } catch (const std::exception& error) {
      outcome.status = record::Status::failed;
      outcome.message = error.what();
    }
    if (outcome.status == record::Status::ok) return result;
    result = {};
    result.message = outcome.message;
    check_device(result.message);
    if (outcome.status != record::Status::oom) return result;
    result.message = "out of memory";
    if (broken_.empty() && backend_->device().is_cuda()) {
      bench.pool.clear();
      backend_->release_cached();
      result.message += "; memory kept for reuse was given back";
    }
    return result;
  }

  ProbeResult measured(const ProbeItem& item, OpBench& bench) {
    const bool tf32 = item.precision == Precision::tf32;
    if (tf32 && backend_->device().is_cpu()) {
      throw Unsupported{"TF32, a mode of NVIDIA's tensor cores, on a CPU"};
    }
    at::globalContext().setAllowTF32CuDNN(tf32);
    at::globalContext().setAllowTF32CuBLAS(tf32);
    if (item.kind == ProbeKind::call) return measure_call(item, bench);
    const graph::Graph graph = graph::parse_text(item.graph, "item");
    switch (item.kind) {
      case ProbeKind::op:
        return measure_op(item, graph, bench);
      case ProbeKind::chain:
        return measure_chain(item, graph, bench);
      case ProbeKind::optimizer:
        return measure_optimizer(item, graph, bench);
      case ProbeKind::call:
        break;
    }
    throw Unsupported{"an item of an unknown kind"};
  }

  /// After a failure: an illegal access stays with the context, and every later call fails too.
  void check_device(const std::string& message) {
    try {
      backend_->synchronize();
    } catch (const std::exception&) {
      broken_ = "the device failed: " + message;
    }
  }

  void measure_workspaces() {
    const at::TensorOptions options =
        at::TensorOptions().dtype(at::kFloat).device(backend_->device());
    const auto allocated = [this] { return backend_->allocator().allocated; };
    const std::optional<Bytes> before = allocated();
    {
      const c10::NoGradGuard no_grad;
      products(at::ones({256, 256}, options), at::ones({256}, options));
    }
    const std::optional<Bytes> after_forward = allocated();
    {
      const c10::AutoGradMode records(true);
      const at::Tensor matrix = at::ones({256, 256}, options).requires_grad_();
      products(matrix, at::ones({256}, options)).sum().backward();
    }
    backend_->synchronize();
    const std::optional<Bytes> after_backward = allocated();
    if (!before || !after_forward || !after_backward) return;
    write_once(&Line::blas_workspace_forward_bytes,
               [&] { return (*after_forward - *before).as_double(); });
    write_once(&Line::blas_workspace_training_bytes,
               [&] { return (*after_backward - *before).as_double(); });
  }

  [[nodiscard]] double graph_kernel_seconds(double mark_s) {
    constexpr int longer = 1000;
    constexpr int shorter = 100;
    const at::Tensor number =
        at::zeros({1}, at::TensorOptions().dtype(at::kFloat).device(backend_->device()));
    number.fill_(1.0);  // the first call loads the kernel
    std::vector<TimedCall> replays;
    for (const int kernels : {longer, shorter}) {
      TimedCall& replay = replays.emplace_back();
      replay.call = backend_->captured([&] {
        for (int i = 0; i < kernels; ++i) number.fill_(1.0);
      });
    }
    time_calls(*backend_, mark_s, replays);
    return (replays[0].device_median_s() - replays[1].device_median_s()) / (longer - shorter);
  }

  [[nodiscard]] std::optional<double> context_bytes(Bytes used_before) {
    backend_->reset_peaks();  // the peak of what is reserved is then what is reserved now
    const std::optional<Bytes> reserved = backend_->allocator().reserved_peak;
    const std::optional<Bytes> used = backend_->device_used();
    if (!used || !reserved) return std::nullopt;
    return (*used - used_before - *reserved).as_double();
  }

  [[nodiscard]] record::Environment environment() const {
    record::Record record;
    monitor::describe_host(record.environment);
    record.environment.rooflab = ROOFLAB_VERSION;
    record.environment.libraries = library_versions();
    record.environment.device = backend_->identity();
    record.environment.threads = at::get_num_threads();
    record.environment.cudnn_benchmark = false;
    const DeviceWatch driver(*backend_, 0.0, record);  // names it
    return record.environment;
  }

  [[nodiscard]] std::size_t items_left() const {
    const auto total = request_.items.size();
    return total - std::min(total, done_.size());
  }
  [[nodiscard]] double elapsed_s() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  [[nodiscard]] bool is_over() const { return elapsed_s() >= request_.budget_s; }

  /// The share of the time: the list is longer than most budgets, so its share ends anywhere.
  void say_progress() const {
    if (!progress_) return;
    const double elapsed = elapsed_s();
    double left_s = std::max(0.0, request_.budget_s - elapsed);
    if (items_measured_ > 0) {
      const double each_s = elapsed / static_cast<double>(items_measured_);
      left_s = std::min(left_s, each_s * static_cast<double>(items_left()));
    }
    progress_(format("{} measured,", with_thousands(static_cast<std::int64_t>(done_.size()))),
              elapsed / std::max(elapsed + left_s, 1e-9), left_s);
  }

  template <class Value>
  void write(std::optional<Value> Line::*member, Value value) {
    Line line;
    line.*member = std::move(value);
    journal_.append(line);
  }
  /// Unless a run before this one has written it.
  template <class Value, class Make>
  void write_once(std::optional<Value> Line::*member, Make make) {
    const auto has = [member](const Line& line) { return (line.*member).has_value(); };
    if (std::ranges::none_of(before_, has)) write(member, Value(make()));
  }

  const engine::OpProbeRequest& request_;
  engine::ProbeJournal& journal_;
  const ProgressListener& progress_;
  Clock::time_point start_ = Clock::now();
  std::vector<Line> before_;
  std::set<std::size_t> done_;
  std::size_t items_measured_ = 0;  ///< items of this process
  std::unique_ptr<DeviceBackend> backend_;
  std::string broken_;  ///< why no item can follow
};

}  // namespace

void probe_ops(const engine::OpProbeRequest& request, engine::ProbeJournal& journal,
               const ProgressListener& progress) {
  try {
    OpProbe(request, journal, progress).run();
  } catch (const Unsupported& unsupported) {
    throw Error(ErrorKind::capability, unsupported.what);
  }
}

}  // namespace rooflab::torch_worker
