#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dataset.hpp"

namespace rooflab::data {

inline constexpr int most_workers = 256;

struct LoaderOptions {
  std::int64_t batch = 1;
  int workers = 2;      ///< decoding threads, 1 to `most_workers`
  int prefetch = 2;     ///< batches to prepare ahead of next(), 1 to 64
  bool shuffle = true;  ///< use another order in every epoch
  std::uint64_t seed = 0;
  bool drop_last = true;  ///< leave out a smaller batch at the end of an epoch
  ImageTransform transform;
};

/// Batches in a deterministic order, decoded in worker threads ahead of need.
///
/// Equal dataset, options and position give equal batches for any number of workers. A broken image
/// is replaced by the next good one in the epoch's order (which then occurs twice), so that broken
/// images do not change the number of batches.
///
///     BatchLoader loader(dataset, {.batch = 32, .workers = 8});
///     while (std::optional<Batch> batch = loader.next()) step(*batch);   // one epoch
///
/// One thread at a time may call the members.
class BatchLoader {
 public:
  /// Starts the threads. Throws Error (usage) with a hint for options out of range, and for a batch
  /// larger than the dataset when `drop_last`.
  BatchLoader(std::shared_ptr<const Dataset> dataset, const LoaderOptions& options);
  /// Stops the threads; waits for the images that are being decoded.
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  /// The next batch; nullopt at the end of the epoch, and the call after that begins the next
  /// epoch. Rethrows a worker's exception for this batch; throws Error (input) when every image
  /// is broken.
  [[nodiscard]] std::optional<Batch> next();

  [[nodiscard]] std::int64_t batches_per_epoch() const;

  /// Epoch of the last batch, from 0; after nullopt the next epoch.
  [[nodiscard]] std::int64_t epoch() const;

  /// Makes the next call of next() return batch `batch` (from 0) of `epoch`, as if all before had
  /// been taken; with `batch` equal to batches_per_epoch() it returns nullopt. Throws Error (usage)
  /// for a place that does not exist.
  void seek(std::int64_t epoch, std::int64_t batch);

  /// Broken images in the batches returned so far, each once.
  [[nodiscard]] std::vector<BrokenImage> broken() const;

 private:
  class Pipeline;
  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace rooflab::data
