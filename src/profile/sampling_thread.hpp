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

/// Functions and period of sampling.
struct SamplingOrder {
  std::function<std::unique_ptr<SampleSource>()> source;  ///< called on the thread; may throw
  std::function<std::unique_ptr<GpmMeter>()> meter;       ///< like source; may return nullptr
  std::int64_t interval_ns = 1'000'000;
  std::chrono::milliseconds take_every{100};
  std::function<void(const CuptiError&)> failed;   ///< called once, on the thread; nothing follows
  std::function<void(const SampleSource&)> ready;  ///< called once, before the first window
};

/// Samples a device while a window is open, in a separate thread, so that the program's threads do
/// not call CUPTI for it. Lines are written to `lines` (docs/formats/profile.md).
class SamplingThread {
 public:
  SamplingThread(SamplingOrder order, ProfileWriter& lines);
  ~SamplingThread();  ///< end()
  SamplingThread(const SamplingThread&) = delete;
  SamplingThread& operator=(const SamplingThread&) = delete;

  enum class Wait : bool { no, until_done };
  /// Opens the window. Waits until samples are taken, at most half a second, unless that would
  /// delay something that the thread waits for.
  void open(Wait wait);
  /// Closes the window. Waits in the same way as open(), until the last sample is written.
  void close();
  /// Closes the window and ends the thread. A thread that hangs in the driver is not waited for;
  /// then the object must outlive it.
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
  std::chrono::steady_clock::time_point began_;  ///< used only by the thread, like the next members
  std::unique_ptr<GpmMeter> meter_;
  bool metrics_told_ = false;
  bool failed_ = false;
  std::mutex mutex_;  ///< guards the next members
  std::condition_variable changed_;
  bool wanted_ = false;  ///< the window is open
  bool open_ = false;    ///< samples are taken
  bool ending_ = false;
  bool ended_ = false;
  bool opened_ever_ = false;
  std::thread thread_;
};

}  // namespace rooflab::profile
