// A config of several passes over as many runs of the same step:
//
//   enable, set config                                            once
//   start, [push range,] the step, [pop range,] stop              for each pass
//   decode, evaluate, disable                                     once
//
// What was seen on an H200 with CUPTI 13.0, and is kept to here:
//  - The first start of a config takes 160 to 200 ms for one range, 340 to 420 ms for 300; the next
//    one, of the next pass, 2 ms. So all metrics are in one config, and a pass is a step.
//  - CUPTI keeps the addresses of the first config and counter data that an enabled object is
//    given. Freed, they crash; replaced, values are NaN. So the object is made again for each
//    config and the buffers live as long as it does.
//  - A counter data image that is full drops ranges without `numOfRangeDropped` telling.
//  - A range without a kernel decodes to nothing.
//  - Ranges of several passes belong together by their names, not by their order. A range around
//  one
//    launch costs 1.5 ms, 0.1 ms where code is patched; launches outside of ranges cost nothing
//    more.
//  - After the last pass the same buffers can be initialized and set again: 20 ms.
//  - CUDA-core instructions read 0 while activity records are on; hardware counters do not.

#include "profile/range_session.hpp"

#include "cupti_functions.hpp"

namespace rooflab::profile {
namespace {

constexpr const char* step_name = "step";

CUpti_RangeProfiler_Object* as_object(void* object) {
  return static_cast<CUpti_RangeProfiler_Object*>(object);
}

}  // namespace

int device_of(const CuptiLibrary& cupti, void* context) {
  std::uint32_t device = 0;
  cupti.functions().get_device_id(static_cast<CUcontext>(context), &device);
  return static_cast<int>(device);
}

std::string chip_name(const CuptiLibrary& cupti, int device) {
  auto initialize = parameters_of_size<CUpti_Profiler_Initialize_Params>(
      CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  cupti.functions().profiler_initialize(&initialize);
  auto chip = parameters_of_size<CUpti_Device_GetChipName_Params>(
      CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  chip.deviceIndex = static_cast<std::size_t>(device);
  cupti.functions().device_get_chip_name(&chip);
  return chip.pChipName;
}

RangeSession::RangeSession(std::shared_ptr<const CuptiLibrary> cupti, void* context, int device)
    : cupti_(std::move(cupti)), context_(context), chip_(chip_name(*cupti_, device)) {
  auto counters = parameters_of_size<CUpti_Profiler_GetCounterAvailability_Params>(
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  counters.ctx = static_cast<CUcontext>(context_);
  cupti_->functions().profiler_get_counter_availability(&counters);
  availability_.resize(counters.counterAvailabilityImageSize);
  counters.pCounterAvailabilityImage = availability_.data();
  cupti_->functions().profiler_get_counter_availability(&counters);
}

RangeSession::~RangeSession() { abandon(); }

void RangeSession::start(const MetricConfig& config, CountedUnit unit, std::size_t max_ranges) {
  abandon();
  const CuptiFunctions& functions = cupti_->functions();
  auto enable = parameters_of_size<CUpti_RangeProfiler_Enable_Params>(
      CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  enable.ctx = static_cast<CUcontext>(context_);
  functions.range_enable(&enable);
  object_ = enable.pRangeProfilerObject;
  config_ = &config;
  unit_ = unit;
  max_ranges_ = max_ranges;

  std::vector<const char*> names(config.names().begin(), config.names().end());
  auto size = parameters_of_size<CUpti_RangeProfiler_GetCounterDataSize_Params>(
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pRangeProfilerObject = enable.pRangeProfilerObject;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = max_ranges;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(max_ranges);
  functions.range_get_counter_data_size(&size);
  counter_data_.assign(size.counterDataSize, 0);
  set_config();
  begin_pass();
}

void RangeSession::set_config() {
  const CuptiFunctions& functions = cupti_->functions();
  auto initialize = parameters_of_size<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  initialize.pRangeProfilerObject = as_object(object_);
  initialize.counterDataSize = counter_data_.size();
  initialize.pCounterData = counter_data_.data();
  functions.range_counter_data_image_initialize(&initialize);

  auto set = parameters_of_size<CUpti_RangeProfiler_SetConfig_Params>(
      CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
  set.pRangeProfilerObject = as_object(object_);
  set.configSize = config_->image().size();
  set.pConfig = config_->image().data();
  set.counterDataImageSize = counter_data_.size();
  set.pCounterDataImage = counter_data_.data();
  set.range = unit_ == CountedUnit::kernel ? CUPTI_AutoRange : CUPTI_UserRange;
  set.replayMode = CUPTI_UserReplay;
  set.maxRangesPerPass = max_ranges_;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = 0;
  set.targetNestingLevel = unit_ == CountedUnit::kernel ? 1 : 0;
  functions.range_set_config(&set);
}

void RangeSession::begin_pass() {
  auto start = parameters_of_size<CUpti_RangeProfiler_Start_Params>(
      CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
  start.pRangeProfilerObject = as_object(object_);
  cupti_->functions().range_start(&start);
  in_pass_ = true;
  if (unit_ == CountedUnit::step) begin_range(step_name);
}

void RangeSession::begin_range(const std::string& name) {
  auto push = parameters_of_size<CUpti_RangeProfiler_PushRange_Params>(
      CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
  push.pRangeProfilerObject = as_object(object_);
  push.pRangeName = name.c_str();
  cupti_->functions().range_push(&push);
  in_range_ = true;
}

void RangeSession::end_range() {
  auto pop = parameters_of_size<CUpti_RangeProfiler_PopRange_Params>(
      CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
  pop.pRangeProfilerObject = as_object(object_);
  in_range_ = false;
  cupti_->functions().range_pop(&pop);
}

bool RangeSession::end_pass() {
  if (in_range_) end_range();
  auto stop = parameters_of_size<CUpti_RangeProfiler_Stop_Params>(
      CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
  stop.pRangeProfilerObject = as_object(object_);
  cupti_->functions().range_stop(&stop);
  in_pass_ = false;
  return stop.isAllPassSubmitted != 0;
}

void RangeSession::next_pass() { begin_pass(); }

void RangeSession::renew() {
  set_config();
  begin_pass();
}

RangeValues RangeSession::finish() {
  auto decode = parameters_of_size<CUpti_RangeProfiler_DecodeData_Params>(
      CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  decode.pRangeProfilerObject = as_object(object_);
  cupti_->functions().range_decode_data(&decode);
  auto info = parameters_of_size<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
      CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
  info.pCounterDataImage = counter_data_.data();
  info.counterDataImageSize = counter_data_.size();
  cupti_->functions().range_get_counter_data_info(&info);

  RangeValues result{info.numTotalRanges, config_->metrics().size(), {}, {}};
  result.values.reserve(result.ranges * result.metrics);
  for (std::size_t range = 0; range < result.ranges; ++range) {
    const std::vector<double> values = config_->values(counter_data_, range);
    result.values.insert(result.values.end(), values.begin(), values.end());
    if (unit_ == CountedUnit::launch) result.names.push_back(name_of_range(range));
  }
  return result;
}

std::string RangeSession::name_of_range(std::size_t range) const {
  auto info = parameters_of_size<CUpti_RangeProfiler_CounterData_GetRangeInfo_Params>(
      CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE);
  info.pCounterDataImage = counter_data_.data();
  info.counterDataImageSize = counter_data_.size();
  info.rangeIndex = range;
  info.rangeDelimiter = "/";
  cupti_->functions().range_get_range_info(&info);
  return info.rangeName == nullptr ? "" : info.rangeName;
}

void RangeSession::abandon() noexcept {
  if (object_ == nullptr) return;
  const CuptiFunctions& functions = cupti_->functions();
  if (in_pass_) {
    if (in_range_) {
      auto pop = parameters_of_size<CUpti_RangeProfiler_PopRange_Params>(
          CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
      pop.pRangeProfilerObject = as_object(object_);
      (void)functions.range_pop.attempt(&pop);
      in_range_ = false;
    }
    auto stop = parameters_of_size<CUpti_RangeProfiler_Stop_Params>(
        CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    stop.pRangeProfilerObject = as_object(object_);
    (void)functions.range_stop.attempt(&stop);
    in_pass_ = false;
  }
  auto disable = parameters_of_size<CUpti_RangeProfiler_Disable_Params>(
      CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
  disable.pRangeProfilerObject = as_object(object_);
  (void)functions.range_disable.attempt(&disable);
  object_ = nullptr;
}

}  // namespace rooflab::profile
