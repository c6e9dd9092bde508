#include "trace_record.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "record/occupation.hpp"
#include "record/record_notes.hpp"
#include "record/trace_device.hpp"
#include "record/zero_figures.hpp"
#include "rooflab/base/text.hpp"
#include "system/utc_time.hpp"

namespace rooflab::import {

void complete(record::Record& record, const std::string& file, std::optional<std::int64_t> first_ns,
              const std::map<int, std::string>& uuids) {
  record::Trace& trace = *record.trace;
  record::KernelTable& kernels = *record.kernels;
  record.identity.model = std::filesystem::path(file).stem().string();
  record.identity.forget();
  record::set_device_of_kernels(record);
  record::DeviceIdentity& device = record.environment.device;
  if (const auto uuid = uuids.find(device.index); uuid != uuids.end()) device.uuid = uuid->second;
  record::set_occupation(kernels, [&](int index) -> std::optional<int> {
    const auto found = std::ranges::find(trace.devices, index, &record::TraceDevice::id);
    return found != trace.devices.end() ? found->multiprocessors : std::nullopt;
  });
  record::forget_impossible_zeros(record);
  if (trace.base_ns > 0 && first_ns) {
    constexpr std::int64_t second = 1'000'000'000;
    record.environment.date = utc_time((trace.base_ns + *first_ns) / second);
  }
  const std::int64_t lost =
      std::accumulate(record.lost.begin(), record.lost.end(), std::int64_t{0},
                      [](std::int64_t sum, const record::Loss& loss) { return sum + loss.count; });
  if (lost > 0) record.warnings.push_back({record::says.trace_not_used, {lost}});
}

}  // namespace rooflab::import
