#include "rooflab/record/kernel_work.hpp"

#include <utility>

namespace rooflab::record {
namespace {

using enum KernelFigure;

using Term = std::pair<KernelFigure, double>;

constexpr std::array<Term, 3> fp64_terms = {{{dadd, 1.0}, {dmul, 1.0}, {dfma, 2.0}}};
constexpr std::array<Term, 3> fp32_terms = {{{fadd, 1.0}, {fmul, 1.0}, {ffma, 2.0}}};
constexpr std::array<Term, 3> packed_terms = {{{fadd2, 2.0}, {fmul2, 2.0}, {ffma2, 4.0}}};
constexpr std::array<Term, 3> fp16_terms = {{{hadd, 2.0}, {hmul, 2.0}, {hfma, 4.0}}};

std::optional<double> all_of(const LaunchFigures& launch, const std::array<Term, 3>& terms) {
  double sum = 0.0;
  for (const auto& [figure, factor] : terms) {
    if (!launch[figure]) return std::nullopt;
    sum += factor * *launch[figure];
  }
  return sum;
}

template <class Figures>
std::optional<double> collected_of(const LaunchFigures& launch, const Figures& figures) {
  std::optional<double> sum;
  for (const KernelFigure figure : figures) {
    if (launch[figure]) sum = sum.value_or(0.0) + *launch[figure];
  }
  return sum;
}

}  // namespace

LaunchFigures figures_of(const KernelTable& kernels, std::size_t row, bool tensor_cores) {
  LaunchFigures launch;
  for (const KernelFigure figure : values_of<KernelFigure>)
    launch[figure] = kernels.at(figure, row);
  if (launch[dram_read_bytes] && launch[dram_write_bytes]) {
    launch[dram_bytes] = *launch[dram_read_bytes] + *launch[dram_write_bytes];
  }
  launch[fp64_flops] = all_of(launch, fp64_terms);
  launch[fp32_flops] = all_of(launch, fp32_terms);
  if (launch[fp32_flops]) *launch[fp32_flops] += all_of(launch, packed_terms).value_or(0.0);
  launch[fp16_flops] = all_of(launch, fp16_terms);
  if (launch[fp16_flops]) {
    const bool moves = launch[hadd] == 0.0 && launch[hmul] == 0.0;
    launch[fp16_move_flops] = moves ? std::exchange(*launch[fp16_flops], 0.0) : 0.0;
  }
  launch[tensor_flops] = collected_of(launch, float_tensor_figures);
  launch[cuda_core_flops] = collected_of(launch, std::array{fp64_flops, fp32_flops, fp16_flops});
  launch[collected_flops] = collected_of(launch, std::array{cuda_core_flops, tensor_flops});
  if (launch[fp32_flops] && (launch[tensor_flops] || !tensor_cores)) {
    launch[flops] = launch[collected_flops];
  }
  return launch;
}

}  // namespace rooflab::record
