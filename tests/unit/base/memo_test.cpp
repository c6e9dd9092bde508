#include "base/memo.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace rooflab {
namespace {

TEST(Memo, ComputesAValueOnce) {
  Memo<std::string, int> memo(10);
  int computed = 0;
  const auto length = [&](const std::string& word) {
    return memo.get(word, [&] { return ++computed, static_cast<int>(word.size()); });
  };
  EXPECT_EQ(length("four"), 4);
  EXPECT_EQ(length("four"), 4);
  EXPECT_EQ(length("seventh"), 7);
  EXPECT_EQ(computed, 2);
}

// Of four values the two newer ones stay when a fifth comes, and one that was asked for again.
TEST(Memo, KeepsNoMoreThanItsBound) {
  Memo<int, int> memo(4);
  std::vector<int> computed;
  const auto ask = [&](int key) {
    return memo.get(key, [&] { return computed.push_back(key), 10 * key; });
  };
  for (const int key : {1, 2, 3, 4}) EXPECT_EQ(ask(key), 10 * key);
  EXPECT_EQ(memo.size(), 4);
  EXPECT_EQ(ask(2), 20);  // kept, and now among the newer ones
  EXPECT_EQ(ask(5), 50);
  EXPECT_LE(memo.size(), 4);
  EXPECT_EQ(ask(2), 20);
  EXPECT_EQ(computed, (std::vector<int>{1, 2, 3, 4, 5}));
  EXPECT_EQ(ask(1), 10);  // computed again
  EXPECT_EQ(computed.back(), 1);
  for (int key = 0; key < 1000; ++key) EXPECT_EQ(ask(key), 10 * key);
  EXPECT_LE(memo.size(), 4);
}

TEST(Memo, ThreadsGetTheSameValue) {
  Memo<int, std::string> memo(50);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const int key = i * 7 % 90;
        if (memo.get(key, [&] { return std::to_string(key); }) != std::to_string(key)) ++wrong;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(memo.size(), 50);
}

}  // namespace
}  // namespace rooflab
