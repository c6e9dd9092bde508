#pragma once

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <dlfcn.h>

#include "profile/cupti_library.hpp"

namespace rooflab::profile {

/// One function of libcupti, found by its name; a call throws CuptiError unless it succeeds.
template <class Signature>
class CuptiFunction;
template <class... Arguments>
class CuptiFunction<CUptiResult(Arguments...)> {
 public:
  explicit CuptiFunction(const char* name) : name_(name) {}

  void find_in(void* library) {
    function_ = reinterpret_cast<CUptiResult (*)(Arguments...)>(::dlsym(library, name_));
  }
  [[nodiscard]] bool present() const { return function_ != nullptr; }

  void operator()(Arguments... arguments) const {
    if (const CUptiResult result = attempt(arguments...); result != CUPTI_SUCCESS) {
      throw CuptiError(result, name_);
    }
  }
  /// Calls the function without throwing.
  CUptiResult attempt(Arguments... arguments) const {
    return function_ == nullptr ? CUPTI_ERROR_API_NOT_IMPLEMENTED : function_(arguments...);
  }

 private:
  const char* name_;
  CUptiResult (*function_)(Arguments...) = nullptr;
};

/// All functions of libcupti that Rooflab calls.
struct CuptiFunctions {
  // Subscribers to the driver.
  CuptiFunction<decltype(cuptiGetVersion)> get_version{"cuptiGetVersion"};
  CuptiFunction<decltype(cuptiSubscribe_v2)> subscribe_v2{"cuptiSubscribe_v2"};
  CuptiFunction<decltype(cuptiSubscribe)> subscribe{"cuptiSubscribe"};
  CuptiFunction<decltype(cuptiUnsubscribe)> unsubscribe{"cuptiUnsubscribe"};
  CuptiFunction<decltype(cuptiEnableCallback)> enable_callback{"cuptiEnableCallback"};
  CuptiFunction<decltype(cuptiGetDeviceId)> get_device_id{"cuptiGetDeviceId"};
  CuptiFunction<decltype(cuptiGetGraphNodeId)> get_graph_node_id{"cuptiGetGraphNodeId"};
  // Activities.
  CuptiFunction<decltype(cuptiActivityEnable)> activity_enable{"cuptiActivityEnable"};
  CuptiFunction<decltype(cuptiActivityDisable)> activity_disable{"cuptiActivityDisable"};
  CuptiFunction<decltype(cuptiActivityRegisterCallbacks)> activity_register_callbacks{
      "cuptiActivityRegisterCallbacks"};
  CuptiFunction<decltype(cuptiActivityGetNextRecord)> activity_get_next_record{
      "cuptiActivityGetNextRecord"};
  CuptiFunction<decltype(cuptiActivityGetNumDroppedRecords)> activity_get_num_dropped_records{
      "cuptiActivityGetNumDroppedRecords"};
  CuptiFunction<decltype(cuptiActivityFlushAll)> activity_flush_all{"cuptiActivityFlushAll"};
  CuptiFunction<decltype(cuptiActivityFlushPeriod)> activity_flush_period{
      "cuptiActivityFlushPeriod"};
  CuptiFunction<decltype(cuptiGetTimestamp)> get_timestamp{"cuptiGetTimestamp"};
  // Metrics, on the host.
  CuptiFunction<decltype(cuptiProfilerHostInitialize)> host_initialize{
      "cuptiProfilerHostInitialize"};
  CuptiFunction<decltype(cuptiProfilerHostDeinitialize)> host_deinitialize{
      "cuptiProfilerHostDeinitialize"};
  CuptiFunction<decltype(cuptiProfilerHostGetSupportedChips)> host_get_supported_chips{
      "cuptiProfilerHostGetSupportedChips"};
  CuptiFunction<decltype(cuptiProfilerHostConfigAddMetrics)> host_config_add_metrics{
      "cuptiProfilerHostConfigAddMetrics"};
  CuptiFunction<decltype(cuptiProfilerHostGetConfigImageSize)> host_get_config_image_size{
      "cuptiProfilerHostGetConfigImageSize"};
  CuptiFunction<decltype(cuptiProfilerHostGetConfigImage)> host_get_config_image{
      "cuptiProfilerHostGetConfigImage"};
  CuptiFunction<decltype(cuptiProfilerHostGetNumOfPasses)> host_get_num_of_passes{
      "cuptiProfilerHostGetNumOfPasses"};
  CuptiFunction<decltype(cuptiProfilerHostEvaluateToGpuValues)> host_evaluate_to_gpu_values{
      "cuptiProfilerHostEvaluateToGpuValues"};
  // Counters of a context.
  CuptiFunction<decltype(cuptiProfilerInitialize)> profiler_initialize{"cuptiProfilerInitialize"};
  CuptiFunction<decltype(cuptiProfilerDeviceSupported)> profiler_device_supported{
      "cuptiProfilerDeviceSupported"};
  CuptiFunction<decltype(cuptiDeviceGetChipName)> device_get_chip_name{"cuptiDeviceGetChipName"};
  CuptiFunction<decltype(cuptiProfilerGetCounterAvailability)> profiler_get_counter_availability{
      "cuptiProfilerGetCounterAvailability"};
  CuptiFunction<decltype(cuptiRangeProfilerEnable)> range_enable{"cuptiRangeProfilerEnable"};
  CuptiFunction<decltype(cuptiRangeProfilerDisable)> range_disable{"cuptiRangeProfilerDisable"};
  CuptiFunction<decltype(cuptiRangeProfilerSetConfig)> range_set_config{
      "cuptiRangeProfilerSetConfig"};
  CuptiFunction<decltype(cuptiRangeProfilerStart)> range_start{"cuptiRangeProfilerStart"};
  CuptiFunction<decltype(cuptiRangeProfilerStop)> range_stop{"cuptiRangeProfilerStop"};
  CuptiFunction<decltype(cuptiRangeProfilerPushRange)> range_push{"cuptiRangeProfilerPushRange"};
  CuptiFunction<decltype(cuptiRangeProfilerPopRange)> range_pop{"cuptiRangeProfilerPopRange"};
  CuptiFunction<decltype(cuptiRangeProfilerDecodeData)> range_decode_data{
      "cuptiRangeProfilerDecodeData"};
  CuptiFunction<decltype(cuptiRangeProfilerGetCounterDataSize)> range_get_counter_data_size{
      "cuptiRangeProfilerGetCounterDataSize"};
  CuptiFunction<decltype(cuptiRangeProfilerCounterDataImageInitialize)>
      range_counter_data_image_initialize{"cuptiRangeProfilerCounterDataImageInitialize"};
  CuptiFunction<decltype(cuptiRangeProfilerGetCounterDataInfo)> range_get_counter_data_info{
      "cuptiRangeProfilerGetCounterDataInfo"};
  CuptiFunction<decltype(cuptiRangeProfilerCounterDataGetRangeInfo)> range_get_range_info{
      "cuptiRangeProfilerCounterDataGetRangeInfo"};
  // Samples over time; CUPTI of CUDA 12.6 and later.
  CuptiFunction<decltype(cuptiPmSamplingGetCounterAvailability)> sampling_get_counter_availability{
      "cuptiPmSamplingGetCounterAvailability"};
  CuptiFunction<decltype(cuptiPmSamplingEnable)> sampling_enable{"cuptiPmSamplingEnable"};
  CuptiFunction<decltype(cuptiPmSamplingDisable)> sampling_disable{"cuptiPmSamplingDisable"};
  CuptiFunction<decltype(cuptiPmSamplingSetConfig)> sampling_set_config{"cuptiPmSamplingSetConfig"};
  CuptiFunction<decltype(cuptiPmSamplingStart)> sampling_start{"cuptiPmSamplingStart"};
  CuptiFunction<decltype(cuptiPmSamplingStop)> sampling_stop{"cuptiPmSamplingStop"};
  CuptiFunction<decltype(cuptiPmSamplingDecodeData)> sampling_decode_data{
      "cuptiPmSamplingDecodeData"};
  CuptiFunction<decltype(cuptiPmSamplingGetCounterDataSize)> sampling_get_counter_data_size{
      "cuptiPmSamplingGetCounterDataSize"};
  CuptiFunction<decltype(cuptiPmSamplingCounterDataImageInitialize)>
      sampling_counter_data_image_initialize{"cuptiPmSamplingCounterDataImageInitialize"};
  CuptiFunction<decltype(cuptiPmSamplingGetCounterDataInfo)> sampling_get_counter_data_info{
      "cuptiPmSamplingGetCounterDataInfo"};
  CuptiFunction<decltype(cuptiPmSamplingCounterDataGetSampleInfo)> sampling_get_sample_info{
      "cuptiPmSamplingCounterDataGetSampleInfo"};

  void find_in(void* library);
};

/// Arguments of a call of CUPTI, with the size that identifies their version.
template <class Parameters>
[[nodiscard]] Parameters parameters_of_size(std::size_t size) {
  Parameters parameters = {};
  parameters.structSize = size;
  return parameters;
}

}  // namespace rooflab::profile
