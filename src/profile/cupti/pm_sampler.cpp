// The order of CUPTI's calls (cupti_pmsampling.h of CUDA 13.0):
//
//   availability, metrics, config                      once, of the device
//   enable, set config, size and initialize the image  once
//   initialize the image, start, [decode, read]..., stop, decode, read    for each window
//   disable                                            once
//
// The hardware writes records into a buffer; decoding makes samples of them in the image, behind
// those that are there. A decode that fills the image leaves records for the next. The last sample
// of a decode may lack counters, which the next one adds: where the image is initialized in
// between, that sample's shares are too high. So the image has room for many decodes and is
// initialized when it is nearly full.

#include "profile/pm_sampler.hpp"

#include <algorithm>

#include "cupti_functions.hpp"
#include "profile/range_session.hpp"

namespace rooflab::profile {
namespace {

/// Records of about a hundred kB a sample fit for 1000 samples.
constexpr std::size_t buffer_bytes = std::size_t{128} << 20U;
constexpr std::size_t least_samples = 2048;  // of the image; more take long to prepare
constexpr int most_decodes = 64;  // in one take(): a decode that never ends must not hang

CUpti_PmSampling_Object* as_sampling_object(void* object) {
  return static_cast<CUpti_PmSampling_Object*>(object);
}

std::vector<std::uint8_t> sampling_availability(const CuptiLibrary& cupti, int device) {
  auto counters = parameters_of_size<CUpti_PmSampling_GetCounterAvailability_Params>(
      CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE);
  counters.deviceIndex = static_cast<std::size_t>(device);
  cupti.functions().sampling_get_counter_availability(&counters);
  std::vector<std::uint8_t> image(counters.counterAvailabilityImageSize);
  counters.pCounterAvailabilityImage = image.data();
  cupti.functions().sampling_get_counter_availability(&counters);
  return image;
}

}  // namespace

PmSampler::PmSampler(std::shared_ptr<const CuptiLibrary> cupti, int device,
                     std::int64_t interval_ns, std::size_t samples)
    : cupti_(std::move(cupti)),
      device_(device),
      chip_(chip_name(*cupti_, device)),
      availability_(sampling_availability(*cupti_, device)),
      list_(sampling_metrics(metrics_fit_a_sample(cupti_, chip_, availability_))),
      config_(cupti_, chip_, list_.metrics, availability_, CounterUse::samples) {
  try {
    enable(interval_ns);
    make_image(samples);
  } catch (...) {
    disable();
    throw;
  }
}

PmSampler::~PmSampler() { disable(); }

void PmSampler::enable(std::int64_t interval_ns) {
  const CuptiFunctions& functions = cupti_->functions();
  auto enable = parameters_of_size<CUpti_PmSampling_Enable_Params>(
      CUpti_PmSampling_Enable_Params_STRUCT_SIZE);
  enable.deviceIndex = static_cast<std::size_t>(device_);
  functions.sampling_enable(&enable);
  object_ = enable.pPmSamplingObject;

  auto config = parameters_of_size<CUpti_PmSampling_SetConfig_Params>(
      CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE);
  config.pPmSamplingObject = enable.pPmSamplingObject;
  config.configSize = config_.image().size();
  config.pConfig = config_.image().data();
  config.hardwareBufferSize = buffer_bytes;
  // Cycles of the system clock stand for ns: it runs at about 1 GHz, and samples have their times.
  config.samplingInterval = static_cast<std::uint64_t>(interval_ns);
  config.triggerMode = samples_by_time(chip_) ? CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL
                                              : CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL;
  // The only mode of Turing, and the one that tells of what is lost.
  config.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
  functions.sampling_set_config(&config);
}

void PmSampler::make_image(std::size_t samples) {
  most_samples_ = std::max(samples, least_samples);
  std::vector<const char*> names(config_.names().begin(), config_.names().end());
  auto size = parameters_of_size<CUpti_PmSampling_GetCounterDataSize_Params>(
      CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pPmSamplingObject = as_sampling_object(object_);
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxSamples = static_cast<std::uint32_t>(most_samples_);
  cupti_->functions().sampling_get_counter_data_size(&size);
  image_.resize(size.counterDataSize);
}

void PmSampler::clear_image() {
  auto initialize = parameters_of_size<CUpti_PmSampling_CounterDataImage_Initialize_Params>(
      CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  initialize.pPmSamplingObject = as_sampling_object(object_);
  initialize.counterDataSize = image_.size();
  initialize.pCounterData = image_.data();
  cupti_->functions().sampling_counter_data_image_initialize(&initialize);
  read_ = 0;
}

void PmSampler::start() {
  clear_image();
  auto start =
      parameters_of_size<CUpti_PmSampling_Start_Params>(CUpti_PmSampling_Start_Params_STRUCT_SIZE);
  start.pPmSamplingObject = as_sampling_object(object_);
  cupti_->functions().sampling_start(&start);
  started_ = true;
}

void PmSampler::stop() {
  auto stop =
      parameters_of_size<CUpti_PmSampling_Stop_Params>(CUpti_PmSampling_Stop_Params_STRUCT_SIZE);
  stop.pPmSamplingObject = as_sampling_object(object_);
  started_ = false;
  cupti_->functions().sampling_stop(&stop);
}

TakenSamples PmSampler::take() {
  TakenSamples taken;
  for (int i = 0; i < most_decodes; ++i) {
    auto decode = parameters_of_size<CUpti_PmSampling_DecodeData_Params>(
        CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE);
    decode.pPmSamplingObject = as_sampling_object(object_);
    decode.pCounterDataImage = image_.data();
    decode.counterDataImageSize = image_.size();
    const CUptiResult result = cupti_->functions().sampling_decode_data.attempt(&decode);
    // Out of memory is the hardware's buffer.
    if (result != CUPTI_SUCCESS && result != CUPTI_ERROR_OUT_OF_MEMORY) {
      throw CuptiError(result, "cuptiPmSamplingDecodeData");
    }
    read_image(taken.samples);
    const bool full =
        decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
    if (full || read_ > most_samples_ / 4 * 3) clear_image();
    taken.overflowed = decode.overflow != 0 || result == CUPTI_ERROR_OUT_OF_MEMORY;
    if (taken.overflowed || !full) break;
  }
  if (taken.overflowed && started_) {  // a full buffer takes no more
    stop();
    start();
  }
  return taken;
}

void PmSampler::read_image(std::vector<TimedSample>& samples) {
  const CuptiFunctions& functions = cupti_->functions();
  auto info = parameters_of_size<CUpti_PmSampling_GetCounterDataInfo_Params>(
      CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE);
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  functions.sampling_get_counter_data_info(&info);
  for (; read_ < info.numCompletedSamples; ++read_) {
    auto times = parameters_of_size<CUpti_PmSampling_CounterData_GetSampleInfo_Params>(
        CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE);
    times.pPmSamplingObject = as_sampling_object(object_);
    times.pCounterDataImage = image_.data();
    times.counterDataImageSize = image_.size();
    times.sampleIndex = read_;
    functions.sampling_get_sample_info(&times);
    samples.push_back({static_cast<std::int64_t>(times.startTimestamp),
                       static_cast<std::int64_t>(times.endTimestamp),
                       config_.values(image_, read_)});
  }
}

void PmSampler::disable() noexcept {
  if (object_ == nullptr) return;
  const CuptiFunctions& functions = cupti_->functions();
  if (started_) {
    auto stop =
        parameters_of_size<CUpti_PmSampling_Stop_Params>(CUpti_PmSampling_Stop_Params_STRUCT_SIZE);
    stop.pPmSamplingObject = as_sampling_object(object_);
    (void)functions.sampling_stop.attempt(&stop);
    started_ = false;
  }
  auto disable = parameters_of_size<CUpti_PmSampling_Disable_Params>(
      CUpti_PmSampling_Disable_Params_STRUCT_SIZE);
  disable.pPmSamplingObject = as_sampling_object(object_);
  (void)functions.sampling_disable.attempt(&disable);
  object_ = nullptr;
}

}  // namespace rooflab::profile
