#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rank_store.hpp"
#include "rooflab/base/collective.hpp"
#include "step.hpp"

namespace rooflab::torch_worker {

/// Ranks that exchange tensors: c10d's process group, NCCL between GPUs and Gloo between CPUs.
class RankGroup {
 public:
  /// Throws Unsupported where this build has no such exchange. `store` must have been opened.
  RankGroup(const engine::RankPlace& place, RankStore& store, const at::Device& device,
            double timeout_s);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  [[nodiscard]] const std::string& backend() const;  ///< `nccl`, `gloo`
  /// Sums each over all ranks. All are started before the first is waited for; on a GPU the
  /// current stream waits, not the host.
  void all_reduce(const std::vector<at::Tensor>& tensors) { start_all_reduce(tensors)(); }
  /// One message: `given` is sent, `taken` comes; an all-reduce sums `given` in place. The current
  /// stream waits. Throws what the library throws where it has no such exchange.
  void exchange(Collective collective, at::Tensor& given, at::Tensor& taken);
  /// Starts the sums behind what the current stream has to do so far; the result waits for them.
  [[nodiscard]] std::function<void()> start_all_reduce(const std::vector<at::Tensor>& tensors);

 private:
  friend class DataParallel;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Averages gradients over the ranks as PyTorch's DistributedDataParallel does with its defaults.
class DataParallel : public GradientExchange {
 public:
  /// All ranks begin with rank 0's parameters and buffers. Parameters are those that require
  /// gradients, buffers what the network changes beside them (running statistics).
  DataParallel(RankGroup& group, std::vector<at::Tensor> parameters,
               std::vector<at::Tensor> buffers);
  ~DataParallel() override;

  void before_forward() override;
  void before_backward() override;

  /// Bytes of each bucket in the order of their exchange, final after the second step.
  [[nodiscard]] std::vector<std::int64_t> bucket_bytes() const;
  /// Zeros in tensors as large as the buckets, to exchange them by themselves.
  [[nodiscard]] std::vector<at::Tensor> empty_buckets() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Why ranks cannot exchange gradients with this build, a sentence each; empty: they can.
[[nodiscard]] std::vector<std::string> missing_exchange();

}  // namespace rooflab::torch_worker
