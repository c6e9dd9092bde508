// A library with NVML's interface and known answers, for tests on machines without a GPU. It has
// separate declarations, written after nvml.h of CUDA 12.4, so that a wrong struct in the sources
// shows. Built a second time with FAKE_NVML_OLD as a driver of 2021 that lacks newer functions.
//
//   FAKE_NVML_DEVICES=N       number of devices (2), which differ only in name and UUID
//   FAKE_NVML_FAIL=F,G,...    these functions return NVML_ERROR_NOT_SUPPORTED; nvmlInit_v2 returns
//                             NVML_ERROR_DRIVER_NOT_LOADED

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

// NOLINTBEGIN(readability-identifier-naming): the names are NVML's
extern "C" {

using nvmlReturn_t = int;
struct nvmlDevice_st {
  int index;
};
using nvmlDevice_t = nvmlDevice_st*;
struct nvmlUtilization_t {
  unsigned gpu, memory;
};
struct nvmlMemory_t {
  unsigned long long total, free, used;
};
struct nvmlMemory_v2_t {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct nvmlFieldValue_t {
  unsigned fieldId, scopeId;
  long long timestamp, latencyUsec;
  int valueType;
  nvmlReturn_t nvmlReturn;
  union {
    double dVal;
    unsigned uiVal;
    unsigned long long ullVal;
  } value;
};
}

namespace {

nvmlDevice_st devices[8] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
int users = 0;  // NVML counts its initialisations
unsigned long long energy_mj[8] = {};

unsigned device_count() {
  const char* const count = std::getenv("FAKE_NVML_DEVICES");
  return count == nullptr ? 2 : static_cast<unsigned>(std::atoi(count));
}

bool fails(const char* function) {
  const char* const list = std::getenv("FAKE_NVML_FAIL");
  return list != nullptr &&
         ("," + std::string(list) + ",").find("," + std::string(function) + ",") !=
             std::string::npos;
}

constexpr nvmlReturn_t success = 0;
constexpr nvmlReturn_t uninitialized = 1;
constexpr nvmlReturn_t invalid_argument = 2;
constexpr nvmlReturn_t not_supported = 3;
constexpr nvmlReturn_t not_found = 6;
constexpr nvmlReturn_t driver_not_loaded = 9;

nvmlReturn_t check(const char* function) {
  if (users == 0) return uninitialized;
  return fails(function) ? not_supported : success;
}

template <class Value>
nvmlReturn_t answer(const char* function, Value* place, Value value) {
  const nvmlReturn_t status = check(function);
  if (status == success) *place = value;
  return status;
}

nvmlReturn_t answer_text(const char* function, char* place, unsigned size,
                         const std::string& text) {
  const nvmlReturn_t status = check(function);
  if (status == success) std::snprintf(place, size, "%s", text.c_str());
  return status;
}

std::string uuid_of(int index) {
  return "GPU-" + std::to_string(index) + "aaaaaaa-0000-0000-0000-000000000000";
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlInit_v2() {
  if (fails("nvmlInit_v2")) return driver_not_loaded;
  if (users++ > 0) return success;
  for (unsigned long long& energy : energy_mj) energy = 5000123;
  return success;
}
nvmlReturn_t nvmlShutdown() {
  if (users > 0) --users;
  return success;
}
const char* nvmlErrorString(nvmlReturn_t status) {
  return status == driver_not_loaded ? "Driver Not Loaded" : "Unknown Error";
}
nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned length) {
  return answer_text("nvmlSystemGetDriverVersion", version, length, "550.54.15");
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return answer("nvmlSystemGetCudaDriverVersion_v2", version, 12040);
}
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  return answer("nvmlDeviceGetCount_v2", count, device_count());
}
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
  if (index >= device_count()) return invalid_argument;
  return answer("nvmlDeviceGetHandleByIndex_v2", device, &devices[index]);
}
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  if (std::strcmp(uuid, "GPU-11111111-1111-1111-1111-111111111111") == 0) {  // of the fake driver
    return answer("nvmlDeviceGetHandleByUUID", device, &devices[0]);
  }
  for (unsigned i = 0; i < device_count(); ++i) {
    if (uuid_of(static_cast<int>(i)) == uuid) {
      return answer("nvmlDeviceGetHandleByUUID", device, &devices[i]);
    }
  }
  return not_found;
}
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned length) {
  return answer_text("nvmlDeviceGetName", name, length,
                     device->index == 0 ? "NVIDIA H200" : "NVIDIA Fancy 9000");
}
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned length) {
  return answer_text("nvmlDeviceGetUUID", uuid, length, uuid_of(device->index));
}
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t, int* major, int* minor) {
  *major = 9;
  return answer("nvmlDeviceGetCudaComputeCapability", minor, 0);
}
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t, nvmlMemory_t* memory) {
  return answer("nvmlDeviceGetMemoryInfo", memory,
                nvmlMemory_t{150754820096ULL, 138000000000ULL, 12754820096ULL});
}
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t, nvmlUtilization_t* utilization) {
  return answer("nvmlDeviceGetUtilizationRates", utilization, nvmlUtilization_t{87, 43});
}
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned* power_mw) {
  return answer("nvmlDeviceGetPowerUsage", power_mw, 412345U);
}
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t, int clock, unsigned* clock_mhz) {
  if (clock != 1 && clock != 2) return invalid_argument;
  return answer("nvmlDeviceGetClockInfo", clock_mhz, clock == 1 ? 1755U : 3201U);
}
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t, int sensor, unsigned* celsius) {
  return sensor == 0 ? answer("nvmlDeviceGetTemperature", celsius, 61U) : invalid_argument;
}
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t, unsigned long long* bits) {
  return answer("nvmlDeviceGetCurrentClocksThrottleReasons", bits, 0x20ULL);
}

