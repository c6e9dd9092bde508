// CUPTI keeps host objects apart from devices: one is made for a chip by its name, gets the
// metrics, and gives the image that programs the hardware. The same object evaluates what the
// hardware counted. An unknown name is error 1 (invalid parameter), not 17 as the header says, and
// CUPTI does not name it.

#include "profile/metric_config.hpp"

#include "cupti_functions.hpp"

namespace rooflab::profile {

struct MetricConfig::State {
  std::shared_ptr<const CuptiLibrary> cupti;
  std::vector<std::string> metrics;
  std::vector<const char*> names;
  std::vector<std::uint8_t> image;
  int passes = 0;
  CUpti_Profiler_Host_Object* host = nullptr;

  State(std::shared_ptr<const CuptiLibrary> library, std::vector<std::string> wanted)
      : cupti(std::move(library)), metrics(std::move(wanted)) {
    for (const std::string& metric : metrics) names.push_back(metric.c_str());
  }
  ~State() {
    if (host == nullptr) return;
    auto parameters = parameters_of_size<CUpti_Profiler_Host_Deinitialize_Params>(
        CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
    parameters.pHostObject = host;
    (void)cupti->functions().host_deinitialize.attempt(&parameters);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

MetricConfig::MetricConfig(std::shared_ptr<const CuptiLibrary> cupti, const std::string& chip,
                           std::vector<std::string> metrics,
                           std::span<const std::uint8_t> availability, CounterUse use)
    : state_(std::make_unique<State>(std::move(cupti), std::move(metrics))) {
  const CuptiFunctions& functions = state_->cupti->functions();
  auto initialize = parameters_of_size<CUpti_Profiler_Host_Initialize_Params>(
      CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  initialize.profilerType = use == CounterUse::samples ? CUPTI_PROFILER_TYPE_PM_SAMPLING
                                                       : CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  initialize.pChipName = chip.c_str();
  initialize.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  functions.host_initialize(&initialize);
  state_->host = initialize.pHostObject;

  auto add = parameters_of_size<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  add.pHostObject = state_->host;
  add.ppMetricNames = state_->names.data();
  add.numMetrics = state_->names.size();
  functions.host_config_add_metrics(&add);

  auto size = parameters_of_size<CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = state_->host;
  functions.host_get_config_image_size(&size);
  state_->image.resize(size.configImageSize);
  auto image = parameters_of_size<CUpti_Profiler_Host_GetConfigImage_Params>(
      CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  image.pHostObject = state_->host;
  image.configImageSize = state_->image.size();
  image.pConfigImage = state_->image.data();
  functions.host_get_config_image(&image);

  auto passes = parameters_of_size<CUpti_Profiler_Host_GetNumOfPasses_Params>(
      CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  passes.configImageSize = state_->image.size();
  passes.pConfigImage = state_->image.data();
  functions.host_get_num_of_passes(&passes);
  state_->passes = static_cast<int>(passes.numOfPasses);
}

MetricConfig::~MetricConfig() = default;
MetricConfig::MetricConfig(MetricConfig&&) noexcept = default;
MetricConfig& MetricConfig::operator=(MetricConfig&&) noexcept = default;

const std::vector<std::string>& MetricConfig::metrics() const { return state_->metrics; }
int MetricConfig::passes() const { return state_->passes; }
std::span<const std::uint8_t> MetricConfig::image() const { return state_->image; }
std::span<const char* const> MetricConfig::names() const { return state_->names; }

std::vector<double> MetricConfig::values(std::span<const std::uint8_t> counter_data,
                                         std::size_t range) const {
  std::vector<double> values(state_->metrics.size());
  auto evaluate = parameters_of_size<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  evaluate.pHostObject = state_->host;
  evaluate.pCounterDataImage = counter_data.data();
  evaluate.counterDataImageSize = counter_data.size();
  evaluate.rangeIndex = range;
  evaluate.ppMetricNames = state_->names.data();
  evaluate.numMetrics = state_->names.size();
  evaluate.pMetricValues = values.data();
  state_->cupti->functions().host_evaluate_to_gpu_values(&evaluate);
  return values;
}

namespace {

/// Whether a configuration of metrics can be made and is as `wanted`.
template <class Wanted>
MetricsExist asks(std::shared_ptr<const CuptiLibrary> cupti, std::string chip,
                  std::span<const std::uint8_t> availability, CounterUse use, Wanted wanted) {
  return [cupti = std::move(cupti), chip = std::move(chip), use, wanted,
          image = std::vector<std::uint8_t>(availability.begin(), availability.end())](
             std::span<const std::string> metrics) {
    try {
      return wanted(MetricConfig(cupti, chip, {metrics.begin(), metrics.end()}, image, use));
    } catch (const CuptiError& error) {
      if (error.code() != CUPTI_ERROR_INVALID_PARAMETER) throw;
      return false;
    }
  };
}

}  // namespace

MetricsExist metrics_exist(std::shared_ptr<const CuptiLibrary> cupti, std::string chip,
                           std::span<const std::uint8_t> availability) {
  return asks(std::move(cupti), std::move(chip), availability, CounterUse::ranges,
              [](const MetricConfig&) { return true; });
}

MetricsExist metrics_fit_a_sample(std::shared_ptr<const CuptiLibrary> cupti, std::string chip,
                                  std::span<const std::uint8_t> availability) {
  return asks(std::move(cupti), std::move(chip), availability, CounterUse::samples,
              [](const MetricConfig& config) { return config.passes() == 1; });
}

std::vector<std::string> known_chips(const CuptiLibrary& cupti) {
  auto chips = parameters_of_size<CUpti_Profiler_Host_GetSupportedChips_Params>(
      CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
  cupti.functions().host_get_supported_chips(&chips);
  return {chips.ppChipNames, chips.ppChipNames + chips.numChips};
}

}  // namespace rooflab::profile
