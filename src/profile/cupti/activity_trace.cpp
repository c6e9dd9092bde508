// CUPTI asks for a buffer when it has none, fills it with records and hands it back: when it is
// full, when someone flushes, or, so that a program that is killed has lost a second at most, by a
// timer. Buffers are given back on a thread of CUPTI's.

#include "profile/activity_trace.hpp"

#include <array>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <vector>

#include "cupti_functions.hpp"

namespace rooflab::profile {
namespace {

constexpr std::array<CUpti_ActivityKind, 3> kinds = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};
constexpr std::size_t buffer_size = std::size_t{4} << 20;
constexpr std::size_t buffer_alignment = 8;
constexpr std::uint32_t flush_period_ms = 1000;
/// CUPTI's own kernel, which waits where a range ends.
constexpr std::string_view kernel_of_cupti = "WaitNs";

record::Extent extent_of(std::int32_t x, std::int32_t y, std::int32_t z) {
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
          static_cast<std::uint32_t>(z)};
}

KernelActivity kernel_of(const CUpti_ActivityKernel10& record) {
  KernelActivity kernel;
  kernel.name = record.name == nullptr ? "" : record.name;
  kernel.grid = extent_of(record.gridX, record.gridY, record.gridZ);
  kernel.block = extent_of(record.blockX, record.blockY, record.blockZ);
  kernel.device = static_cast<std::int32_t>(record.deviceId);
  kernel.stream = static_cast<std::int32_t>(record.streamId);
  kernel.start_ns = static_cast<std::int64_t>(record.start);
  kernel.end_ns = static_cast<std::int64_t>(record.end);
  kernel.correlation = record.correlationId;
  kernel.node = record.graphNodeId;
  kernel.registers_per_thread = record.registersPerThread;
  kernel.dynamic_memory_bytes = record.dynamicSharedMemory;
  kernel.shared_memory_bytes = std::int64_t{record.staticSharedMemory} + record.dynamicSharedMemory;
  return kernel;
}

template <class Record>
CopyActivity copy_of(const Record& record) {
  CopyActivity copy;
  copy.device = static_cast<std::int32_t>(record.deviceId);
  copy.stream = static_cast<std::int32_t>(record.streamId);
  copy.start_ns = static_cast<std::int64_t>(record.start);
  copy.end_ns = static_cast<std::int64_t>(record.end);
  copy.bytes = static_cast<std::int64_t>(record.bytes);
  copy.correlation = record.correlationId;
  return copy;
}

}  // namespace

// NOLINTBEGIN(cppcoreguidelines-no-malloc, cppcoreguidelines-owning-memory): CUPTI takes and
// returns aligned memory as plain pointers
struct ActivityTrace::State {
  std::shared_ptr<const CuptiLibrary> cupti;
  ActivityListener& listener;
  std::mutex telling;  ///< one buffer after the other
  std::mutex spare_mutex;
  std::vector<std::uint8_t*> spare;

  /// CUPTI's callbacks have no user data.
  static std::shared_ptr<State> current;
  static std::mutex current_mutex;

  /// Held for a moment only: a launch waits for its buffer meanwhile.
  static std::shared_ptr<State> get() {
    const std::lock_guard lock(current_mutex);
    return current;
  }

  ~State() {
    for (std::uint8_t* buffer : spare) std::free(buffer);
  }

  void tell(CUpti_Activity* record) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_KERNEL:
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const KernelActivity kernel =
            kernel_of(*reinterpret_cast<const CUpti_ActivityKernel10*>(record));
        if (kernel.name != kernel_of_cupti) listener.kernel(kernel);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto& memcpy = *reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
        CopyActivity copy = copy_of(memcpy);
        copy.direction = memcpy.copyKind;
        listener.copy(copy);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMSET: {
        CopyActivity copy = copy_of(*reinterpret_cast<const CUpti_ActivityMemset4*>(record));
        copy.fill = true;
        listener.copy(copy);
        break;
      }
      default:
        break;
    }
  }

  void take(std::uint8_t* buffer, std::size_t valid_size, CUcontext context, std::uint32_t stream) {
    const std::lock_guard lock(telling);
    CUpti_Activity* record = nullptr;
    while (valid_size > 0 && cupti->functions().activity_get_next_record.attempt(
                                 buffer, valid_size, &record) == CUPTI_SUCCESS) {
      tell(record);
    }
    std::size_t dropped = 0;
    if (cupti->functions().activity_get_num_dropped_records.attempt(context, stream, &dropped) ==
            CUPTI_SUCCESS &&
        dropped > 0) {
      listener.dropped(static_cast<std::int64_t>(dropped));
    }
    listener.buffer_ends();
    const std::lock_guard spare_lock(spare_mutex);
    spare.push_back(buffer);
  }

  std::uint8_t* buffer() {
    const std::lock_guard lock(spare_mutex);
    if (spare.empty()) {
      return static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_size));
    }
    std::uint8_t* const last = spare.back();
    spare.pop_back();
    return last;
  }

  static void CUPTIAPI request(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
    const std::shared_ptr<State> state = get();
    *buffer = state ? state->buffer() : nullptr;
    *size = *buffer == nullptr ? 0 : buffer_size;
    *max_records = 0;  // as many as fit
  }

  static void CUPTIAPI complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                std::size_t /*size*/, std::size_t valid_size) {
    const std::shared_ptr<State> state = get();
    if (!state) {
      std::free(buffer);
      return;
    }
    try {
      state->take(buffer, valid_size, context, stream);
    } catch (...) {  // into CUPTI's thread: never
    }
  }
};
// NOLINTEND(cppcoreguidelines-no-malloc, cppcoreguidelines-owning-memory)

std::shared_ptr<ActivityTrace::State> ActivityTrace::State::current;
std::mutex ActivityTrace::State::current_mutex;

ActivityTrace::ActivityTrace(std::shared_ptr<const CuptiLibrary> cupti, ActivityListener& listener)
    : state_(new State{std::move(cupti), listener, {}, {}, {}}) {
  const std::lock_guard lock(State::current_mutex);
  State::current = state_;
}

ActivityTrace::~ActivityTrace() {
  const std::lock_guard lock(State::current_mutex);
  State::current = nullptr;
}

void ActivityTrace::start() {
  const CuptiFunctions& functions = state_->cupti->functions();
  functions.activity_register_callbacks(State::request, State::complete);
  (void)functions.activity_flush_period.attempt(flush_period_ms);
  for (const CUpti_ActivityKind kind : kinds) functions.activity_enable(kind);
}

void ActivityTrace::stop() {
  (void)state_->cupti->functions().activity_flush_period.attempt(0);
  for (const CUpti_ActivityKind kind : kinds) {
    (void)state_->cupti->functions().activity_disable.attempt(kind);
  }
  flush(false);
}

void ActivityTrace::flush(bool all) {
  (void)state_->cupti->functions().activity_flush_all.attempt(all ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
                                                                  : 0);
}

std::int64_t ActivityTrace::now_ns() const {
  std::uint64_t now = 0;
  state_->cupti->functions().get_timestamp(&now);
  return static_cast<std::int64_t>(now);
}

}  // namespace rooflab::profile
