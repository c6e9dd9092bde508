// Buffers of NCCL (and of RCCL, its fork for AMD's devices), which lie outside of the framework's
// allocator. Every connection from another device has a buffer for each of three protocols, on
// every channel, made when a communicator first exchanges:
//
//     simple     4 MiB                                  NCCL_BUFFSIZE
//     LL         512 threads x 8 lines x 16 B x 8 steps
//     LL128      640 threads x 120 elements x 8 B x 8 steps
//
//     expected   the channels that NCCL takes for the link (LinkModel::multiprocessors; 2, as on
//                PCIe, where nothing says it), of 3 connections each: a ring has one device before
//                it, a tree within a host one above and one below
//     most       64 channels, NCCL's largest number, of 5 connections: a tree has at most three
//                below
//
// So up to 3.1 GB; 1.6 GB were seen for one communicator, 2 GB each for three
// (github.com/NVIDIA/nccl/issues/864). Data parallelism has one communicator. Sources: NCCL user
// guide, "Environment variables", NCCL_BUFFSIZE; github.com/NVIDIA/nccl, src/include/device.h
// (NCCL_STEPS, NCCL_LL_MAX_NTHREADS, NCCL_LL_LINES_PER_THREAD, NCCL_LL128_MAX_NTHREADS,
// NCCL_LL128_ELEMS_PER_THREAD, MAXCHANNELS, NCCL_MAX_TREE_ARITY).

#include <algorithm>

#include "rooflab/predict/memory_model.hpp"

namespace rooflab::predict {

AssumedMemory communication_memory(const LinkModel* link) {
  constexpr std::int64_t simple = 4 << 20;
  constexpr std::int64_t low_latency = 512 * 8 * 16 * 8;
  constexpr std::int64_t low_latency_128 = 640 * 120 * 8 * 8;
  constexpr Bytes connection(simple + low_latency + low_latency_128);
  constexpr std::int64_t least_channels = 2;
  constexpr std::int64_t most_channels = 64;
  constexpr std::int64_t connections = 3;
  constexpr std::int64_t most_connections = 5;
  const std::int64_t of_link = link == nullptr ? 0 : link->multiprocessors();
  const std::int64_t channels = std::clamp(of_link, least_channels, most_channels);
  return {.part = "link buffers",
          .expected = connection * (channels * connections),
          .most = connection * (most_channels * most_connections),
          .source = "NCCL's buffers by channel and connection"};
}

}  // namespace rooflab::predict
