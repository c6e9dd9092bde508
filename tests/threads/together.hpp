#pragma once

#include <gtest/gtest.h>

#include <barrier>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace rooflab {

inline constexpr int thread_count = 8;

/// Repetitions of a race: a few in each run of the tests, ROOFLAB_RACE_ROUNDS of them elsewhere.
inline int race_rounds(int usual) {
  const char* const asked = std::getenv("ROOFLAB_RACE_ROUNDS");
  return asked == nullptr ? usual : std::atoi(asked);
}

/// Runs `work(number)` in eight threads that begin at the same time.
inline void together(const std::function<void(int)>& work) {
  std::barrier go(thread_count);
  std::vector<std::thread> threads;
  for (int number = 0; number < thread_count; ++number) {
    threads.emplace_back([&, number] {
      go.arrive_and_wait();
      work(number);
    });
  }
  for (std::thread& each : threads) each.join();
}

}  // namespace rooflab
