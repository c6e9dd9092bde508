#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/ranks.hpp"

namespace rooflab::torch_worker {

/// Keys with texts that all ranks of a job see. It lives in rank 0, or in the launcher where that
/// has one. Calls throw an exception of the framework when it does not answer.
class RankStore {
 public:
  virtual ~RankStore() = default;
  virtual void set(const std::string& key, const std::string& text) = 0;
  /// Waits for the key, at most as long as the store was opened for; throws then.
  [[nodiscard]] virtual std::string get(const std::string& key) = 0;
  /// The value; nullopt: not set.
  [[nodiscard]] virtual std::optional<std::string> find(const std::string& key) = 0;
  /// The sum of all that was added to the key.
  virtual std::int64_t add(const std::string& key, std::int64_t amount) = 0;
};

/// A connection of its own: one that waits blocks no other. `serve`: on rank 0, hold the store
/// (once in a process); `name` keeps the keys of jobs apart that share one. Rank 0 answers from the
/// moment it serves, the others wait for it at most `timeout_s`.
[[nodiscard]] std::unique_ptr<RankStore> open_rank_store(const engine::RankPlace& place,
                                                         const std::string& name, bool serve,
                                                         double timeout_s);

}  // namespace rooflab::torch_worker
