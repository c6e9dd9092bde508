// The part of CUPTI that Rooflab calls, without a GPU. $FAKE_CUPTI_ERROR (`NAME=CODE`) makes one
// function fail: cuptiRangeProfilerEnable=35 is a driver that keeps counters for administrators.

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cuda.hpp"

namespace {

struct Kernel {
  std::string symbol;
  unsigned grid = 0;
  unsigned block = 0;
};

// ---- subscriber and activities ----

CUpti_CallbackFunc callback = nullptr;
void* callback_user = nullptr;
bool cbid_enabled[1024] = {};
int subscriber = 0;
bool contexts_told = false;
bool nodes_told = false;
bool tracing_kernels = false;
CUpti_BuffersCallbackRequestFunc request_buffer = nullptr;
CUpti_BuffersCallbackCompleteFunc complete_buffer = nullptr;
std::vector<CUpti_ActivityKernel10> activities;
std::uint64_t clock_ns = 1'000'000;

// ---- counters ----

struct Host {
  std::vector<std::string> metrics;
  bool samples = false;
};
bool enabled = false;
bool started = false;
std::size_t passes_left = 0;
CUpti_RangeProfiler_SetConfig_Params config = {};
std::vector<Kernel> counted;  ///< between start and stop
/// Kernels in ranges of the caller's, by name in the order of the first pass; the passes that each
/// was in; and whether activity records were on in one.
struct UserRange {
  std::string name;
  std::vector<Kernel> kernels;
  std::size_t passes = 0;
  bool traced = false;
};
std::vector<UserRange> user_ranges;
UserRange* open_range = nullptr;
std::size_t all_passes = 0;

// ---- samples: each kernel is one ----

struct KernelSample {
  Kernel kernel;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
std::mutex samples_mutex;
bool sampling = false;
std::size_t image_samples = 0;              ///< that the image has room for
std::vector<KernelSample> waiting_samples;  ///< in the hardware's buffer
std::vector<KernelSample> decoded_samples;  ///< in the image

/// What the environment wants this call to return.
CUptiResult wanted(std::string_view name) {
  const char* const text = std::getenv("FAKE_CUPTI_ERROR");
  if (text == nullptr) return CUPTI_SUCCESS;
  const std::string_view rule = text;
  const std::size_t equals = rule.find('=');
  if (rule.substr(0, equals) != name) return CUPTI_SUCCESS;
  return static_cast<CUptiResult>(std::atoi(text + equals + 1));
}

/// Counters of the link to the host share a configuration with no others.
bool go_together(const std::vector<std::string>& metrics) {
  const auto links = std::ranges::count_if(
      metrics, [](const std::string& metric) { return metric.starts_with("pcie__"); });
  return links == 0 || static_cast<std::size_t>(links) == metrics.size();
}

bool known(std::string_view metric) {
  return !metric.starts_with("sm__ops_path_tensor_src_fp16_dst") &&
         metric.find("int4") == metric.npos;
}

double value_of(const std::string& metric, const Kernel& kernel) {
  const bool gemm = kernel.symbol.find("gemm") != std::string::npos;
  const double threads = static_cast<double>(kernel.grid) * kernel.block;
  const auto is = [&metric](std::string_view text) { return metric.find(text) != metric.npos; };
  if (metric.ends_with(".peak_sustained")) return 1024.0;
  if (is("dram__bytes_read")) return 100.0 * kernel.grid;
  if (is("dram__bytes_write")) return 50.0 * kernel.grid;
  if (is("lts__t_bytes")) return 400.0 * kernel.grid;
  if (is("pcie__read_bytes")) return 30.0 * kernel.grid;
  if (is("pcie__write_bytes")) return 10.0 * kernel.grid;
  if (is("type_hfma2")) return gemm ? 0.0 : 2.0 * kernel.grid;
  if (is("inst_executed_pipe_tensor")) return (gemm ? 8.0 : 2.0) * kernel.grid;
  if (is("src_tf32")) return gemm ? 4096.0 * kernel.grid : 0.0;
  if (is("op_ffma")) return gemm ? 0.0 : 7.0 * threads;
  if (is("op_fadd")) return gemm ? 0.0 : 3.0 * threads;
  if (is(".pct")) return 50.0;
  if (is("per_second")) return 1.5e9;
  return 0.0;
}

double value_of_sample(const std::string& metric, std::size_t sample) {
  const std::lock_guard lock(samples_mutex);
  const Kernel& kernel = decoded_samples.at(sample).kernel;
  // Tensor pipes work in gemms alone.
  if (metric.find("pipe_tensor") != metric.npos) {
    return kernel.symbol.find("gemm") != std::string::npos ? 80.0 : 0.0;
  }
  return value_of(metric, kernel);
}

double value_of_range(const std::string& metric, std::size_t range) {
  if (config.range == CUPTI_AutoRange) return value_of(metric, counted.at(range));
  const UserRange& user = user_ranges.at(range);
  if (user.passes < all_passes) return std::nan("");
  // CUDA-core instructions read 0 in ranges of several kernels, and together with activity records,
  // as on the real thing.
  const bool patched = metric.find("sass") != metric.npos && !metric.ends_with(".peak_sustained");
  if (patched && (user.kernels.size() != 1 || user.traced)) return 0.0;
  const bool adds_up = metric.ends_with(".sum");
  double sum = 0.0;
  for (const Kernel& kernel : user.kernels) {
    if (!adds_up) return value_of(metric, kernel);
    sum += value_of(metric, kernel);
  }
  return sum;
}

void hand_over() {
  if (request_buffer == nullptr) return;
  std::size_t next = 0;
  while (next < activities.size()) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0;
    std::size_t most = 0;
    request_buffer(&buffer, &size, &most);
    if (buffer == nullptr) break;
    const std::size_t fit = std::min(size / sizeof(activities[0]), activities.size() - next);
    std::memcpy(buffer, activities.data() + next, fit * sizeof(activities[0]));
    next += fit;
    complete_buffer(nullptr, 0, buffer, size, fit * sizeof(activities[0]));
  }
  activities.clear();
}

}  // namespace

