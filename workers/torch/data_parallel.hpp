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
  /// Joins a group. Throws Unsupported where this build has no exchange for the device. `store`
  /// must have been opened.
  RankGroup(const engine::RankPlace& place, RankStore& store, const at::Device& device,
            double timeout_s);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  [[nodiscard]] const std::string& backend() const;  ///< `nccl`, `gloo`
  /// Sums each tensor over all ranks. All sums are started before the first is waited for; on a GPU
  /// the current stream waits, not the host.
  void all_reduce(const std::vector<at::Tensor>& tensors) { start_all_reduce(tensors)(); }
  /// Exchanges one message: `given` is sent, `taken` is received; an all-reduce sums `given` in
  /// place. The current stream waits. Throws the library's exception where it has no such exchange.
  void exchange(Collective collective, at::Tensor& given, at::Tensor& taken);
  /// Starts the sums after the work of the current stream so far; the returned function waits for
  /// them.
  [[nodiscard]] std::function<void()> start_all_reduce(const std::vector<at::Tensor>& tensors);

 private:
  friend class DataParallel;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Averages gradients over the ranks as PyTorch's DistributedDataParallel does with its defaults.
class DataParallel : public GradientExchange {
 public:
  /// Gives all ranks the parameters and buffers of rank 0. Parameters are the tensors that require
  /// gradients, buffers are other tensors that the network changes (running statistics).
  DataParallel(RankGroup& group, std::vector<at::Tensor> parameters,
               std::vector<at::Tensor> buffers);
  ~DataParallel() override;

  void before_forward() override;
  void before_backward() override;

  /// Bytes of each bucket in the order of their exchange, final after the second step.
  [[nodiscard]] std::vector<std::int64_t> bucket_bytes() const;
  /// Tensors of zeros with the sizes of the buckets, for exchanges without a step.
  [[nodiscard]] std::vector<at::Tensor> empty_buckets() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Reasons why ranks cannot exchange gradients with this build, one sentence each; empty: they can.
[[nodiscard]] std::vector<std::string> missing_exchange();

}  // namespace rooflab::torch_worker
