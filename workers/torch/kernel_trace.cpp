#include "kernel_trace.hpp"

#include <vector>

#ifdef ROOFLAB_HAS_CUPTI
#include "counters/counter_access.hpp"
#include "counters/rank_kernels.hpp"
#include "profile/activity_trace.hpp"
#endif

namespace rooflab::torch_worker {

#ifdef ROOFLAB_HAS_CUPTI
namespace {

class ActivityLog : public profile::ActivityListener {
 public:
  void kernel(const profile::KernelActivity& activity) override { kernels.push_back(activity); }
  void copy(const profile::CopyActivity&) override {}
  void dropped(std::int64_t records) override { lost += records; }

  std::vector<profile::KernelActivity> kernels;
  std::int64_t lost = 0;
};

}  // namespace
#endif

std::optional<record::RankKernels> trace_kernels(const std::function<void()>& step, int steps,
                                                 DeviceBackend& backend, std::string& why) {
  if (!backend.device().is_cuda()) return std::nullopt;
#ifdef ROOFLAB_HAS_CUPTI
  const auto cupti = profile::CuptiLibrary::open(counters::counter_access().cupti, why);
  if (!cupti) return std::nullopt;
  ActivityLog log;
  double elapsed_s = 0.0;
  try {
    profile::ActivityTrace trace(cupti, log);
    backend.synchronize();
    trace.start();
    step();  // the records' buffers are made here
    backend.synchronize();
    trace.flush(true);
    log.kernels.clear();
    const std::unique_ptr<Mark> begin = backend.mark();
    for (int i = 0; i < steps; ++i) step();
    const std::unique_ptr<Mark> end = backend.mark();
    backend.synchronize();
    elapsed_s = backend.seconds_between(*begin, *end);
    trace.stop();
  } catch (const profile::CuptiError& error) {
    why = error.what();
    return std::nullopt;
  }
  if (log.kernels.empty()) {
    why = "CUPTI told of no kernel";
    return std::nullopt;
  }
  if (log.lost > 0) {
    why = "CUPTI lost some of its records";
    return std::nullopt;
  }
  return counters::rank_kernels(log.kernels, backend.identity(), elapsed_s, steps);
#else
  (void)step;
  (void)steps;
  why = "this worker was built without CUPTI's headers";
  return std::nullopt;
#endif
}

}  // namespace rooflab::torch_worker
