#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/ranks.hpp"

namespace rooflab::torch_worker {

/// Keys with texts that are visible to all ranks of a job. The store is in rank 0, or in the
/// launcher if it has one. Calls throw an exception of the framework when it does not answer.
class RankStore {
 public:
  virtual ~RankStore() = default;
  virtual void set(const std::string& key, const std::string& text) = 0;
  /// Waits for a key, at most for the time limit of the store; then throws.
  [[nodiscard]] virtual std::string get(const std::string& key) = 0;
  /// Value of a key; nullopt: not set.
  [[nodiscard]] virtual std::optional<std::string> find(const std::string& key) = 0;
  /// Adds to a key and returns the sum of all amounts.
  virtual std::int64_t add(const std::string& key, std::int64_t amount) = 0;
};

/// Opens a separate connection to the store; one that waits does not block others. `serve`: on rank
/// 0, host the store (once per process); `name`: separates the keys of jobs that share a store.
/// Rank 0 answers as soon as it serves; the others wait for it at most `timeout_s`.
[[nodiscard]] std::unique_ptr<RankStore> open_rank_store(const engine::RankPlace& place,
                                                         const std::string& name, bool serve,
                                                         double timeout_s);

}  // namespace rooflab::torch_worker
