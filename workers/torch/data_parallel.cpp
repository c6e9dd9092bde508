// Everything that knows c10d, which differs between libtorch 1.13 (a process group is its backend)
// and 2.x (a front end dispatches to backends by device).
//
// What DistributedDataParallel does (torch/nn/parallel/distributed.py, PyTorch 2.x, defaults:
// broadcast_buffers, no gradient_as_bucket_view, no find_unused_parameters):
//
//   once          parameters and buffers from rank 0, in pieces of 250 MiB; a Reducer with all
//                 parameters in one bucket
//   before the    rebuild the buckets (after the first step only): 1 MiB for the first, 25 MiB for
//   forward pass  the others, in the order in which gradients came; buffers from rank 0
//   backward      a hook on every parameter copies its gradient, divided by the number of ranks,
//                 into its bucket; a full bucket is all-reduced during the rest of the pass; at the
//                 end all are waited for and copied back
//
// The Reducer here is that very one. PyTorch also sends num_batches_tracked of batch norms, which
// our networks do not have: one small copy a batch norm and step less.

#include "data_parallel.hpp"

#include <chrono>
#include <cstdlib>
#include <limits>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#ifdef ROOFLAB_HAS_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#if defined(ROOFLAB_TORCH_CUDA) && defined(USE_C10D_NCCL)
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include "base/format.hpp"
#include "torch_version.hpp"

namespace rooflab::torch_worker {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t broadcast_piece_bytes = std::size_t{250} * 1024 * 1024;

Milliseconds milliseconds(double seconds) {
  return Milliseconds(static_cast<Milliseconds::rep>(seconds * 1000.0));
}

std::string text_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

/// torchrun's agent holds a store already, at the address that it tells its workers.
bool launcher_serves() {
  const char* const agent = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  return agent != nullptr && std::string_view(agent) == "True";
}

class TcpRankStore : public RankStore {
 public:
  TcpRankStore(const engine::RankPlace& place, const std::string& name, bool serve,
               double timeout_s) {
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(place.port);
    options.isServer = serve && !launcher_serves();
    options.waitWorkers = false;
    options.timeout = milliseconds(timeout_s);
    store_ = c10::make_intrusive<c10d::PrefixStore>(
        name, c10::make_intrusive<c10d::TCPStore>(place.master, options));
  }

  void set(const std::string& key, const std::string& text) override {
    store_->set(key, std::vector<std::uint8_t>(text.begin(), text.end()));
  }
  [[nodiscard]] std::string get(const std::string& key) override {
    return text_of(store_->get(key));
  }
  [[nodiscard]] std::optional<std::string> find(const std::string& key) override {
    if (!store_->check({key})) return std::nullopt;
    return text_of(store_->get(key));
  }
  std::int64_t add(const std::string& key, std::int64_t amount) override {
    return store_->add(key, amount);
  }

  [[nodiscard]] const c10::intrusive_ptr<c10d::Store>& store() const { return store_; }

 private:
  c10::intrusive_ptr<c10d::Store> store_;
};

using GroupPointer = c10::intrusive_ptr<c10d::ProcessGroup>;

#ifdef ROOFLAB_HAS_GLOO
/// GLOO_SOCKET_IFNAME as PyTorch reads it; ranks of one host need no name that resolves.
std::shared_ptr<gloo::transport::Device> gloo_device(const std::string& master) {
  using c10d::ProcessGroupGloo;
  if (const char* const interface = std::getenv("GLOO_SOCKET_IFNAME"); interface != nullptr) {
    return ProcessGroupGloo::createDeviceForInterface(interface);
  }
  if (master == "127.0.0.1" || master == "localhost") {
    return ProcessGroupGloo::createDeviceForHostname("127.0.0.1");
  }
  return ProcessGroupGloo::createDefaultDevice();
}

auto make_gloo(const c10::intrusive_ptr<c10d::Store>& store, const engine::RankPlace& place,
               Milliseconds timeout) {
  auto options = c10d::ProcessGroupGloo::Options::create(timeout);
  options->devices.push_back(gloo_device(place.master));
  options->threads = 2;
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, place.rank, place.size, options);
}
#endif

#if defined(ROOFLAB_TORCH_CUDA) && defined(USE_C10D_NCCL)
/// The framework's own watch over NCCL ends the process before anything could be told: ours does
/// that work.
void quiet_nccl_watchdog() {
  constexpr int overwrite = 1;
  ::setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0", overwrite);
  ::setenv("TORCH_NCCL_ENABLE_MONITORING", "0", overwrite);
  ::setenv("TORCH_NCCL_DUMP_ON_TIMEOUT", "0", overwrite);
  ::setenv("TORCH_NCCL_RETHROW_CUDA_ERRORS", "0", overwrite);
#if !ROOFLAB_TORCH_AT_LEAST(2, 2)
  ::setenv("NCCL_ASYNC_ERROR_HANDLING", "0", overwrite);  // its name then; later ones warn of it
#endif
}

