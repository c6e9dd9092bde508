// Kernels during all-reduces: how much each slows the other.
//
// A train of kernels of one sort (products, bound by arithmetic; copies, bound by memory) and a
// series of all-reduces of 25 MiB, the size of DistributedDataParallel's buckets. Each round times,
// behind a small all-reduce that brings the ranks together:
//
//     k    the train by itself
//     e    the all-reduces by themselves
//     t1   the train with the all-reduces, which begin with it
//     t2   from the same begin until the all-reduces have ended; t2 > t1
//
// An all-reduce ran during the whole train, so kernels took t1 / k times as long as
// alone. The all-reduces ran with it for t1, and by themselves for t2 - t1; what they did with
// it would have taken e - (t2 - t1) alone, so they took t1 / (e - (t2 - t1)) times as long. Their
// number is chosen so that they end 15 % of t1 after the train; a round in which they ended less
// than 5 % after it does not count. On a GPU work is queued behind a delay, so that the host's time
// is not in it.
//
// All-reduces sum zeros: other values would overflow, being summed in place again and again. Four
// buckets take turns, so that on a GPU they do not stay in the L2.

#include "overlap_run.hpp"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "base/format.hpp"
#include "notes/engine_notes.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/device/overlap.hpp"

namespace rooflab::torch_worker {
namespace {

using device::OverlapFigure;

constexpr std::int64_t mib = std::int64_t{1024} * 1024;
constexpr std::int64_t bucket_bytes = 25 * mib;
constexpr int buckets = 4;
constexpr int rounds = 9;
constexpr std::int64_t fewest_rounds = 3;
/// The all-reduces outlast the train by this share of it, and at least by that.
constexpr double wanted_margin = 0.15;
constexpr double least_margin = 0.05;
constexpr int corrections = 5;
/// The host's time to queue one kernel or one all-reduce, generously.
constexpr double queued_s = 50e-6;

/// What differs between devices: large enough to fill a GPU, short enough for a CPU.
struct Sizes {
  std::int64_t product = 4096;
  at::ScalarType type = at::kFloat;
  std::int64_t copy_bytes = 256 * mib;
  double train_s = 0.01;
};

Sizes sizes_on(const DeviceBackend& backend) {
  if (backend.device().is_cpu()) return {.product = 1024, .copy_bytes = 64 * mib, .train_s = 0.1};
  Sizes sizes;
  const double capability =
      parse_number(backend.identity().compute_capability.value_or("")).value_or(0.0);
  if (capability >= 8.0) {
    sizes.type = at::kBFloat16;
  } else if (capability >= 7.0) {
    sizes.type = at::kHalf;
  }
  return sizes;
}

/// Kernels of one sort, and the figures that they give.
struct Sort {
  std::function<void()> kernel;
  OverlapFigure slowed_kernel;
  OverlapFigure slowed_all_reduce;
  std::string name;
};

Sort products(const Sizes& sizes, const at::Device& device) {
  const auto options = at::TensorOptions().dtype(sizes.type).device(device);
  const auto random = [&] {
    return (at::rand({sizes.product, sizes.product}, options.dtype(at::kFloat)) * 2 - 1)
        .to(sizes.type);
  };
  const at::Tensor a = random();
  const at::Tensor b = random();
  at::Tensor result = at::empty({sizes.product, sizes.product}, options);
  const char* const type = sizes.type == at::kBFloat16 ? "bf16"
                           : sizes.type == at::kHalf   ? "fp16"
                                                       : "fp32";
  return {[a, b, result]() mutable { at::mm_out(result, a, b); }, OverlapFigure::product,
          OverlapFigure::all_reduce_beside_product,
          format("{} products of {}", type, sizes.product)};
}

Sort copies(const Sizes& sizes, const at::Device& device) {
  const auto options = at::TensorOptions().dtype(at::kFloat).device(device);
  const at::Tensor from = at::zeros({sizes.copy_bytes / 4}, options);
  at::Tensor to = at::zeros({sizes.copy_bytes / 4}, options);
  return {[from, to]() mutable { to.copy_(from, true); }, OverlapFigure::copy,
          OverlapFigure::all_reduce_beside_copy,
          format("copies of {} MiB", sizes.copy_bytes / mib)};
}

class OverlapRun {
 public:
  OverlapRun(DeviceBackend& backend, RankGroup& group, RankJob& job)
      : backend_(backend), group_(group), job_(job), sizes_(sizes_on(backend)) {
    const auto options = at::TensorOptions().dtype(at::kFloat).device(backend.device());
    for (int i = 0; i < buckets; ++i) buckets_.push_back(at::zeros({bucket_bytes / 4}, options));
    meeting_ = {at::zeros({1}, options)};
  }

  OverlapTimes run() {
    measure(products(sizes_, backend_.device()));
    measure(copies(sizes_, backend_.device()));
    return std::move(result_);
  }

 private:
  /// Both at once: until the kernels and until the all-reduces had ended.
  struct Together {
    double kernels_s = 0.0;
    double all_reduces_s = 0.0;
  };

