#include "cpu_backend.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <atomic>
#include <chrono>

#include "clock.hpp"
#include "monitor/host.hpp"
#include "rooflab/base/text.hpp"
#include "torch_version.hpp"

namespace rooflab::torch_worker {
namespace {

/// Bytes allocated on the CPU since it was installed, and their peak.
class MemoryAccount : public c10::MemoryReportingInfoBase {
 public:
#if ROOFLAB_TORCH_AT_LEAST(2, 0)
  using Total = std::size_t;
#else
  using Total = std::int64_t;
#endif
  void reportMemoryUsage(void*, std::int64_t size, Total, Total, c10::Device device) override {
    if (!device.is_cpu()) return;
    const std::int64_t now = allocated_.fetch_add(size) + size;
    std::int64_t peak = peak_.load();
    while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
    }
  }
  [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }

  [[nodiscard]] std::int64_t allocated() const { return allocated_; }
  [[nodiscard]] std::int64_t peak() const { return peak_; }
  void reset_peak() { peak_ = allocated_.load(); }

 private:
  std::atomic<std::int64_t> allocated_ = 0;
  std::atomic<std::int64_t> peak_ = 0;
};

struct SteadyMark : Mark {
  Clock::time_point time = Clock::now();
};

class CpuBackend : public DeviceBackend {
 public:
  CpuBackend()
      : account_(std::make_shared<MemoryAccount>()),
        guard_(c10::DebugInfoKind::PROFILER_STATE, account_) {}

  [[nodiscard]] at::Device device() const override { return at::kCPU; }
  [[nodiscard]] record::DeviceIdentity identity() const override { return monitor::cpu_identity(); }
  [[nodiscard]] std::string clock() const override { return "steady clock"; }
  void synchronize() override {}
  [[nodiscard]] std::unique_ptr<Mark> mark() override { return std::make_unique<SteadyMark>(); }
  [[nodiscard]] bool reached(const Mark&) override { return true; }
  [[nodiscard]] double seconds_between(const Mark& begin, const Mark& end) override {
    return std::chrono::duration<double>(dynamic_cast<const SteadyMark&>(end).time -
                                         dynamic_cast<const SteadyMark&>(begin).time)
        .count();
  }
  bool delay(double) override { return false; }
  [[nodiscard]] std::function<void()> captured(const std::function<void()>&) override {
    throw Unsupported{"a graph of kernels on a CPU"};
  }
  /// A CPU's op writes to caches of several cores; what the next one finds there is not modelled.
  [[nodiscard]] std::optional<Bytes> last_cache() override { return std::nullopt; }
  [[nodiscard]] AllocatorState allocator() override {
    return {Bytes(account_->allocated()), Bytes(account_->peak()), std::nullopt};
  }
  void reset_peaks() override { account_->reset_peak(); }
  void release_cached() override {}
  [[nodiscard]] std::optional<Bytes> device_used() override { return std::nullopt; }
  void limit_memory(Bytes, Bytes) override {
    throw Unsupported{"a memory limit on a CPU, whose memory the framework takes from the system"};
  }

 private:
  std::shared_ptr<MemoryAccount> account_;
  c10::DebugInfoGuard guard_;
};

}  // namespace

std::unique_ptr<DeviceBackend> make_cpu_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace rooflab::torch_worker
