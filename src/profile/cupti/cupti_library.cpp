#include "profile/cupti_library.hpp"

#include <link.h>

#include <array>
#include <vector>

#include "cupti_functions.hpp"
#include "system/environment_variable.hpp"

namespace rooflab::profile {
namespace {

namespace fs = std::filesystem;

/// Activity records grow from version to version at their end only; within a major version of the
/// toolkit they keep the fields that this was compiled with.
constexpr std::array<const char*, 2> sonames = {"libcupti.so.13", "libcupti.so.12"};

void* load(const fs::path& file, int flags) { return ::dlopen(file.c_str(), RTLD_LAZY | flags); }

/// The file that a handle was loaded from.
fs::path path_of(void* handle) {
  link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
  return map->l_name;
}

void* find_library(const std::optional<fs::path>& wished) {
  for (const char* name : sonames) {
    if (void* handle = load(name, RTLD_NOLOAD)) return handle;
  }
  if (wished) {
    if (void* handle = load(*wished, RTLD_LOCAL)) return handle;
  }
  for (const char* name : sonames) {
    if (void* handle = load(name, RTLD_LOCAL)) return handle;
  }
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (auto home = absolute_path(environment_variable(variable)))
      folders.push_back(*std::move(home));
  }
  folders.emplace_back("/usr/local/cuda");
  for (const fs::path& folder : folders) {
    for (const char* inner : {"lib64", "extras/CUPTI/lib64", "targets/x86_64-linux/lib"}) {
      for (const char* name : sonames) {
        if (void* handle = load(folder / inner / name, RTLD_LOCAL)) return handle;
      }
    }
  }
  return nullptr;
}

}  // namespace

void CuptiFunctions::find_in(void* library) {
  const auto find = [library](auto&... functions) { (functions.find_in(library), ...); };
  find(get_version, subscribe_v2, subscribe, unsubscribe, enable_callback, get_device_id,
       get_graph_node_id, activity_enable, activity_disable, activity_register_callbacks,
       activity_get_next_record, activity_get_num_dropped_records, activity_flush_all,
       activity_flush_period, get_timestamp, host_initialize, host_deinitialize,
       host_get_supported_chips, host_config_add_metrics, host_get_config_image_size,
       host_get_config_image, host_get_num_of_passes, host_evaluate_to_gpu_values,
       profiler_initialize, profiler_device_supported, device_get_chip_name,
       profiler_get_counter_availability, range_enable, range_disable, range_set_config,
       range_start, range_stop, range_push, range_pop, range_decode_data,
       range_get_counter_data_size, range_counter_data_image_initialize,
       range_get_counter_data_info, range_get_range_info, sampling_get_counter_availability,
       sampling_enable, sampling_disable, sampling_set_config, sampling_start, sampling_stop,
       sampling_decode_data, sampling_get_counter_data_size, sampling_counter_data_image_initialize,
       sampling_get_counter_data_info, sampling_get_sample_info);
}

CuptiLibrary::CuptiLibrary(void* handle, fs::path path)
    : functions_(std::make_unique<CuptiFunctions>()), path_(std::move(path)) {
  functions_->find_in(handle);
}

CuptiLibrary::~CuptiLibrary() = default;  // never unloaded: CUPTI's threads may live on

std::shared_ptr<const CuptiLibrary> CuptiLibrary::open(const std::optional<fs::path>& wished,
                                                       std::string& why) {
  void* const handle = find_library(wished);
  if (handle == nullptr) {
    why = "libcupti.so (part of the CUDA toolkit and of PyTorch's packages for CUDA) was not found";
    return nullptr;
  }
  auto library = std::make_shared<const CuptiLibrary>(handle, path_of(handle));
  if (!library->functions().range_enable.present() ||
      !library->functions().host_initialize.present()) {
    why = library->path().string() + " is older than CUDA 12.6 and has no range profiler";
    return nullptr;
  }
  // libcupti looks for it by its bare name; loaded from the folder of libcupti it is found.
  const fs::path metrics = library->path().parent_path() / "libnvperf_host.so";
  (void)load(metrics, RTLD_GLOBAL);
  return library;
}

std::string CuptiLibrary::version() const {
  std::uint32_t version = 0;
  if (functions_->get_version.attempt(&version) != CUPTI_SUCCESS) return {};
  // 130000: CUDA 13.0; until CUDA 12.x API versions were plain numbers such as 24.
  if (version < 10000) return std::to_string(version);
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100);
}

}  // namespace rooflab::profile