  void measure(const Sort& sort) {
    set_lengths(sort);
    std::vector<double> kernels;
    std::vector<double> all_reduces;
    for (int i = 0; i < rounds; ++i) {
      const double alone_s = kernels_alone(sort);
      const double exchange_s = all_reduces_alone();
      const Together both = together(sort);
      const double beside_s = exchange_s - (both.all_reduces_s - both.kernels_s);
      if (!outlasts(both) || beside_s <= 0.0) continue;
      kernels.push_back(both.kernels_s / alone_s);
      all_reduces.push_back(both.kernels_s / beside_s);
    }
    const std::int64_t good = fewest_of_all(static_cast<std::int64_t>(kernels.size()));
    if (good < fewest_rounds) {
      result_.notes.push_back(
          {engine::says.overlap_left_out, {sort.name, job_.place().size, rounds - good, rounds}});
      return;
    }
    add(sort.slowed_kernel, kernels, sort.name);
    add(sort.slowed_all_reduce, all_reduces, sort.name);
  }

  /// Chooses how many kernels and all-reduces: rank 0's numbers are those of all.
  void set_lengths(const Sort& sort) {
    kernels_ = 4;
    (void)kernels_alone(sort);
    kernels_ = count_for(sizes_.train_s, kernels_alone(sort) / static_cast<double>(kernels_), 4);
    all_reduces_ = buckets;
    (void)all_reduces_alone();
    const double one_s = all_reduces_alone() / static_cast<double>(all_reduces_);
    // Few enough that the host can queue all of them ahead of the device.
    all_reduces_ = count_for((1.0 + wanted_margin) * kernels_alone(sort), one_s, 2);
    for (int i = 0; i < corrections; ++i) {
      const Together both = together(sort);
      const double missing_s = (1.0 + wanted_margin) * both.kernels_s - both.all_reduces_s;
      const auto more = static_cast<std::int64_t>(std::ceil(missing_s / one_s));
      all_reduces_ = job_.agree(std::max<std::int64_t>(2, all_reduces_ + more));
    }
  }

  [[nodiscard]] std::int64_t count_for(double all_s, double one_s, std::int64_t least) {
    const double count = std::ceil(all_s / std::max(one_s, 1e-7));
    return job_.agree(std::max(least, static_cast<std::int64_t>(std::min(count, 5000.0))));
  }

  [[nodiscard]] bool outlasts(const Together& both) const {
    return both.all_reduces_s > (1.0 + least_margin) * both.kernels_s;
  }

  /// Brings the ranks and their devices together, with time to queue what follows.
  void meet() {
    job_.progressed();
    job_.barrier();
    (void)backend_.delay(queued_s * static_cast<double>(kernels_ + all_reduces_));
    group_.all_reduce(meeting_);
  }

  void run_kernels(const Sort& sort) const {
    for (std::int64_t i = 0; i < kernels_; ++i) sort.kernel();
  }

  [[nodiscard]] std::function<void()> start_all_reduces() {
    std::vector<at::Tensor> tensors;
    for (std::int64_t i = 0; i < all_reduces_; ++i) {
      tensors.push_back(buckets_[static_cast<std::size_t>(i) % buckets_.size()]);
    }
    return group_.start_all_reduce(tensors);
  }

  [[nodiscard]] double kernels_alone(const Sort& sort) {
    meet();
    const auto begin = backend_.mark();
    run_kernels(sort);
    const auto end = backend_.mark();
    backend_.synchronize();
    return backend_.seconds_between(*begin, *end);
  }

  [[nodiscard]] double all_reduces_alone() {
    meet();
    const auto begin = backend_.mark();
    start_all_reduces()();
    const auto end = backend_.mark();
    backend_.synchronize();
    return backend_.seconds_between(*begin, *end);
  }

  [[nodiscard]] Together together(const Sort& sort) {
    meet();
    const auto begin = backend_.mark();
    const std::function<void()> wait = start_all_reduces();
    run_kernels(sort);
    const auto kernels = backend_.mark();
    wait();
    const auto all_reduces = backend_.mark();
    backend_.synchronize();
    return {backend_.seconds_between(*begin, *kernels),
            backend_.seconds_between(*begin, *all_reduces)};
  }

  [[nodiscard]] std::int64_t fewest_of_all(std::int64_t own) {
    const std::string kind = format("rounds{}", asked_++);
    job_.tell(kind, format("{}", own));
    std::int64_t fewest = own;
    if (job_.first()) {
      for (const std::string& text : job_.collect(kind)) {
        fewest = std::min(fewest, parse_integer(text).value_or(0));
      }
    }
    return job_.agree(fewest);
  }

  void add(OverlapFigure figure, const std::vector<double>& ratios, const std::string& beside) {
    const Statistics all = statistics_of(ratios);
    result_.figures.push_back(
        {.name = device::overlap_figure_name(figure, job_.place().size),
         .unit = "1",
         .value = all.median,
         .least = all.min,
         .most = all.max,
         .repetitions = static_cast<int>(ratios.size()),
         .at = format("{}, all-reduces of {} MiB", beside, bucket_bytes / mib)});
  }

  DeviceBackend& backend_;
  RankGroup& group_;
  RankJob& job_;
  Sizes sizes_;
  std::vector<at::Tensor> buckets_;
  std::vector<at::Tensor> meeting_;
  std::int64_t kernels_ = 1;
  std::int64_t all_reduces_ = 1;
  int asked_ = 0;
  OverlapTimes result_;
};

}  // namespace

OverlapTimes measure_overlap(DeviceBackend& backend, RankGroup& group, RankJob& job) {
  return OverlapRun(backend, group, job).run();
}

}  // namespace rooflab::torch_worker
