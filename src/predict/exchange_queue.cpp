#include "exchange_queue.hpp"

#include <algorithm>

namespace rooflab::predict {

void ExchangeQueue::add(double ready_s, double alone_s) {
  all_reduces_.push_back({.ready_s = ready_s, .alone_s = alone_s, .left_s = alone_s});
}

void ExchangeQueue::end_first(double time_s) {
  AllReduce& ended = all_reduces_[first_++];
  ended.left_s = 0.0;
  ended.end_s = time_s;
  now_s_ = time_s;
}

void ExchangeQueue::idle_until(double time_s) {
  while (first_ < all_reduces_.size()) {
    AllReduce& first = all_reduces_[first_];
    const double start_s = std::max(now_s_, first.ready_s);
    if (start_s >= time_s) break;
    if (first.left_s == first.alone_s) first.start_s = start_s;
    if (start_s + first.left_s > time_s) {
      first.left_s -= time_s - start_s;
      break;
    }
    end_first(start_s + first.left_s);
  }
  now_s_ = std::max(now_s_, time_s);
}

double ExchangeQueue::run(double start_s, double alone_s, const MutualSlowdown& slowdown) {
  idle_until(start_s);
  double left_s = alone_s;
  while (left_s > 0.0) {
    if (first_ == all_reduces_.size() || all_reduces_[first_].ready_s >= now_s_ + left_s) {
      now_s_ += left_s;
      break;
    }
    AllReduce& first = all_reduces_[first_];
    if (first.ready_s > now_s_) {
      left_s -= first.ready_s - now_s_;
      now_s_ = first.ready_s;
    }
    if (first.left_s == first.alone_s) first.start_s = now_s_;
    const double kernel_s = left_s * slowdown.kernel;
    const double all_reduce_s = first.left_s * slowdown.all_reduce;
    const double both_s = std::min(kernel_s, all_reduce_s);
    together_s_ += both_s;
    together_work_s_ += both_s / slowdown.kernel;
    if (all_reduce_s <= kernel_s) {
      left_s -= both_s / slowdown.kernel;
      end_first(now_s_ + both_s);
    } else {
      first.left_s -= both_s / slowdown.all_reduce;
      now_s_ += both_s;
      break;
    }
  }
  return now_s_;
}

double ExchangeQueue::wait_for(std::size_t all_reduce) {
  while (first_ <= all_reduce) {
    AllReduce& first = all_reduces_[first_];
    const double start_s = std::max(now_s_, first.ready_s);
    if (first.left_s == first.alone_s) first.start_s = start_s;
    end_first(start_s + first.left_s);
  }
  return all_reduces_[all_reduce].end_s;
}

double ExchangeQueue::kernel_slowdown() const {
  return together_work_s_ > 0.0 ? std::max(1.0, together_s_ / together_work_s_) : 1.0;
}

double ExchangeQueue::all_reduce_slowdown() const {
  double alone_s = 0.0;
  double taken_s = 0.0;
  for (std::size_t i = 0; i < first_; ++i) {
    alone_s += all_reduces_[i].alone_s;
    taken_s += all_reduces_[i].end_s - all_reduces_[i].start_s;
  }
  return alone_s > 0.0 ? std::max(1.0, taken_s / alone_s) : 1.0;
}

}  // namespace rooflab::predict
