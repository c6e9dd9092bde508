#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "results.hpp"
#include "rooflab/record/environment.hpp"

namespace rooflab::probe_worker {

inline constexpr std::int64_t mebibyte = 1 << 20;  ///< bytes

/// A step of a part: one figure, or a few that are measured together.
struct Step {
  double expected_s = 0.0;    ///< time on a usual device, for estimates
  std::function<void()> run;  ///< measures and adds to the results
};

/// A device to measure. An Error (capability) in a step means that the device cannot do it, and
/// becomes a note; any other exception ends the probe.
class DeviceProbe {
 public:
  virtual ~DeviceProbe() = default;

  /// Constant facts: names and versions. Called once, before the first step.
  virtual std::map<std::string, std::string> identity() = 0;
  /// Steps of a part in order, without those whose figures are already known.
  virtual std::vector<Step> steps_of(const std::string& part) = 0;
  /// Clocks and their throttle reasons so far. Called after every part.
  virtual std::map<std::string, std::string> state() = 0;
  /// Called between steps, to observe throttle reasons.
  virtual void watch() {}
};

/// The parts that a request can name, in the best order of measuring.
[[nodiscard]] const std::vector<std::string>& known_parts();

/// Probe of this machine's processors. `results` must outlive it.
[[nodiscard]] std::unique_ptr<DeviceProbe> make_cpu_probe(Results& results, bool quick);

/// Probe of `cuda:INDEX`. Throws Error (capability) when it does not exist, or in a build without
/// CUDA.
[[nodiscard]] std::unique_ptr<DeviceProbe> make_cuda_probe(int index, Results& results, bool quick);

/// CUDA devices of this machine; empty in a build without CUDA.
[[nodiscard]] std::vector<record::DeviceIdentity> cuda_devices();
/// Versions of this worker's libraries: `cuda`, `cublaslt`, `blas`.
[[nodiscard]] std::map<std::string, std::string> cuda_library_versions();
/// Parts of CUDA that this build or machine lacks, one sentence each.
[[nodiscard]] std::vector<std::string> missing_cuda_parts();

}  // namespace rooflab::probe_worker