auto make_nccl(const c10::intrusive_ptr<c10d::Store>& store, const engine::RankPlace& place,
               Milliseconds timeout) {
  quiet_nccl_watchdog();
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, place.rank, place.size, options);
}
#endif

#if ROOFLAB_TORCH_AT_LEAST(2, 0)
GroupPointer front_end(const c10::intrusive_ptr<c10d::Store>& store, const engine::RankPlace& place,
                       c10::DeviceType device, c10d::ProcessGroup::BackendType type,
                       const c10::intrusive_ptr<c10d::Backend>& backend) {
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, place.rank, place.size);
  group->setBackend(device, type, backend);
  group->setDefaultBackend(type);
  return group;
}
#endif

/// The group of a kind of device; throws Unsupported.
GroupPointer make_group(const c10::intrusive_ptr<c10d::Store>& store,
                        const engine::RankPlace& place, const at::Device& device,
                        Milliseconds timeout) {
  if (device.is_cuda()) {
#if defined(ROOFLAB_TORCH_CUDA) && defined(USE_C10D_NCCL)
#if ROOFLAB_TORCH_AT_LEAST(2, 0)
    return front_end(store, place, c10::DeviceType::CUDA, c10d::ProcessGroup::BackendType::NCCL,
                     make_nccl(store, place, timeout));
#else
    return make_nccl(store, place, timeout);
#endif
#endif
  } else {
#ifdef ROOFLAB_HAS_GLOO
#if ROOFLAB_TORCH_AT_LEAST(2, 0)
    return front_end(store, place, c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::GLOO,
                     make_gloo(store, place, timeout));
#else
    return make_gloo(store, place, timeout);
#endif
#endif
  }
  throw Unsupported{join(missing_exchange(), "; ")};
}

/// The Reducer's arguments grew and shrank with the versions of the framework.
template <class Reducer>
std::unique_ptr<Reducer> make_reducer(const std::vector<at::Tensor>& parameters,
                                      const GroupPointer& group) {
  using Indices = std::vector<std::vector<std::size_t>>;
  using Names = std::unordered_map<std::size_t, std::string>;
  const std::vector<bool> sparse(parameters.size(), false);
  auto [buckets, limits] = c10d::compute_bucket_assignment_by_size(
      parameters, {static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())}, sparse);
  const Indices reversed(buckets.rbegin(), buckets.rend());
  const std::vector<std::size_t> reversed_limits(limits.rbegin(), limits.rend());
  const std::int64_t cap = c10d::kDefaultBucketBytesCap;
  const std::int64_t first_cap = c10d::kDefaultFirstBucketBytes;
  if constexpr (std::is_constructible_v<Reducer, std::vector<at::Tensor>, Indices,
                                        std::vector<std::size_t>, GroupPointer, std::vector<bool>,
                                        std::int64_t, bool, bool, Names, std::int64_t>) {
    return std::make_unique<Reducer>(parameters, reversed, reversed_limits, group, sparse, cap,
                                     false, false, Names(), first_cap);
  } else if constexpr (std::is_constructible_v<Reducer, std::vector<at::Tensor>, Indices,
                                               GroupPointer, std::vector<bool>, std::int64_t, bool,
                                               bool, Names, std::int64_t>) {
    return std::make_unique<Reducer>(parameters, reversed, group, sparse, cap, false, false,
                                     Names(), first_cap);
  } else if constexpr (std::is_constructible_v<Reducer, std::vector<at::Tensor>, Indices,
                                               GroupPointer, std::vector<bool>, std::int64_t, bool,
                                               bool, Names, std::int64_t, bool, bool>) {
    return std::make_unique<Reducer>(parameters, reversed, group, sparse, cap, false, false,
                                     Names(), first_cap, false, false);
  } else {
    return std::make_unique<Reducer>(parameters, reversed, group, sparse, cap, false, false,
                                     Names(), first_cap, false, false, std::vector<std::int64_t>());
  }
}

}  // namespace

std::unique_ptr<RankStore> open_rank_store(const engine::RankPlace& place, const std::string& name,
                                           bool serve, double timeout_s) {
  return std::make_unique<TcpRankStore>(place, name, serve, timeout_s);
}

