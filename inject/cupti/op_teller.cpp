#include "op_teller.hpp"

#include <utility>

namespace rooflab::inject {
namespace {

constexpr std::int64_t no_op = -1;
constexpr std::int32_t most_recordings = 64;  // a graph for each of many shapes
thread_local std::int64_t current_op = no_op;

/// Never destroyed: threads may wait until the very end.
std::atomic<OpTeller*> teller = nullptr;

}  // namespace

OpTeller& OpTeller::here() {
  OpTeller* known = teller.load();
  if (known != nullptr) return *known;
  auto created = std::make_unique<OpTeller>();
  if (teller.compare_exchange_strong(known, created.get())) return *created.release();
  return *known;
}

void OpTeller::forget_in_child() { teller = nullptr; }

void OpTeller::files_are(std::string stem, bool captures,
                         std::function<void(std::string_view)> begins) {
  const std::lock_guard lock(mutex_);
  stem_ = std::move(stem);
  captures_ = captures;
  begins_ = std::move(begins);
}

std::string OpTeller::path_of(std::int32_t recording) const {
  const std::string number = recording == 0 ? "" : std::to_string(recording + 1);
  return stem_ + ".ops" + number + ".rec.jsonl.gz";
}

void OpTeller::ask() {
  const std::lock_guard lock(mutex_);
  offered_ = false;
  told_ = false;
  trouble_.clear();
  wanted_ = true;
  changed_.notify_all();
}

void OpTeller::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  captures_ = false;
  wanted_ = false;
  changed_.notify_all();
}

std::string OpTeller::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

std::int64_t OpTeller::op_of_this_thread() { return current_op; }

bool OpTeller::wait() {
  std::unique_lock lock(mutex_);
  if (closed_) return false;
  changed_.wait(lock, [this] { return wanted_ || closed_; });
  return wanted_;
}

bool OpTeller::wants_capture() const {
  const std::lock_guard lock(mutex_);
  return captures_ && recording_ < 0 && recordings_ < most_recordings;
}

const char* OpTeller::file() {
  const std::lock_guard lock(mutex_);
  return paths_.emplace_back(path_of(recordings_)).c_str();
}

void OpTeller::begin_recording() {
  const std::string path = path_of(recordings_);
  recording_ = recordings_++;
  if (begins_) begins_(std::string_view(path).substr(path.rfind('/') + 1));
}

void OpTeller::begin() {
  const std::lock_guard lock(mutex_);
  begin_recording();
  telling_ = true;
}

void OpTeller::begin_capture() {
  const std::lock_guard lock(mutex_);
  begin_recording();
}

void OpTeller::end_capture() { recording_ = -1; }

void OpTeller::op(std::int64_t number) { current_op = number; }

void OpTeller::end(std::string trouble) {
  const std::lock_guard lock(mutex_);
  trouble_ = std::move(trouble);
  if (telling_) recording_ = -1;
  telling_ = false;
  wanted_ = false;
  told_ = true;
}

}  // namespace rooflab::inject

// What a program calls that knows its ops; python/rooflab/_op_teller.py does. A recording of the
// ops is written meanwhile (docs/formats/recording.md), which has the same numbers (`call`).
extern "C" {

/// The program can tell ops, and will wait to be asked.
[[gnu::visibility("default")]] void rooflab_ops_offer() {
  rooflab::inject::OpTeller::here().offer();
}

/// Waits until ops are wanted: 1. 0: they never will be.
[[gnu::visibility("default")]] int rooflab_ops_wait() {
  return rooflab::inject::OpTeller::here().wait() ? 1 : 0;
}

/// Whether more are needed.
[[gnu::visibility("default")]] int rooflab_ops_wanted() {
  return rooflab::inject::OpTeller::here().wants() ? 1 : 0;
}

/// Where the next recording goes; the text lives as long as the process.
[[gnu::visibility("default")]] const char* rooflab_ops_file() {
  return rooflab::inject::OpTeller::here().file();
}

/// From here on every op is told.
[[gnu::visibility("default")]] void rooflab_ops_begin() {
  rooflab::inject::OpTeller::here().begin();
}

/// Whether ops are to be told while a CUDA graph is captured, which needs no asking.
[[gnu::visibility("default")]] int rooflab_ops_capture_wanted() {
  return rooflab::inject::OpTeller::here().wants_capture() ? 1 : 0;
}

/// A capture begins, in which every op is told.
[[gnu::visibility("default")]] void rooflab_ops_capture_begin() {
  rooflab::inject::OpTeller::here().begin_capture();
}

/// It has ended.
[[gnu::visibility("default")]] void rooflab_ops_capture_end() {
  rooflab::inject::OpTeller::here().end_capture();
}

/// The calling thread works on the op with that number; -1: on none.
[[gnu::visibility("default")]] void rooflab_op(long long number) {
  rooflab::inject::OpTeller::op(number);
}

/// The last op was told, and the recording is finished; or why it was given up.
[[gnu::visibility("default")]] void rooflab_ops_end(const char* trouble) {
  rooflab::inject::OpTeller::here().end(trouble == nullptr ? "" : trouble);
}

}  // extern "C"
