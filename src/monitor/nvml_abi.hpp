#pragma once

#include <cstdint>

/// The part of NVML's binary interface that Rooflab uses, declared here because its header comes
/// with the CUDA toolkit, but the library with the driver. Names have no prefix `nvml`; types and
/// values are as in nvml.h of CUDA 12.4 (NVML_API_VERSION 12); NVML keeps old symbols and struct
/// versions working. Source: NVML API Reference Guide, docs.nvidia.com/deploy/nvml-api.
namespace rooflab::monitor::nvml {

using Return = int;  // nvmlReturn_t
inline constexpr Return success = 0;
inline constexpr Return not_supported = 3;
inline constexpr Return driver_not_loaded = 9;

struct DeviceTag;
using Device = DeviceTag*;  // nvmlDevice_t, an opaque handle

inline constexpr unsigned name_size = 96;     // NVML_DEVICE_NAME_V2_BUFFER_SIZE
inline constexpr unsigned uuid_size = 96;     // NVML_DEVICE_UUID_V2_BUFFER_SIZE
inline constexpr unsigned version_size = 80;  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE

inline constexpr int clock_sm = 1;         // NVML_CLOCK_SM
inline constexpr int clock_memory = 2;     // NVML_CLOCK_MEM
inline constexpr int temperature_gpu = 0;  // NVML_TEMPERATURE_GPU

struct Utilization {  // nvmlUtilization_t, percent
  unsigned gpu;
  unsigned memory;
};

struct Memory {  // nvmlMemory_t, bytes; `used` includes memory reserved by the driver
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct MemoryV2 {  // nvmlMemory_v2_t, bytes; `used` excludes `reserved`, as in nvidia-smi
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};
inline constexpr unsigned memory_v2_version = sizeof(MemoryV2) | (2U << 24U);

union Value {  // nvmlValue_t
  double as_double;
  unsigned as_unsigned;
  unsigned long as_unsigned_long;
  unsigned long long as_unsigned_long_long;
  long long as_long_long;
};

struct FieldValue {  // nvmlFieldValue_t
  unsigned field;
  unsigned scope;
  long long timestamp_us;
  long long latency_us;
  int value_type;  // nvmlValueType_t
  Return status;
  Value value;
};
inline constexpr unsigned field_power_instant = 186;  // NVML_FI_DEV_POWER_INSTANT, milliwatts
inline constexpr int value_type_unsigned = 1;         // NVML_VALUE_TYPE_UNSIGNED_INT

static_assert(sizeof(Utilization) == 8 && sizeof(Memory) == 24 && sizeof(MemoryV2) == 40 &&
              sizeof(FieldValue) == 40);

}  // namespace rooflab::monitor::nvml