struct RankGroup::Parts {
  GroupPointer group;
  std::string backend;
};

RankGroup::RankGroup(const engine::RankPlace& place, RankStore& store, const at::Device& device,
                     double timeout_s)
    : parts_(std::make_unique<Parts>()) {
  const auto& keys = dynamic_cast<TcpRankStore&>(store).store();
  parts_->group = make_group(c10::make_intrusive<c10d::PrefixStore>("group", keys), place, device,
                             milliseconds(timeout_s));
  parts_->backend = device.is_cuda() ? "nccl" : "gloo";
}

RankGroup::~RankGroup() = default;

const std::string& RankGroup::backend() const { return parts_->backend; }

std::function<void()> RankGroup::start_all_reduce(const std::vector<at::Tensor>& tensors) {
  std::vector<decltype(parts_->group->allreduce(std::declval<std::vector<at::Tensor>&>()))> works;
  for (const at::Tensor& tensor : tensors) {
    std::vector<at::Tensor> one = {tensor};
    works.push_back(parts_->group->allreduce(one));
  }
  return [works = std::move(works)] {
    for (const auto& work : works) work->wait();
  };
}

void RankGroup::exchange(Collective collective, at::Tensor& given, at::Tensor& taken) {
  auto& group = *parts_->group;
  switch (collective) {
    case Collective::all_gather:
      group._allgather_base(taken, given)->wait();
      return;
    case Collective::reduce_scatter:
      group._reduce_scatter_base(taken, given)->wait();
      return;
    case Collective::all_to_all: {
      std::vector<std::int64_t> equal;
      group.alltoall_base(taken, given, equal, equal)->wait();
      return;
    }
    case Collective::all_reduce:
      all_reduce({given});
      return;
    case Collective::broadcast:
    case Collective::copy:
      break;
  }
  throw Unsupported{format("{} is not an exchange of all ranks here", name_of(collective))};
}

struct DataParallel::Parts {
  GroupPointer group;
  std::vector<at::Tensor> buffers;
  std::unique_ptr<c10d::Reducer> reducer;
};

DataParallel::DataParallel(RankGroup& group, std::vector<at::Tensor> parameters,
                           std::vector<at::Tensor> buffers)
    : parts_(std::make_unique<Parts>()) {
  parts_->group = group.parts_->group;
  parts_->buffers = std::move(buffers);
  {
    const c10::NoGradGuard no_grad;
    std::vector<at::Tensor> all;
    for (const at::Tensor& parameter : parameters) all.push_back(parameter.detach());
    all.insert(all.end(), parts_->buffers.begin(), parts_->buffers.end());
    c10d::broadcast_coalesced(parts_->group, all, broadcast_piece_bytes, 0);
  }
  parts_->reducer = make_reducer<c10d::Reducer>(parameters, parts_->group);
}

DataParallel::~DataParallel() = default;

void DataParallel::before_forward() {
  parts_->reducer->prepare_for_forward();
  (void)parts_->reducer->rebuild_buckets();
  if (parts_->buffers.empty()) return;
  const c10::NoGradGuard no_grad;
  c10d::broadcast_coalesced(parts_->group, parts_->buffers, broadcast_piece_bytes, 0);
}

void DataParallel::before_backward() { parts_->reducer->prepare_for_backward({}); }

std::vector<std::int64_t> DataParallel::bucket_bytes() const {
  std::vector<std::int64_t> bytes;
  for (const at::Tensor& bucket : empty_buckets()) {
    bytes.push_back(bucket.numel() * static_cast<std::int64_t>(bucket.element_size()));
  }
  return bytes;
}

std::vector<at::Tensor> DataParallel::empty_buckets() const {
  std::vector<at::Tensor> tensors;
  for (const c10d::GradBucket& bucket : parts_->reducer->get_grad_buckets(true)) {
    tensors.push_back(bucket.getBuffer());
  }
  return tensors;
}

std::vector<std::string> missing_exchange() {
  std::vector<std::string> missing;
#ifndef ROOFLAB_HAS_GLOO
  missing.emplace_back(
      "Gloo: this libtorch comes without its headers; CPUs cannot train together (Debian 12: "
      "libtorch-dev and libgloo-dev)");
#endif
#if defined(ROOFLAB_TORCH_CUDA) && !defined(USE_C10D_NCCL)
  missing.emplace_back(
      "NCCL: nccl.h was not found when this was built; GPUs cannot train together (pip's "
      "nvidia-nccl-cu*, or libnccl-dev)");
#endif
  return missing;
}

}  // namespace rooflab::torch_worker
