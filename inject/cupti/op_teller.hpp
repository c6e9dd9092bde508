#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

namespace rooflab::inject {

/// What a program tells of its ops, through the C functions that this library exports (at the end
/// of op_teller.cpp). It may wait there before CUDA starts. For any thread; it takes no other lock.
class OpTeller {
 public:
  /// The one of this process.
  [[nodiscard]] static OpTeller& here();
  /// In a forked child, where the thread that waited does not exist.
  static void forget_in_child();

  // ---- for the profiler

  /// Where the program's recording of its ops goes.
  void file_is(std::string path);
  /// The program can tell its ops.
  [[nodiscard]] bool is_offered() const { return offered_; }
  /// Asks for ops from now on.
  void ask();
  /// No more ops are needed: the program may end its recording.
  void enough() { wanted_ = false; }
  /// Nobody will ask: whoever waits goes away.
  void close();
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
  [[nodiscard]] const char* file() const;
  void begin() { telling_ = true; }
  static void op(std::int64_t number);
  void end(std::string trouble);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string file_;
  std::string trouble_;
  bool closed_ = false;
  std::atomic<bool> offered_ = false;
  std::atomic<bool> wanted_ = false;
  std::atomic<bool> telling_ = false;
  std::atomic<bool> told_ = false;
};

}  // namespace rooflab::inject
