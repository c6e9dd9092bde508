#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cupti_library.hpp"
#include "gpm_meter.hpp"
#include "profile_writer.hpp"
#include "sample_source.hpp"

namespace rooflab::profile {

/// Who samples, and how often what was sampled is written.
struct SamplingOrder {
  std::function<std::unique_ptr<SampleSource>()> source;  ///< called on the thread; may throw
  std::function<std::unique_ptr<GpmMeter>()> meter;       ///< likewise; may give none
  std::int64_t interval_ns = 1'000'000;
  std::chrono::milliseconds take_every{100};
  std::function<void(const CuptiError&)> failed;   ///< called once, on the thread; nothing follows
  std::function<void(const SampleSource&)> ready;  ///< called once, before the first window
};

/// Samples a device while a window is open, on a thread of its own: the program's threads call
/// CUPTI for none of it. Lines go to `lines` (docs/formats/profile.md).
class SamplingThread {
 public:
  SamplingThread(SamplingOrder order, ProfileWriter& lines);
  ~SamplingThread();  ///< end()
  SamplingThread(const SamplingThread&) = delete;
  SamplingThread& operator=(const SamplingThread&) = delete;

  enum class Wait : bool { no, until_done };
  /// The window opens. Waits until samples are taken, half a second at most, unless that would hold
  /// up what the thread waits for.
  void open(Wait wait);
  /// Closes the file once the last sample is written; waits like open().
  void close();
  /// Closes the window and ends the thread. A thread that hangs in the driver is left alone: then
  /// the object must outlive it.
  void end();

 private:
  void run();
  void serve(std::unique_lock<std::mutex>& lock, SampleSource& source);
  void write_samples(SampleSource& source);
  void tell_metrics(const SampleSource& source);
  void begin_window(SampleSource& source);
  void end_window(SampleSource& source);

  const SamplingOrder order_;
  ProfileWriter& lines_;
  std::chrono::steady_clock::time_point began_;  ///< the thread's own, as what follows
  std::unique_ptr<GpmMeter> meter_;
  bool metrics_told_ = false;
  bool failed_ = false;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  bool wanted_ = false;  ///< the window is open
  bool open_ = false;    ///< samples are taken
  bool ending_ = false;
  bool ended_ = false;
  bool opened_ever_ = false;
  std::thread thread_;
};

}  // namespace rooflab::profile
