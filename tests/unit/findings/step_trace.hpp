#pragma once

#include <string_view>
#include <vector>

#include "../trace/trace_record.hpp"
#include "rooflab/findings/findings.hpp"

namespace rooflab::findings::trace_case {

constexpr std::int64_t us = 1000;
constexpr std::string_view tensor_kernel = "sm80_xmma_gemm_tf32f32_tensor16x8x8";

/// A step of 1 ms with its launches: the call is where the kernel begins.
class StepTrace {
 public:
  StepTrace() { record_.annotation("ProfilerStep#0", 0, 1000 * us); }

  StepTrace& kernel(std::string_view name, std::int64_t start, std::int64_t length,
                    double blocks_per_sm = 4.0, std::int64_t external_id = 0) {
    ++correlation_;
    record_.call(start, 10, correlation_, external_id);
    record_.kernel(name, start, length, correlation_,
                   {.blocks_per_sm = blocks_per_sm, .external_id = external_id});
    return *this;
  }
  trace::TraceRecord& record() { return record_; }

  /// On a device whose tensor cores have `path`, at four times the rate of FP32.
  [[nodiscard]] std::vector<Finding> findings(
      ArithmeticPath path = ArithmeticPath::tf32_tensor) const {
    analyze::ImportedCase imported;
    imported.title = "toy";
    imported.record = record_.record();
    imported.trace = trace::analyze_trace(imported.record);
    device::Device device;
    device.peaks[ArithmeticPath::fp32_vector].value = 10.0;
    device.peaks[path].value = 40.0;
    imported.device = device;
    return findings_of(imported);
  }

 private:
  trace::TraceRecord record_;
  std::int64_t correlation_ = 0;
};

}  // namespace rooflab::findings::trace_case