#ifndef FAKE_NVML_OLD
nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t, unsigned long long* bits) {
  return answer("nvmlDeviceGetCurrentClocksEventReasons", bits, 0x4ULL);
}
nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long* energy) {
  unsigned long long& counter = energy_mj[device->index];
  const nvmlReturn_t status = answer("nvmlDeviceGetTotalEnergyConsumption", energy, counter);
  if (status == success) counter += 30500;  // 30.5 J between two readings, however long
  return status;
}
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t, nvmlMemory_v2_t* memory) {
  // NVML_STRUCT_VERSION(Memory, 2)
  if (memory->version != (sizeof(nvmlMemory_v2_t) | (2U << 24U))) return 25;
  return answer("nvmlDeviceGetMemoryInfo_v2", memory,
                nvmlMemory_v2_t{memory->version, 150754820096ULL, 754820096ULL, 138000000000ULL,
                                12000000000ULL});
}
struct nvmlGpmSupport_t {
  unsigned version, isSupportedDevice;
};
struct nvmlGpmMetric_t {
  unsigned metricId;
  nvmlReturn_t nvmlReturn;
  double value;
  struct {
    char *shortName, *longName, *unit;
  } metricInfo;
};
struct nvmlGpmMetricsGet_t {
  unsigned version, numMetrics;
  int *sample1, *sample2;
  nvmlGpmMetric_t metrics[98];
};
nvmlReturn_t nvmlGpmQueryDeviceSupport(nvmlDevice_t device, nvmlGpmSupport_t* support) {
  if (support->version != 1) return invalid_argument;
  support->isSupportedDevice = device->index == 0 ? 1 : 0;
  return check("nvmlGpmQueryDeviceSupport");
}
nvmlReturn_t nvmlGpmSampleAlloc(int** sample) {
  *sample = new int(-1);
  return check("nvmlGpmSampleAlloc");
}
nvmlReturn_t nvmlGpmSampleFree(int* sample) {
  delete sample;
  return success;
}
nvmlReturn_t nvmlGpmSampleGet(nvmlDevice_t, int* sample) {
  static int taken = 0;
  *sample = taken++;
  return check("nvmlGpmSampleGet");
}
/// A metric is as many percent as its number says; those above 12 are not known.
nvmlReturn_t nvmlGpmMetricsGet(nvmlGpmMetricsGet_t* request) {
  if (request->version != 1 || *request->sample1 < 0 || *request->sample2 <= *request->sample1) {
    return invalid_argument;
  }
  for (unsigned i = 0; i < request->numMetrics; ++i) {
    nvmlGpmMetric_t& metric = request->metrics[i];
    metric.nvmlReturn = metric.metricId > 12 ? not_supported : success;
    metric.value = metric.metricId;
  }
  return check("nvmlGpmMetricsGet");
}
nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t, int count, nvmlFieldValue_t* fields) {
  for (int i = 0; i < count; ++i) {
    fields[i].nvmlReturn = fields[i].fieldId == 186 ? success : not_supported;
    fields[i].valueType = 1;  // NVML_VALUE_TYPE_UNSIGNED_INT
    fields[i].value.uiVal = 598765;
  }
  return check("nvmlDeviceGetFieldValues");
}
#endif
}
// NOLINTEND(readability-identifier-naming)
