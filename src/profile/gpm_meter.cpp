// NVML's binary interface is declared here, because its header comes with the CUDA toolkit and the
// library with the driver: types and numbers as in nvml.h of CUDA 12.4. Source: NVML API Reference
// Guide, GPM Functions, docs.nvidia.com/deploy/nvml-api.
//
// A sample is the state of the device's counters; the figures are of the time between two of them.

#include "gpm_meter.hpp"

#include <dlfcn.h>

#include <array>

#include "system/environment_variable.hpp"

namespace rooflab::profile {
namespace {

using Return = int;  // nvmlReturn_t
constexpr Return success = 0;

struct GpmSupport {  // nvmlGpmSupport_t
  unsigned version = 1;
  unsigned is_supported = 0;
};

struct GpmMetric {  // nvmlGpmMetric_t
  unsigned id;      // nvmlGpmMetricId_t
  Return status;
  double value;
  std::array<const char*, 3> texts;
};

struct GpmMetrics {  // nvmlGpmMetricsGet_t; its list is longer in later drivers
  unsigned version = 1;
  unsigned count = 0;
  void* begin = nullptr;
  void* end = nullptr;
  std::array<GpmMetric, 210> metrics = {};
};

struct SharedMetric {
  unsigned id;  // nvmlGpmMetricId_t
  std::optional<double> record::GpmShares::*share;
};
constexpr std::array<SharedMetric, 7> shared_metrics = {{
    {2, &record::GpmShares::sm_share},          // NVML_GPM_METRIC_SM_UTIL
    {3, &record::GpmShares::warps_share},       // NVML_GPM_METRIC_SM_OCCUPANCY
    {5, &record::GpmShares::tensor_share},      // NVML_GPM_METRIC_ANY_TENSOR_UTIL
    {10, &record::GpmShares::bandwidth_share},  // NVML_GPM_METRIC_DRAM_BW_UTIL
    {11, &record::GpmShares::fp64_share},       // NVML_GPM_METRIC_FP64_UTIL
    {12, &record::GpmShares::fp32_share},       // NVML_GPM_METRIC_FP32_UTIL
    {13, &record::GpmShares::fp16_share},       // NVML_GPM_METRIC_FP16_UTIL
}};

template <class Function>
bool find_in(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

struct GpmMeter::State {
  Return (*init)() = nullptr;
  Return (*device_by_uuid)(const char*, void**) = nullptr;
  Return (*query_support)(void*, GpmSupport*) = nullptr;
  Return (*sample_alloc)(void**) = nullptr;
  Return (*sample_free)(void*) = nullptr;
  Return (*sample_get)(void*, void*) = nullptr;
  Return (*metrics_get)(GpmMetrics*) = nullptr;
  void* device = nullptr;
  std::array<void*, 2> samples = {};
  bool begun = false;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    for (void* const sample : samples) {
      // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): open() finds it before it makes one
      if (sample != nullptr) sample_free(sample);
    }
  }

  bool open(const std::string& uuid) {
    const auto wished = absolute_path(environment_variable("ROOFLAB_NVML"));
    // Never unloaded: drivers keep state of threads behind such a library.
    void* const library =
        ::dlopen(wished ? wished->c_str() : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    const bool is_complete = library != nullptr && find_in(library, "nvmlInit_v2", init) &&
                             find_in(library, "nvmlDeviceGetHandleByUUID", device_by_uuid) &&
                             find_in(library, "nvmlGpmQueryDeviceSupport", query_support) &&
                             find_in(library, "nvmlGpmSampleAlloc", sample_alloc) &&
                             find_in(library, "nvmlGpmSampleFree", sample_free) &&
                             find_in(library, "nvmlGpmSampleGet", sample_get) &&
                             find_in(library, "nvmlGpmMetricsGet", metrics_get);
    if (!is_complete || init() != success) return false;
    GpmSupport support;
    if (device_by_uuid(uuid.c_str(), &device) != success ||
        query_support(device, &support) != success || support.is_supported == 0) {
      return false;
    }
    for (void*& sample : samples) {
      if (sample_alloc(&sample) != success) return false;
    }
    return true;
  }
};

GpmMeter::GpmMeter(std::unique_ptr<State> state) : state_(std::move(state)) {}
GpmMeter::~GpmMeter() = default;

std::unique_ptr<GpmMeter> GpmMeter::open(const std::string& uuid) {
  auto state = std::make_unique<State>();
  if (!state->open(uuid)) return nullptr;
  return std::unique_ptr<GpmMeter>(new GpmMeter(std::move(state)));
}

void GpmMeter::begin() {
  state_->begun = state_->sample_get(state_->device, state_->samples[0]) == success;
}

std::optional<record::GpmShares> GpmMeter::end() {
  if (!state_->begun || state_->sample_get(state_->device, state_->samples[1]) != success) {
    return std::nullopt;
  }
  GpmMetrics metrics;
  metrics.begin = state_->samples[0];
  metrics.end = state_->samples[1];
  for (const SharedMetric& metric : shared_metrics) {
    metrics.metrics.at(metrics.count++).id = metric.id;
  }
  if (state_->metrics_get(&metrics) != success) return std::nullopt;
  record::GpmShares shares;
  constexpr double percent = 100.0;
  for (std::size_t i = 0; i < shared_metrics.size(); ++i) {
    const GpmMetric& metric = metrics.metrics.at(i);
    if (metric.status == success) shares.*shared_metrics.at(i).share = metric.value / percent;
  }
  return shares;
}

}  // namespace rooflab::profile
