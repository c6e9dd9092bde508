#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "rooflab/record/kernel_figure.hpp"

namespace rooflab::analyze {

/// Sums over launches.
struct CountedSums {
  std::size_t kernels = 0;
  // Launches that have the figure.
  std::size_t with_time = 0;
  std::size_t with_flops = 0;  ///< all of FLOPs: CUDA cores, and tensor cores where there are any
  std::size_t with_dram = 0;
  std::optional<double> time_s;  ///< of the kernels, without counters
  std::optional<double> fp64_flops;
  std::optional<double> fp32_flops;
  std::optional<double> fp16_flops;  ///< moves left out
  std::optional<double> tensor_flops;
  std::map<record::KernelFigure, double> tensor_by_type;  ///< those above zero
  double moves = 0.0;           ///< what hfma that only move constants would make as FLOPs
  std::optional<double> flops;  ///< all but moves
  std::optional<double> dram_bytes;
  std::optional<double> l2_bytes;
  // Means, weighted by time, of the launches that have them.
  std::optional<double> sm_clock_hz;
  std::optional<double> occupancy;
  std::optional<double> sm_busy;

  [[nodiscard]] std::optional<double> intensity() const;  ///< FLOP per DRAM byte
  [[nodiscard]] std::optional<double> flops_per_s() const;
  [[nodiscard]] std::optional<double> bytes_per_s() const;  ///< DRAM
};

}  // namespace rooflab::analyze
