#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace rooflab {

/// Values of a function that were computed before, for several threads.
///
///     Memo<std::string, double> known(1000);
///     const double time = known.get(name, [&] { return slow(name); });
///
/// It keeps at most `most` values. When that many are there, the half that was not used for the
/// longest time goes. A value is computed without the lock: two threads that want a new value at
/// once both compute it, and get the same one.
template <class Key, class Value>
class Memo {
 public:
  explicit Memo(std::size_t most) : most_(most) {}

  /// The value of `key`: a kept one, else that of `compute()`, which is then kept.
  template <class Compute>
  [[nodiscard]] Value get(const Key& key, Compute compute) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = recent_.find(key); found != recent_.end()) return found->second;
    }
    {
      const std::scoped_lock lock(mutex_);
      if (auto found = earlier_.extract(key)) return keep(std::move(found.key()), found.mapped());
    }
    Value value = compute();
    const std::scoped_lock lock(mutex_);
    return keep(key, std::move(value));
  }

  [[nodiscard]] std::size_t size() const {
    const std::shared_lock lock(mutex_);
    return recent_.size() + earlier_.size();
  }

 private:
  Value keep(Key key, Value value) {
    if (2 * (recent_.size() + 1) > most_) {
      earlier_ = std::move(recent_);
      recent_.clear();
    }
    return recent_.try_emplace(std::move(key), std::move(value)).first->second;
  }

  std::size_t most_;
  mutable std::shared_mutex mutex_;
  std::map<Key, Value> recent_;   ///< at most half of `most_`
  std::map<Key, Value> earlier_;  ///< used before those
};

}  // namespace rooflab
