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

/// A piece of a part: one figure, or a few that are measured together.
struct Step {
  double expected_s = 0.0;    ///< on a usual device, for the time left
  std::function<void()> run;  ///< puts what it measured into the results
};

/// A device that is measured. What is not possible on it is an Error (capability) out of a step,
/// and becomes a note; any other exception ends the probe.
class DeviceProbe {
 public:
  virtual ~DeviceProbe() = default;

  /// What does not change: names and versions. Once, before the first step.
  virtual std::map<std::string, std::string> identity() = 0;
  /// What a part takes here, in order; steps whose figures are there already are left out.
  virtual std::vector<Step> steps_of(const std::string& part) = 0;
  /// Clocks and what held them down until now. After every part.
  virtual std::map<std::string, std::string> state() = 0;
  /// Between steps, to see what holds the clocks down.
  virtual void watch() {}
};

/// The parts that a request can name, in the order in which they are best measured.
[[nodiscard]] const std::vector<std::string>& known_parts();

/// This machine's processors. `results` outlives the probe.
[[nodiscard]] std::unique_ptr<DeviceProbe> make_cpu_probe(Results& results, bool quick);

/// `cuda:INDEX`. Throws Error (capability) when it does not exist, or in a build without CUDA.
[[nodiscard]] std::unique_ptr<DeviceProbe> make_cuda_probe(int index, Results& results, bool quick);

/// The CUDA devices here; none in a build without CUDA.
[[nodiscard]] std::vector<record::DeviceIdentity> cuda_devices();
/// `cuda`, `cublaslt`, `blas`: what this worker runs on.
[[nodiscard]] std::map<std::string, std::string> cuda_library_versions();
/// What this build or machine lacks of CUDA, a sentence each.
[[nodiscard]] std::vector<std::string> missing_cuda_parts();

}  // namespace rooflab::probe_worker
