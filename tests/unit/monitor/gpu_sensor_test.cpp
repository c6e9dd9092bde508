#include "monitor/gpu_sensor.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "../record/equal_fields.hpp"
#include "monitor/nvml.hpp"
#include "monitor/sampler.hpp"

// tests/fakes/nvml.cpp has the answers that stand here.
namespace rooflab::monitor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GpuSensor : public testing::Test {
 protected:
  void SetUp() override {
    clear();
    ::setenv("ROOFLAB_NVML", FAKE_NVML, 1);
  }
  void TearDown() override { clear(); }

  static void clear() {
    for (const char* name :
         {"ROOFLAB_NVML", "FAKE_NVML_DEVICES", "FAKE_NVML_FAIL", "CUDA_VISIBLE_DEVICES"}) {
      ::unsetenv(name);
    }
  }

  static std::vector<std::string> labels(const GpuSensors& gpus) {
    std::vector<std::string> result;
    for (const auto& sensor : gpus.sensors)
      result.push_back(sensor->device() + " " + sensor->name());
    return result;
  }
};

constexpr const char* first_uuid = "GPU-0aaaaaaa-0000-0000-0000-000000000000";
constexpr const char* second_uuid = "GPU-1aaaaaaa-0000-0000-0000-000000000000";

TEST_F(GpuSensor, FiguresInBaseUnits) {
  const GpuSensors gpus = open_gpu_sensors();
  EXPECT_EQ(gpus.missing, "");
  ASSERT_EQ(gpus.sensors.size(), 2U);
  const record::Sample sample = gpus.sensors[0]->read();
  EXPECT_DOUBLE_EQ(sample.core_utilization.value(), 0.87);
  EXPECT_DOUBLE_EQ(sample.memory_utilization.value(), 0.43);
  EXPECT_EQ(sample.memory_used_bytes, 12'000'000'000);  // without the driver's 754,820,096
  EXPECT_DOUBLE_EQ(sample.power_w.value(), 598.765);    // of the moment, not the average
  EXPECT_DOUBLE_EQ(sample.energy_j.value(), 5000.123);
  EXPECT_DOUBLE_EQ(sample.sm_clock_hz.value(), 1.755e9);
  EXPECT_DOUBLE_EQ(sample.memory_clock_hz.value(), 3.201e9);
  EXPECT_DOUBLE_EQ(sample.temperature_c.value(), 61.0);
  EXPECT_THAT(sample.throttle_reasons.value(), ElementsAre("sw_power_cap"));
  EXPECT_FALSE(sample.task_clock_s.has_value());
  EXPECT_FALSE(sample.resident_bytes.has_value());
  EXPECT_DOUBLE_EQ(gpus.sensors[0]->read().energy_j.value(), 5030.623);
}

TEST_F(GpuSensor, AnOlderDriverLacksFunctions) {
  ::setenv("ROOFLAB_NVML", FAKE_NVML_OLD, 1);
  const GpuSensors gpus = open_gpu_sensors();
  ASSERT_EQ(gpus.sensors.size(), 2U);
  const record::Sample sample = gpus.sensors[0]->read();
  EXPECT_FALSE(sample.energy_j.has_value());
  EXPECT_DOUBLE_EQ(sample.power_w.value(), 412.345);
  EXPECT_EQ(sample.memory_used_bytes, 12'754'820'096);
  EXPECT_THAT(sample.throttle_reasons.value(), ElementsAre("sw_thermal"));
}

TEST_F(GpuSensor, WhatIsNotSupportedIsAbsentAndNotZero) {
  ::setenv("FAKE_NVML_FAIL",
           "nvmlDeviceGetUtilizationRates,nvmlDeviceGetMemoryInfo,nvmlDeviceGetMemoryInfo_v2,"
           "nvmlDeviceGetPowerUsage,nvmlDeviceGetFieldValues,nvmlDeviceGetTotalEnergyConsumption,"
           "nvmlDeviceGetClockInfo,nvmlDeviceGetTemperature,nvmlDeviceGetCurrentClocksEventReasons,"
           "nvmlDeviceGetCurrentClocksThrottleReasons",
           1);
  const GpuSensors gpus = open_gpu_sensors();
  ASSERT_EQ(gpus.sensors.size(), 2U);
  EXPECT_EQ(gpus.sensors[0]->read(), record::Sample{});
}

TEST_F(GpuSensor, PowerFallsBackToTheDriversAverage) {
  ::setenv("FAKE_NVML_FAIL", "nvmlDeviceGetFieldValues", 1);
  EXPECT_DOUBLE_EQ(open_gpu_sensors().sensors.at(0)->read().power_w.value(), 412.345);
}

TEST_F(GpuSensor, NoLibraryNoDriverNoGpu) {
  ::setenv("ROOFLAB_NVML", "/nowhere/libnvidia-ml.so.1", 1);
  GpuSensors gpus = open_gpu_sensors();
  EXPECT_TRUE(gpus.sensors.empty());
  EXPECT_THAT(gpus.missing, HasSubstr("/nowhere/libnvidia-ml.so.1"));
  std::string missing;
  EXPECT_TRUE(detect_gpus(missing).empty());
  EXPECT_EQ(missing, gpus.missing);
  EXPECT_EQ(driver_cuda_version(), std::nullopt);

  ::setenv("ROOFLAB_NVML", FAKE_NVML, 1);
  ::setenv("FAKE_NVML_FAIL", "nvmlInit_v2", 1);
  EXPECT_EQ(open_gpu_sensors().missing, "NVML does not start: Driver Not Loaded");

  ::unsetenv("FAKE_NVML_FAIL");
  ::setenv("FAKE_NVML_DEVICES", "0", 1);
  EXPECT_EQ(open_gpu_sensors().missing, "NVML finds no GPU");
}

TEST_F(GpuSensor, ALibraryWithoutNvml) {
  Dl_info library{};
  ASSERT_NE(::dladdr(reinterpret_cast<const void*>(&::cosl), &library), 0);
  ::setenv("ROOFLAB_NVML", library.dli_fname, 1);
  EXPECT_EQ(open_gpu_sensors().missing, std::string(library.dli_fname) +
                                            " is not NVIDIA's management library (no nvmlInit_v2)");
}

TEST_F(GpuSensor, NumbersAreThoseOfCuda) {
  EXPECT_THAT(labels(open_gpu_sensors()),
              ElementsAre("cuda:0 NVIDIA H200", "cuda:1 NVIDIA Fancy 9000"));
  ::setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
  EXPECT_THAT(labels(open_gpu_sensors()),
              ElementsAre("cuda:0 NVIDIA Fancy 9000", "cuda:1 NVIDIA H200"));
  ::setenv("CUDA_VISIBLE_DEVICES", "GPU-1a", 1);
  EXPECT_THAT(labels(open_gpu_sensors()), ElementsAre("cuda:0 NVIDIA Fancy 9000"));
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_EQ(open_gpu_sensors().missing, "CUDA_VISIBLE_DEVICES='' shows none of 2 GPUs");
}

TEST_F(GpuSensor, ByUuidWhateverIsVisible) {
  ::setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  const std::vector<std::string> uuids = {second_uuid, "GPU-nowhere", std::string(first_uuid + 4)};
  const GpuSensors gpus = open_gpu_sensors(uuids);
  EXPECT_THAT(labels(gpus), ElementsAre("cuda:0 NVIDIA Fancy 9000", "cuda:2 NVIDIA H200"));
  EXPECT_EQ(gpus.missing, "no GPU 'GPU-nowhere' here");
}

TEST_F(GpuSensor, Identities) {
  ::setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
  std::string missing = "?";
  const std::vector<record::DeviceIdentity> gpus = detect_gpus(missing);
  EXPECT_EQ(missing, "");
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[1].kind, "cuda");
  EXPECT_EQ(gpus[1].index, 1);
  EXPECT_EQ(gpus[1].name, "NVIDIA H200");
  EXPECT_EQ(gpus[1].uuid, first_uuid);
  EXPECT_EQ(gpus[1].memory, Bytes(150'754'820'096));
  EXPECT_EQ(gpus[1].compute_capability, "9.0");
  EXPECT_EQ(gpus[1].driver, "550.54.15");
  EXPECT_EQ(gpus[1].multiprocessors, std::nullopt);
  EXPECT_EQ(driver_cuda_version(), "12.4");  // NVML says 12040
}

TEST_F(GpuSensor, ClockState) {
  const record::ClockState state = clock_state(open_gpu_sensors().sensors.at(0)->read());
  EXPECT_DOUBLE_EQ(state.sm_clock_hz.value(), 1.755e9);
  EXPECT_DOUBLE_EQ(state.memory_clock_hz.value(), 3.201e9);
  EXPECT_DOUBLE_EQ(state.temperature_c.value(), 61.0);
  EXPECT_THAT(state.throttle_reasons.value(), ElementsAre("sw_power_cap"));
  EXPECT_EQ(clock_state({}), record::ClockState{});
}

}  // namespace
}  // namespace rooflab::monitor
