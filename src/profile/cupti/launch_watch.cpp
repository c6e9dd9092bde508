// Launches reach the driver through one of a family of functions. Programs that are built against a
// recent toolkit launch by cuLaunchKernelEx where the kernel wants clusters or programmatic launch
// (cuBLAS and cuDNN on Hopper); per-thread default streams have separate functions (_ptsz).

#include "profile/launch_watch.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include "cupti_functions.hpp"

namespace rooflab::profile {
namespace {

constexpr std::array<CUpti_CallbackId, 8> launch_calls = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
};

constexpr std::array<CUpti_CallbackId, 5> capture_begin_calls = {
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph,
};
constexpr std::array<CUpti_CallbackId, 2> capture_end_calls = {
    CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture,
    CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz,
};

/// Other threads wait for a launch that is counted; a driver that never returns must not stop them.
constexpr std::chrono::seconds longest_wait{2};

constexpr const char* subscriber_name = "Rooflab";

/// CUPTI writes the name of the current subscriber into `other` (64 bytes).
CUptiResult subscribe(const CuptiFunctions& functions, CUpti_SubscriberHandle& handle,
                      CUpti_CallbackFunc callback, void* user, std::array<char, 128>& other) {
  if (!functions.subscribe_v2.present()) {  // before CUDA 13
    return functions.subscribe.attempt(&handle, callback, user);
  }
  CUpti_SubscriberParams parameters = {};
  parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  parameters.subscriberName = subscriber_name;
  parameters.oldSubscriberName = other.data();
  parameters.oldSubscriberSize = other.size();
  return functions.subscribe_v2.attempt(&handle, callback, user, &parameters);
}

Launch launch_of(CUpti_CallbackId call, const CUpti_CallbackData& data) {
  Launch launch;
  launch.symbol = data.symbolName == nullptr ? "" : data.symbolName;
  launch.correlation = data.correlationId;
  launch.context = data.context;
  switch (call) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
      launch.kind = LaunchKind::graph;
      launch.symbol = "(CUDA graph)";
      launch.graph = reinterpret_cast<std::uintptr_t>(
          static_cast<const cuGraphLaunch_params*>(data.functionParams)->hGraph);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const CUlaunchConfig& config =
          *static_cast<const cuLaunchKernelEx_params*>(data.functionParams)->config;
      launch.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
      launch.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
      launch.shared_memory_bytes = config.sharedMemBytes;
      launch.stream = config.hStream;
      break;
    }
    default: {  // a cooperative launch begins with the same parameters
      const auto& call_parameters = *static_cast<const cuLaunchKernel_params*>(data.functionParams);
      launch.grid = {call_parameters.gridDimX, call_parameters.gridDimY, call_parameters.gridDimZ};
      launch.block = {call_parameters.blockDimX, call_parameters.blockDimY,
                      call_parameters.blockDimZ};
      launch.shared_memory_bytes = call_parameters.sharedMemBytes;
      launch.stream = call_parameters.hStream;
    }
  }
  return launch;
}

/// The subscriber that is in the way; empty where it is not known.
std::string holder(const CuptiLibrary& cupti) {
  CUpti_SubscriberHandle handle = nullptr;
  std::array<char, 128> other = {};
  const auto ignore = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  if (subscribe(cupti.functions(), handle, ignore, nullptr, other) == CUPTI_SUCCESS) {
    (void)cupti.functions().unsubscribe.attempt(handle);
  }
  // What CUPTI says of a subscriber that did not give its name.
  constexpr std::string_view nameless = "<not provided>";
  return other.data() == nameless ? std::string() : other.data();
}

}  // namespace

struct LaunchWatch::State {
  std::shared_ptr<const CuptiLibrary> cupti;
  LaunchListener& listener;
  CUpti_SubscriberHandle handle = nullptr;
  std::mutex mutex;
  std::condition_variable changed;
  std::uintptr_t counted_by = 0;  ///< thread whose launch is under way and counted; 0: none

  /// The listener's own launches and synchronisations come here too, on its thread.
  static thread_local bool inside;

