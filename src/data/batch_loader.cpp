// How it works. Batches are numbered on through the epochs. Workers take single images, not whole
// batches: the first batch is ready as soon as possible, and no worker waits while another has much
// to do. A batch that is being filled is a Pending; the queue holds at most `prefetch` of them, the
// oldest in front, and next() takes the front one when nothing of it is unfinished.
//
// Nothing in a batch depends on time. Place k of an epoch has a sample (the k-th of the epoch's
// order) and a seed for its crop (of the loader's seed, epoch and k). If the sample is broken, the
// place takes the first good one after it in the order, from the start again after the end. Which
// images are broken is remembered, so that each is opened once, but what a batch reports is what it
// met, remembered or not.
//
// seek() drops the queue. A worker still at an image of a dropped batch finishes it into memory
// that it shares and that goes away with it.

#include "batch_loader.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "random_stream.hpp"
#include "refuse.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::data {
namespace {

using Order = std::vector<std::int64_t>;

void check(const LoaderOptions& options, std::int64_t size) {
  check(options.transform);
  if (options.batch < 1) refuse(format("a batch of {}", options.batch), "at least 1");
  if (options.workers < 1 || options.workers > most_workers) {
    refuse(format("{} data workers", options.workers), format("1 to {}", most_workers));
  }
  if (options.prefetch < 1 || options.prefetch > 64) {
    refuse(format("{} batches ahead", options.prefetch), "1 to 64");
  }
  if (size < 1) refuse("a dataset without images", "at least one is needed");
  if (options.drop_last && size < options.batch) {
    refuse(format("the dataset has {} images, less than one batch of {}", size, options.batch),
           format("a batch of at most {}", size));
  }
}

/// Fisher-Yates.
Order order_of(std::int64_t size, bool shuffle, std::uint64_t seed) {
  Order order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  if (!shuffle) return order;
  RandomStream random(seed);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1],
              order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(left)))]);
  }
  return order;
}

/// A batch that workers fill. What is written under the pipeline's lock says so.
struct Pending {
  std::uint64_t epoch_seed = 0;
  std::shared_ptr<const Order> order;
  std::int64_t first = 0;  ///< place in the order of its first image
  std::int64_t count = 0;
  std::int64_t taken = 0;                      ///< under the lock: places given to workers
  std::int64_t unfinished = 0;                 ///< under the lock
  std::int64_t failed = -1;                    ///< under the lock: the first place that threw
  std::exception_ptr error;                    ///< under the lock: what it threw
  std::map<std::int64_t, std::string> broken;  ///< under the lock: sample and reason

  std::once_flag made;  ///< the batch's memory, which takes too long to make under the lock
  Batch batch;
};

/// What is known to be broken, for all workers.
class BrokenSamples {
 public:
  [[nodiscard]] std::optional<std::string> reason_of(std::int64_t sample) const {
    const std::scoped_lock lock(mutex_);
    const auto found = reasons_.find(sample);
    if (found == reasons_.end()) return std::nullopt;
    return found->second;
  }
  void add(std::int64_t sample, const std::string& reason) {
    const std::scoped_lock lock(mutex_);
    reasons_.emplace(sample, reason);
  }
  [[nodiscard]] std::int64_t count() const {
    const std::scoped_lock lock(mutex_);
    return static_cast<std::int64_t>(reasons_.size());
  }
  /// The first broken sample, by index, with its reason.
  [[nodiscard]] std::pair<std::int64_t, std::string> first() const {
    const std::scoped_lock lock(mutex_);
    return *reasons_.begin();
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::int64_t, std::string> reasons_;
};

}  // namespace

