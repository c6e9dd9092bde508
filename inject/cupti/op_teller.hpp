#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace rooflab::inject {

/// What a program tells of its ops, through the C functions that this library exports (at the end
/// of op_teller.cpp): when it is asked, and while it captures a CUDA graph. It may wait there
/// before CUDA starts. Each time its ops go to a separate recording. For any thread.
class OpTeller {
 public:
  /// The one of this process.
  [[nodiscard]] static OpTeller& here();
  /// In a forked child, where the thread that waited does not exist.
  static void forget_in_child();

  // ---- for the profiler

  /// Recordings go to files whose names begin with `stem`; `begins` hears of each, by its name in
  /// their folder. Captures are told where `captures` says so.
  void files_are(std::string stem, bool captures, std::function<void(std::string_view)> begins);
  /// The program waits to be asked.
  [[nodiscard]] bool is_offered() const { return offered_; }
  /// Asks for ops from now on; the program offers itself again when it has told them.
  void ask();
  /// No more ops are needed: the program may end its recording.
  void enough() { wanted_ = false; }
  /// Nobody asks any more: whoever waits goes away, and captures are not told.
  void close();
  /// Number of the recording that is under way; -1: none is.
  [[nodiscard]] std::int32_t recording() const { return recording_; }
  /// The program tells its ops now.
  [[nodiscard]] bool tells() const { return telling_; }
  /// It has told all of them, and its recording is finished or given up.
  [[nodiscard]] bool has_told() const { return told_; }
  /// Why it gave up; empty: the recording is there.
  [[nodiscard]] std::string trouble() const;
  /// The op that the calling thread works on; -1: none.
  [[nodiscard]] static std::int64_t op_of_this_thread();

  // ---- for the program

  void offer() { offered_ = true; }
  [[nodiscard]] bool wait();
  [[nodiscard]] bool wants() const { return wanted_; }
  [[nodiscard]] bool wants_capture() const;
  /// Where the next recording goes.
  [[nodiscard]] const char* file();
  void begin();
  void begin_capture();
  static void op(std::int64_t number);
  void end(std::string trouble);
  void end_capture();

 private:
  /// The next recording is under way; the lock is held.
  void begin_recording();
  [[nodiscard]] std::string path_of(std::int32_t recording) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string stem_;
  std::function<void(std::string_view)> begins_;
  std::deque<std::string> paths_;  ///< texts that the program keeps
  std::int32_t recordings_ = 0;    ///< that began
  std::string trouble_;
  bool closed_ = false;
  bool captures_ = false;
  std::atomic<std::int32_t> recording_ = -1;
  std::atomic<bool> offered_ = false;
  std::atomic<bool> wanted_ = false;
  std::atomic<bool> telling_ = false;
  std::atomic<bool> told_ = false;
};

}  // namespace rooflab::inject