  void hear(CUpti_CallbackDomain domain, CUpti_CallbackId call, const void* information) {
    if (inside) return;
    inside = true;
    try {
      std::unique_lock lock(mutex);
      changed.wait_for(lock, longest_wait,
                       [this] { return counted_by == 0 || counted_by == this_thread(); });
      if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
        hear_resource(call, *static_cast<const CUpti_ResourceData*>(information));
      } else {
        hear_driver(call, *static_cast<const CUpti_CallbackData*>(information));
      }
    } catch (...) {  // into the program that launched: never
    }
    inside = false;
  }

  void hear_resource(CUpti_CallbackId call, const CUpti_ResourceData& data) {
    if (call == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
      listener.context_begins(data.context);
    } else if (call == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
      listener.context_ends(data.context);
    } else if (data.resourceDescriptor != nullptr) {
      hear_node(call, *static_cast<const CUpti_GraphData*>(data.resourceDescriptor));
    }
  }

  /// A copy is told as a new node first.
  void hear_node(CUpti_CallbackId call, const CUpti_GraphData& data) {
    const auto& number_of = cupti->functions().get_graph_node_id;
    std::uint64_t node = 0;
    number_of(data.node, &node);
    if (call == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) return listener.node_begins(node);
    std::uint64_t original = 0;
    number_of(data.originalNode, &original);
    listener.node_is_copied(node, original);
  }

  /// Differs between threads.
  [[nodiscard]] static std::uintptr_t this_thread() {
    return reinterpret_cast<std::uintptr_t>(&inside);
  }

  void hear_driver(CUpti_CallbackId call, const CUpti_CallbackData& data) {
    const bool enters = data.callbackSite == CUPTI_API_ENTER;
    if (call == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart) {
      if (!enters) listener.profiler_starts();
    } else if (call == CUPTI_DRIVER_TRACE_CBID_cuProfilerStop) {
      if (enters) listener.profiler_stops();
    } else if (std::ranges::find(capture_begin_calls, call) != capture_begin_calls.end()) {
      if (enters) listener.capture_begins();
    } else if (std::ranges::find(capture_end_calls, call) != capture_end_calls.end()) {
      if (!enters) listener.capture_ends();
    } else if (enters) {
      Launch launch = launch_of(call, data);
      launch.thread = this_thread();
      if (listener.before_launch(launch)) counted_by = launch.thread;
    } else if (counted_by == this_thread()) {
      counted_by = 0;
      changed.notify_all();
      listener.after_launch();
    }
  }

  static void CUPTIAPI call_back(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId call,
                                 const void* information) {
    static_cast<State*>(user)->hear(domain, call, information);
  }

  void enable(bool on, CUpti_CallbackDomain domain, CUpti_CallbackId call) const {
    cupti->functions().enable_callback(on ? 1 : 0, handle, domain, call);
  }
};

thread_local bool LaunchWatch::State::inside = false;

LaunchWatch::LaunchWatch(std::shared_ptr<const CuptiLibrary> cupti, LaunchListener& listener)
    : state_(new State{std::move(cupti), listener, nullptr, {}, {}, 0}) {
  std::array<char, 128> other = {};
  const CUptiResult result =
      subscribe(state_->cupti->functions(), state_->handle, State::call_back, state_.get(), other);
  if (result != CUPTI_SUCCESS) throw CuptiError(result, "cuptiSubscribe_v2");
  state_->enable(true, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
  state_->enable(true, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
  state_->enable(true, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
  state_->enable(true, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  if (!state_->cupti->functions().get_graph_node_id.present()) return;
  state_->enable(true, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
  state_->enable(true, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
}

LaunchWatch::~LaunchWatch() { unsubscribe(); }

void LaunchWatch::unsubscribe() noexcept {
  if (CUpti_SubscriberHandle handle = std::exchange(state_->handle, nullptr)) {
    (void)state_->cupti->functions().unsubscribe.attempt(handle);
  }
}

void LaunchWatch::watch_launches(bool on) {
  for (const std::span<const CUpti_CallbackId> calls :
       {std::span<const CUpti_CallbackId>(launch_calls),
        std::span<const CUpti_CallbackId>(capture_begin_calls),
        std::span<const CUpti_CallbackId>(capture_end_calls)}) {
    for (const CUpti_CallbackId call : calls) state_->enable(on, CUPTI_CB_DOMAIN_DRIVER_API, call);
  }
}

bool is_held_by_another(const CuptiError& error) {
  return error.code() == CUPTI_ERROR_HARDWARE_BUSY;
}

CounterFault fault_of(const CuptiLibrary& cupti, const CuptiError& error) {
  const bool is_held = error.code() == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  return explain_cupti_error(error.code(), error.call(), is_held ? holder(cupti) : "");
}

}  // namespace rooflab::profile
