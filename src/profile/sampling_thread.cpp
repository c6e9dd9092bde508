// The thread prepares the hardware, which takes long, and then waits for windows. While one is open
// it writes what was sampled at intervals, so that the hardware's buffer never fills, and a process
// that is killed loses one interval. It calls the source without holding the lock: whoever opens a
// window waits for it, but not for ever.

#include "sampling_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include <exception>
#include <utility>

namespace rooflab::profile {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds longest_hold{500};  // of the program

}  // namespace

SamplingThread::SamplingThread(SamplingOrder order, ProfileWriter& lines)
    : order_(std::move(order)), lines_(lines), thread_([this] { run(); }) {}

SamplingThread::~SamplingThread() { end(); }

void SamplingThread::open(Wait wait) {
  std::unique_lock lock(mutex_);
  if (ending_) return;
  wanted_ = true;
  opened_ever_ = true;
  changed_.notify_all();
  if (wait == Wait::no) return;
  changed_.wait_for(lock, longest_hold, [this] { return open_ || ended_; });
}

void SamplingThread::close() {
  std::unique_lock lock(mutex_);
  wanted_ = false;
  changed_.notify_all();
  changed_.wait_for(lock, longest_hold, [this] { return !open_ || ended_; });
}

void SamplingThread::end() {
  if (!thread_.joinable()) return;
  std::unique_lock lock(mutex_);
  const bool never_opened = !opened_ever_ && !ended_;
  wanted_ = false;
  ending_ = true;
  changed_.notify_all();
  const bool ended = changed_.wait_for(lock, longest_hold, [this] { return ended_; });
  lock.unlock();
  if (ended) {
    thread_.join();
  } else {
    thread_.detach();
    lines_.lost("the last samples, which the driver did not hand out", 1);
  }
  if (never_opened) {
    lines_.warning("the window never opened: nothing was collected",
                   "see --window in: rooflab profile --help");
  } else if (ended && !failed_ && !metrics_told_) {
    lines_.warning("the window closed before the counters were ready: nothing was sampled",
                   "let the program run longer, or its window hold more");
  }
  lines_.flush();
}

void SamplingThread::run() {
  // The program's handlers must not run on a thread that it does not know.
  sigset_t signals;
  ::sigfillset(&signals);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    const std::unique_ptr<SampleSource> source = order_.source();
    if (order_.ready) order_.ready(*source);
    if (order_.meter) meter_ = order_.meter();
    std::unique_lock lock(mutex_);
    while (!ending_ || open_) serve(lock, *source);
  } catch (const CuptiError& error) {
    failed_ = true;
    order_.failed(error);
  } catch (const std::exception&) {  // memory: the program comes first
    failed_ = true;
    lines_.lost("samples, for want of memory", 1);
  }
  lines_.flush();
  const std::lock_guard lock(mutex_);
  open_ = false;
  ended_ = true;
  changed_.notify_all();
}

/// Does what is due, or waits for it.
void SamplingThread::serve(std::unique_lock<std::mutex>& lock, SampleSource& source) {
  const auto something_new = [this] { return ending_ || wanted_ != open_; };
  if (open_) {
    changed_.wait_for(lock, order_.take_every, something_new);
  } else {
    changed_.wait(lock, something_new);
  }
  const bool begins = wanted_ && !open_;
  const bool ends = !wanted_ && open_;
  if (!begins && !open_) return;
  lock.unlock();
  if (begins) {
    begin_window(source);
  } else if (ends) {
    end_window(source);
  } else {
    write_samples(source);
  }
  lock.lock();
  if (begins) open_ = true;
  if (ends) open_ = false;
  changed_.notify_all();
}

void SamplingThread::tell_metrics(const SampleSource& source) {
  lines_.sampling(source.device(), source.metrics(), order_.interval_ns);
  std::string figures;
  for (const std::string& figure : source.left_out()) {
    figures += (figures.empty() ? "" : ", ") + figure;
  }
  if (figures.empty()) return;
  lines_.lost("figures that find no place in one pass of this chip: " + figures,
              static_cast<std::int64_t>(source.left_out().size()));
}

void SamplingThread::begin_window(SampleSource& source) {
  source.start();
  if (!metrics_told_) tell_metrics(source);
  metrics_told_ = true;
  if (meter_) meter_->begin();
  began_ = Clock::now();
}

void SamplingThread::end_window(SampleSource& source) {
  std::chrono::nanoseconds length = Clock::now() - began_;
  const auto gpm = meter_ ? meter_->end() : std::nullopt;
  try {
    source.stop();
    length = Clock::now() - began_;
    write_samples(source);
  } catch (const CuptiError&) {  // the driver has gone before us: the window was as long
    lines_.sampling_window(length.count());
    throw;
  }
  lines_.sampling_window(length.count());
  if (gpm) lines_.gpm(*gpm);
  lines_.flush();
}

void SamplingThread::write_samples(SampleSource& source) {
  const TakenSamples taken = source.take();
  for (const TimedSample& sample : taken.samples) {
    lines_.sample(sample.start_ns, sample.end_ns, sample.values);
  }
  if (taken.overflowed) {
    lines_.lost("samples: the hardware's buffer was full", 1);
  }
  lines_.flush();
}

}  // namespace rooflab::profile