class BatchLoader::Pipeline {
 public:
  Pipeline(std::shared_ptr<const Dataset> dataset, const LoaderOptions& options)
      : dataset_(std::move(dataset)), options_(options), size_(dataset_->size()) {
    check(options_, size_);
    batches_ =
        options_.drop_last ? size_ / options_.batch : (size_ + options_.batch - 1) / options_.batch;
    shuffle(0);  // here and not in a worker, for want of memory is the caller's to know
    for (int i = 0; i < options_.workers; ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
  }

  // All at once: each alone would let the others go on while it is waited for.
  ~Pipeline() {
    for (std::jthread& thread : threads_) thread.request_stop();
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  [[nodiscard]] std::optional<Batch> next() {
    std::unique_lock lock(mutex_);
    if (batch_ == batches_) {
      ++epoch_;
      batch_ = 0;
      return std::nullopt;
    }
    batch_ready_.wait(lock, [&] { return !queue_.empty() && queue_.front()->unfinished == 0; });
    const std::shared_ptr<Pending> taken = queue_.front();
    queue_.pop_front();
    ++batch_;
    for (const auto& [sample, reason] : taken->broken) {
      if (reported_.insert(sample).second) {
        broken_.push_back({dataset_->name_of(sample), reason});
      }
    }
    lock.unlock();
    work_ready_.notify_all();
    if (taken->error) std::rethrow_exception(taken->error);
    return std::move(taken->batch);
  }

  void seek(std::int64_t epoch, std::int64_t batch) {
    if (epoch < 0 || batch < 0 || batch > batches_) {
      refuse(format("no batch {} of epoch {}", batch, epoch),
             format("an epoch has {} batches, from 0", batches_));
    }
    {
      const std::scoped_lock lock(mutex_);
      queue_.clear();
      epoch_ = opened_epoch_ = epoch;
      batch_ = opened_batch_ = batch;
    }
    work_ready_.notify_all();
  }

  [[nodiscard]] std::int64_t batches_per_epoch() const { return batches_; }
  [[nodiscard]] std::int64_t epoch() const { return epoch_; }
  [[nodiscard]] std::vector<BrokenImage> broken() const { return broken_; }

 private:
  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (work_ready_.wait(lock, stop, [&] { return has_work(); })) {
      if (queue_.empty() || queue_.back()->taken == queue_.back()->count) open_batch();
      const std::shared_ptr<Pending> pending = queue_.back();
      const std::int64_t place = pending->taken++;
      lock.unlock();
      std::map<std::int64_t, std::string> broken;
      std::exception_ptr error;
      try {
        fill(*pending, place, broken, stop);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      pending->broken.merge(broken);
      if (error && (pending->failed < 0 || place < pending->failed)) {
        pending->failed = place;
        pending->error = error;
      }
      if (--pending->unfinished == 0) batch_ready_.notify_all();
    }
  }

  [[nodiscard]] bool has_work() const {
    return static_cast<int>(queue_.size()) < options_.prefetch ||
           queue_.back()->taken < queue_.back()->count;
  }

  void shuffle(std::int64_t epoch) {
    epoch_seed_ = derived_seed(options_.seed, static_cast<std::uint64_t>(epoch));
    order_ = std::make_shared<const Order>(order_of(size_, options_.shuffle, epoch_seed_));
    order_epoch_ = epoch;
  }

  void open_batch() {
    if (opened_batch_ == batches_) {
      ++opened_epoch_;
      opened_batch_ = 0;
    }
    if (order_epoch_ != opened_epoch_) shuffle(opened_epoch_);
    const auto pending = std::make_shared<Pending>();
    pending->epoch_seed = epoch_seed_;
    pending->order = order_;
    pending->first = opened_batch_ * options_.batch;
    pending->count = std::min(options_.batch, size_ - pending->first);
    pending->unfinished = pending->count;
    queue_.push_back(pending);
    ++opened_batch_;
  }

  /// Decodes the image of one place of a batch. `broken`: what was met on the way.
  void fill(Pending& pending, std::int64_t place, std::map<std::int64_t, std::string>& broken,
            const std::stop_token& stop) {
    const auto pixels =
        static_cast<std::size_t>(3 * options_.transform.height * options_.transform.width);
    std::call_once(pending.made, [&] {
      pending.batch.images.resize(pixels * static_cast<std::size_t>(pending.count));
      pending.batch.labels.resize(static_cast<std::size_t>(pending.count));
      pending.batch.count = pending.count;
    });
    const std::span<float> target(
        pending.batch.images.data() + pixels * static_cast<std::size_t>(place), pixels);
    const std::int64_t start = pending.first + place;
    const std::uint64_t seed = derived_seed(pending.epoch_seed, static_cast<std::uint64_t>(start));
    for (std::int64_t i = 0; i < size_ && !stop.stop_requested(); ++i) {
      if (broken_samples_.count() == size_) break;
      const std::int64_t sample = (*pending.order)[static_cast<std::size_t>((start + i) % size_)];
      std::optional<std::string> trouble = broken_samples_.reason_of(sample);
      if (!trouble) {
        std::string reason;
        const std::optional<std::int64_t> label =
            dataset_->load(sample, options_.transform, seed, target, reason);
        if (label) {
          pending.batch.labels[static_cast<std::size_t>(place)] = *label;
          return;
        }
        broken_samples_.add(sample, reason);
        trouble = std::move(reason);
      }
      broken.emplace(sample, *std::move(trouble));
    }
    if (stop.stop_requested()) return;
    const auto [sample, reason] = broken_samples_.first();
    throw Error(ErrorKind::input, format("all {} images are broken; this one: {}", size_, reason),
                "are the files complete?", {.file = dataset_->name_of(sample)});
  }

  std::shared_ptr<const Dataset> dataset_;
  LoaderOptions options_;
  std::int64_t size_;
  std::int64_t batches_ = 0;
  BrokenSamples broken_samples_;

  // Used by the caller's thread.
  std::int64_t epoch_ = 0;  ///< place of the next batch handed out
  std::int64_t batch_ = 0;
  std::vector<BrokenImage> broken_;
  std::set<std::int64_t> reported_;

  // Under the lock.
  std::mutex mutex_;
  std::condition_variable_any work_ready_;
  std::condition_variable batch_ready_;
  std::deque<std::shared_ptr<Pending>> queue_;
  std::int64_t opened_epoch_ = 0;  ///< place of the next batch to be opened
  std::int64_t opened_batch_ = 0;
  std::shared_ptr<const Order> order_;
  std::int64_t order_epoch_ = 0;
  std::uint64_t epoch_seed_ = 0;  ///< seed of order_epoch_

  std::vector<std::jthread> threads_;  ///< last, so that they end before what they use
};

BatchLoader::BatchLoader(std::shared_ptr<const Dataset> dataset, const LoaderOptions& options)
    : pipeline_(std::make_unique<Pipeline>(std::move(dataset), options)) {}
BatchLoader::~BatchLoader() = default;

std::optional<Batch> BatchLoader::next() { return pipeline_->next(); }
std::int64_t BatchLoader::batches_per_epoch() const { return pipeline_->batches_per_epoch(); }
std::int64_t BatchLoader::epoch() const { return pipeline_->epoch(); }
void BatchLoader::seek(std::int64_t epoch, std::int64_t batch) { pipeline_->seek(epoch, batch); }
std::vector<BrokenImage> BatchLoader::broken() const { return pipeline_->broken(); }

}  // namespace rooflab::data
