// NVTX, which programs compile in as headers, loads the library that $NVTX_INJECTION64_PATH names
// at its first call and lets it put its own functions in place of NVTX's empty ones. Ranges of a
// thread nest; those between two threads (RangeStart, RangeEnd) have an identifier.

#include "nvtx_ranges.hpp"

#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "rooflab/record/modelled_step.hpp"

namespace rooflab::inject {
namespace {

std::atomic<Profiler*> listener = nullptr;
std::atomic<int> open_ranges = 0;  ///< ranges with the window's name, over all threads

struct Range {
  std::string name;
  bool is_window = false;
};
/// This thread is in them, one inside the other.
thread_local std::vector<Range> nested;
constexpr std::size_t most_nested = 256;  // of a program that never ends its ranges

std::mutex started_mutex;
std::unordered_set<nvtxRangeId_t> started;
std::atomic<nvtxRangeId_t> next_range = 1;

/// The name of the ranges that are the window, by the request in the environment, which is there
/// before CUDA is; empty: no range is.
const std::string& window_name() {
  static const std::string name = [] {
    const char* const text = std::getenv(profile::profile_variable);
    const auto request = text == nullptr ? std::nullopt : profile::profile_request_from_text(text);
    const bool is_range = request && request->window.kind == profile::ProfileWindow::Kind::nvtx;
    return is_range ? request->window.nvtx : std::string();
  }();
  return name;
}

bool is_window(std::string_view name) { return !window_name().empty() && name == window_name(); }

void open_one() {
  if (open_ranges.fetch_add(1) > 0) return;
  if (Profiler* const profiler = listener.load()) profiler->nvtx_window(true);
}

void close_one() {
  if (open_ranges.fetch_sub(1) > 1) return;
  if (Profiler* const profiler = listener.load()) profiler->nvtx_window(false);
}

/// A name that was registered once is a handle afterwards: the address of its copy here.
nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t, const char* text) {
  auto* const copy = new std::string(text == nullptr ? "" : text);  // for the program's life
  return reinterpret_cast<nvtxStringHandle_t>(copy);
}

std::string_view text_of(const nvtxEventAttributes_t* attributes) {
  if (attributes == nullptr) return {};
  const nvtxMessageValue_t& message = attributes->message;
  if (attributes->messageType == NVTX_MESSAGE_TYPE_ASCII && message.ascii != nullptr) {
    return message.ascii;
  }
  if (attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED && message.registered != nullptr) {
    return *reinterpret_cast<const std::string*>(message.registered);
  }
  return {};
}

int push(std::string_view name) {
  if (nested.size() == most_nested) nested.erase(nested.begin());
  nested.push_back({std::string(name), is_window(name)});
  if (nested.back().is_window) open_one();
  return static_cast<int>(nested.size()) - 1;
}

int pop() {
  if (nested.empty()) return NVTX_NO_PUSH_POP_TRACKING;
  const bool window = nested.back().is_window;
  nested.pop_back();
  if (window) close_one();
  return static_cast<int>(nested.size());
}

nvtxRangeId_t start(std::string_view name) {
  const nvtxRangeId_t id = next_range.fetch_add(1);
  if (is_window(name)) {
    {
      const std::lock_guard lock(started_mutex);
      started.insert(id);
    }
    open_one();
  }
  return id;
}

void end(nvtxRangeId_t id) {
  {
    const std::lock_guard lock(started_mutex);
    if (started.erase(id) == 0) return;
  }
  close_one();
}

// NVTX's own signatures.
int NVTX_API push_ascii(const char* name) { return push(name == nullptr ? "" : name); }
int NVTX_API push_attributes(const nvtxEventAttributes_t* attributes) {
  return push(text_of(attributes));
}
int NVTX_API pop_range() { return pop(); }
nvtxRangeId_t NVTX_API start_ascii(const char* name) { return start(name == nullptr ? "" : name); }
nvtxRangeId_t NVTX_API start_attributes(const nvtxEventAttributes_t* attributes) {
  return start(text_of(attributes));
}
void NVTX_API end_range(nvtxRangeId_t id) { end(id); }
int NVTX_API domain_push(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) {
  return push(text_of(attributes));
}
int NVTX_API domain_pop(nvtxDomainHandle_t) { return pop(); }
nvtxRangeId_t NVTX_API domain_start(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) {
  return start(text_of(attributes));
}
void NVTX_API domain_end(nvtxDomainHandle_t, nvtxRangeId_t id) { end(id); }

class FunctionTable {
 public:
  FunctionTable(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module) {
    if (callbacks.GetModuleFunctionTable(module, &table_, &size_) == 0) size_ = 0;
  }
  template <class Function>
  void set(unsigned index, Function* function) const {
    if (index < size_ && table_[index] != nullptr) {
      *table_[index] = reinterpret_cast<NvtxFunctionPointer>(function);
    }
  }

 private:
  NvtxFunctionTable table_ = nullptr;
  unsigned size_ = 0;
};

}  // namespace

void start_nvtx_ranges(Profiler& profiler) {
  if (profiler.request().window.kind != profile::ProfileWindow::Kind::nvtx) return;
  listener = &profiler;
  if (open_ranges.load() > 0) profiler.nvtx_window(true);
}

void stop_nvtx_ranges() { listener = nullptr; }

std::string nvtx_ranges_of_this_thread() {
  std::string names;
  for (const Range& range : nested) {
    if (range.name.empty()) continue;
    if (!names.empty()) names += record::range_separator;
    names += range.name;
  }
  return names;
}

}  // namespace rooflab::inject

/// Called by NVTX; 1: the functions are in place.
extern "C" [[gnu::visibility("default")]] int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_export_table) {
  using namespace rooflab::inject;
  if (get_export_table == nullptr) return 0;
  const auto* const callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr) return 0;
  const FunctionTable core(*callbacks, NVTX_CB_MODULE_CORE);
  core.set(NVTX_CBID_CORE_RangePushA, push_ascii);
  core.set(NVTX_CBID_CORE_RangePushEx, push_attributes);
  core.set(NVTX_CBID_CORE_RangePop, pop_range);
  core.set(NVTX_CBID_CORE_RangeStartA, start_ascii);
  core.set(NVTX_CBID_CORE_RangeStartEx, start_attributes);
  core.set(NVTX_CBID_CORE_RangeEnd, end_range);
  const FunctionTable domains(*callbacks, NVTX_CB_MODULE_CORE2);
  domains.set(NVTX_CBID_CORE2_DomainRangePushEx, domain_push);
  domains.set(NVTX_CBID_CORE2_DomainRangePop, domain_pop);
  domains.set(NVTX_CBID_CORE2_DomainRangeStartEx, domain_start);
  domains.set(NVTX_CBID_CORE2_DomainRangeEnd, domain_end);
  domains.set(NVTX_CBID_CORE2_DomainRegisterStringA, register_string);
  return 1;
}