#define FAKE(name)                                                         \
  if (const CUptiResult result = wanted(#name); result != CUPTI_SUCCESS) { \
    return result;                                                         \
  }

extern "C" {

void fake_cupti_call(bool enters, unsigned cbid, const char* symbol, const void* parameters,
                     unsigned correlation) {
  if (callback == nullptr || !cbid_enabled[cbid]) return;
  CUpti_CallbackData data = {};
  data.callbackSite = enters ? CUPTI_API_ENTER : CUPTI_API_EXIT;
  data.symbolName = symbol;
  data.functionParams = parameters;
  data.correlationId = correlation;
  data.context = reinterpret_cast<CUcontext>(&subscriber);
  callback(callback_user, CUPTI_CB_DOMAIN_DRIVER_API, cbid, &data);
}

void fake_cupti_context() {
  if (callback == nullptr || !contexts_told) return;
  CUpti_ResourceData data = {};
  data.context = reinterpret_cast<CUcontext>(&subscriber);
  callback(callback_user, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &data);
}

void fake_cupti_node(std::uint64_t node, std::uint64_t original) {
  if (callback == nullptr || !nodes_told) return;
  CUpti_GraphData graph = {};
  graph.node = reinterpret_cast<CUgraphNode>(node);
  graph.originalNode = reinterpret_cast<CUgraphNode>(original);
  CUpti_ResourceData data = {};
  data.resourceDescriptor = &graph;
  callback(
      callback_user, CUPTI_CB_DOMAIN_RESOURCE,
      original == 0 ? CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED : CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
      &data);
}

void fake_cupti_kernel(const char* symbol, unsigned grid, unsigned block, unsigned correlation,
                       std::uint64_t node) {
  clock_ns += 2000;
  const std::uint64_t begin = clock_ns;
  clock_ns += 1000U * grid;
  if (started) counted.push_back({symbol, grid, block});
  if (open_range != nullptr) {
    open_range->kernels.push_back({symbol, grid, block});
    open_range->traced = open_range->traced || tracing_kernels;
  }
  {
    const std::lock_guard lock(samples_mutex);
    if (sampling) waiting_samples.push_back({{symbol, grid, block}, begin, clock_ns});
  }
  if (!tracing_kernels) return;
  CUpti_ActivityKernel10 kernel = {};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = symbol;
  kernel.start = begin;
  kernel.end = clock_ns;
  kernel.gridX = static_cast<std::int32_t>(grid);
  kernel.blockX = static_cast<std::int32_t>(block);
  kernel.gridY = kernel.gridZ = kernel.blockY = kernel.blockZ = 1;
  kernel.registersPerThread = 32;
  kernel.staticSharedMemory = 1024;
  kernel.streamId = 7;
  kernel.correlationId = correlation;
  kernel.graphNodeId = node;
  activities.push_back(kernel);
  if (activities.size() >= 4096) hand_over();
}

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = 130000;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function,
                              void* user, CUpti_SubscriberParams* parameters) {
  if (const CUptiResult result = wanted("cuptiSubscribe_v2"); result != CUPTI_SUCCESS) {
    if (parameters != nullptr && parameters->oldSubscriberName != nullptr) {
      std::snprintf(parameters->oldSubscriberName, parameters->oldSubscriberSize, "Other Profiler");
    }
    return result;
  }
  callback = function;
  callback_user = user;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(&subscriber);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  callback = nullptr;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle,
                                CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) cbid_enabled[cbid] = enable != 0;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && cbid == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
    contexts_told = enable != 0;
  }
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && cbid == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
    nodes_told = enable != 0;
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, std::uint64_t* id) {
  *id = reinterpret_cast<std::uint64_t>(node);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetDeviceId(CUcontext, std::uint32_t* device) {
  *device = 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(std::uint64_t* now) {
  *now = clock_ns;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  FAKE(cuptiActivityEnable)
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) tracing_kernels = true;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) tracing_kernels = false;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  request_buffer = request;
  complete_buffer = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  hand_over();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushPeriod(std::uint32_t) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                                       CUpti_Activity** record) {
  auto* next = reinterpret_cast<std::uint8_t*>(*record);
  next = next == nullptr ? buffer : next + sizeof(CUpti_ActivityKernel10);
  if (next + sizeof(CUpti_ActivityKernel10) > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  *dropped = 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* parameters) {
  FAKE(cuptiProfilerHostInitialize)
  if (std::strcmp(parameters->pChipName, "GH100") != 0) return CUPTI_ERROR_INVALID_CHIP_NAME;
  auto* const host = new Host;
  host->samples = parameters->profilerType == CUPTI_PROFILER_TYPE_PM_SAMPLING;
  parameters->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(host);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* parameters) {
  delete reinterpret_cast<Host*>(parameters->pHostObject);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostConfigAddMetrics(
    CUpti_Profiler_Host_ConfigAddMetrics_Params* parameters) {
  auto* const host = reinterpret_cast<Host*>(parameters->pHostObject);
  for (std::size_t i = 0; i < parameters->numMetrics; ++i) {
    if (!known(parameters->ppMetricNames[i])) return CUPTI_ERROR_INVALID_PARAMETER;
    host->metrics.emplace_back(parameters->ppMetricNames[i]);
  }
  if (!go_together(host->metrics)) return CUPTI_ERROR_NOT_SUPPORTED;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params* parameters) {
  parameters->configImageSize = sizeof(std::size_t);
  return CUPTI_SUCCESS;
}
/// The image is the number of passes: code is patched in a separate pass, and so is every type
/// of tensor operation, as on GH100.
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* parameters) {
  std::size_t patched = 0;
  std::size_t tensor = 0;
  std::size_t others = 0;
  for (const std::string& metric : reinterpret_cast<Host*>(parameters->pHostObject)->metrics) {
    if (metric.ends_with(".peak_sustained")) continue;
    if (metric.find("sass") != metric.npos) {
      patched = 1;
    } else if (metric.find("ops_path") != metric.npos) {
      ++tensor;
    } else {
      others = 1;
    }
  }
  std::size_t passes = patched + std::max(tensor, others);
  // A pass of samples has no counters for these, as on GH100.
  const Host& host = *reinterpret_cast<Host*>(parameters->pHostObject);
  const bool too_many = std::ranges::any_of(host.metrics, [](const std::string& metric) {
    return metric.find("fp64") != metric.npos || metric.find("fp16") != metric.npos;
  });
  if (host.samples && too_many) passes = 2;
  std::memcpy(parameters->pConfigImage, &passes, sizeof passes);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* parameters) {
  std::memcpy(&parameters->numOfPasses, parameters->pConfigImage, sizeof(std::size_t));
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* parameters) {
  for (std::size_t i = 0; i < parameters->numMetrics; ++i) {
    const std::string metric = parameters->ppMetricNames[i];
    parameters->pMetricValues[i] = reinterpret_cast<Host*>(parameters->pHostObject)->samples
                                       ? value_of_sample(metric, parameters->rangeIndex)
                                       : value_of_range(metric, parameters->rangeIndex);
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* parameters) {
  parameters->pChipName = "GH100";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerGetCounterAvailability(
    CUpti_Profiler_GetCounterAvailability_Params* parameters) {
  FAKE(cuptiProfilerGetCounterAvailability)
  parameters->counterAvailabilityImageSize = 8;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* parameters) {
  FAKE(cuptiRangeProfilerEnable)
  if (enabled) return CUPTI_ERROR_INVALID_OPERATION;
  enabled = true;
  parameters->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(&subscriber);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) {
  enabled = false;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerGetCounterDataSize(
    CUpti_RangeProfiler_GetCounterDataSize_Params* parameters) {
  parameters->counterDataSize = 64;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* parameters) {
  FAKE(cuptiRangeProfilerSetConfig)
  config = *parameters;
  std::memcpy(&passes_left, parameters->pConfig, sizeof passes_left);
  all_passes = passes_left;
  counted.clear();
  user_ranges.clear();
  return CUPTI_SUCCESS;
}
/// Every pass is over the same work: what the last one saw stands for all.
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  started = true;
  counted.clear();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* parameters) {
  started = false;
  if (passes_left > 0) --passes_left;
  parameters->isAllPassSubmitted = passes_left == 0 ? 1 : 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params* parameters) {
  if (!started || open_range != nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  auto found =
      std::ranges::find(user_ranges, std::string_view(parameters->pRangeName), &UserRange::name);
  if (found == user_ranges.end()) {
    if (user_ranges.size() == config.maxRangesPerPass) return CUPTI_ERROR_INVALID_OPERATION;
    found = user_ranges.insert(found, {parameters->pRangeName, {}, 0, false});
  }
  open_range = &*found;
  open_range->kernels.clear();
  ++open_range->passes;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params*) {
  if (open_range == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  open_range = nullptr;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerCounterDataGetRangeInfo(
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params* parameters) {
  parameters->rangeName = user_ranges.at(parameters->rangeIndex).name.c_str();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params*) {
  return CUPTI_SUCCESS;
}
/// A full image drops ranges silently.
CUptiResult cuptiRangeProfilerGetCounterDataInfo(
    CUpti_RangeProfiler_GetCounterDataInfo_Params* parameters) {
  const auto with_kernels = static_cast<std::size_t>(std::ranges::count_if(
      user_ranges, [](const UserRange& range) { return !range.kernels.empty(); }));
  const std::size_t ranges = config.range == CUPTI_AutoRange ? counted.size() : with_kernels;
  parameters->numTotalRanges = std::min(ranges, config.maxRangesPerPass);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingGetCounterAvailability(
    CUpti_PmSampling_GetCounterAvailability_Params* parameters) {
  FAKE(cuptiPmSamplingGetCounterAvailability)
  parameters->counterAvailabilityImageSize = 8;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params* parameters) {
  FAKE(cuptiPmSamplingEnable)
  parameters->pPmSamplingObject = reinterpret_cast<CUpti_PmSampling_Object*>(&subscriber);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params* parameters) {
  FAKE(cuptiPmSamplingSetConfig)
  std::size_t passes = 0;
  std::memcpy(&passes, parameters->pConfig, sizeof passes);
  const bool by_time = parameters->triggerMode == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  return passes == 1 && by_time ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_SUPPORTED;
}
CUptiResult cuptiPmSamplingGetCounterDataSize(
    CUpti_PmSampling_GetCounterDataSize_Params* parameters) {
  image_samples = parameters->maxSamples;
  parameters->counterDataSize = 64;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingCounterDataImageInitialize(
    CUpti_PmSampling_CounterDataImage_Initialize_Params*) {
  const std::lock_guard lock(samples_mutex);
  decoded_samples.clear();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params*) {
  FAKE(cuptiPmSamplingStart)
  const std::lock_guard lock(samples_mutex);
  if (sampling) return CUPTI_ERROR_INVALID_OPERATION;
  sampling = true;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params*) {
  const std::lock_guard lock(samples_mutex);
  if (!sampling) return CUPTI_ERROR_INVALID_OPERATION;
  sampling = false;
  return CUPTI_SUCCESS;
}
/// Adds to what the image holds, as the real one.
CUptiResult cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params* parameters) {
  const std::lock_guard lock(samples_mutex);
  const std::size_t room = image_samples - decoded_samples.size();
  const auto fit = static_cast<std::ptrdiff_t>(std::min(room, waiting_samples.size()));
  decoded_samples.insert(decoded_samples.end(), waiting_samples.begin(),
                         waiting_samples.begin() + fit);
  waiting_samples.erase(waiting_samples.begin(), waiting_samples.begin() + fit);
  parameters->decodeStopReason = waiting_samples.empty()
                                     ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS
                                     : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
  FAKE(cuptiPmSamplingDecodeData)
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingGetCounterDataInfo(
    CUpti_PmSampling_GetCounterDataInfo_Params* parameters) {
  const std::lock_guard lock(samples_mutex);
  parameters->numTotalSamples = image_samples;
  parameters->numPopulatedSamples = parameters->numCompletedSamples = decoded_samples.size();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingCounterDataGetSampleInfo(
    CUpti_PmSampling_CounterData_GetSampleInfo_Params* parameters) {
  const std::lock_guard lock(samples_mutex);
  parameters->startTimestamp = decoded_samples.at(parameters->sampleIndex).begin;
  parameters->endTimestamp = decoded_samples.at(parameters->sampleIndex).end;
  return CUPTI_SUCCESS;
}

}  // extern "C"
