#include "rooflab/record/kernel_work.hpp"

#include <array>
#include <utility>

namespace rooflab::record {
namespace {

using enum KernelFigure;

using Term = std::pair<KernelFigure, double>;

constexpr std::array<Term, 3> fp64_terms = {{{dadd, 1.0}, {dmul, 1.0}, {dfma, 2.0}}};
constexpr std::array<Term, 3> fp32_terms = {{{fadd, 1.0}, {fmul, 1.0}, {ffma, 2.0}}};
constexpr std::array<Term, 3> packed_terms = {{{fadd2, 2.0}, {fmul2, 2.0}, {ffma2, 4.0}}};
constexpr std::array<Term, 3> fp16_terms = {{{hadd, 2.0}, {hmul, 2.0}, {hfma, 4.0}}};

std::optional<double> all_of(const KernelTable& kernels, std::size_t row,
                             const std::array<Term, 3>& terms) {
  double sum = 0.0;
  for (const auto& [figure, factor] : terms) {
    const std::optional<double> value = kernels.at(figure, row);
    if (!value) return std::nullopt;
    sum += factor * *value;
  }
  return sum;
}

}  // namespace

std::optional<double> KernelWork::collected() const {
  std::optional<double> sum;
  for (const std::optional<double>& part :
       {fp64, fp32, fp16_is_moves ? std::nullopt : fp16, tensor}) {
    if (part) sum = sum.value_or(0.0) + *part;
  }
  return sum;
}

std::optional<double> KernelWork::flops(bool tensor_cores) const {
  return fp32 && (tensor || !tensor_cores) ? collected() : std::nullopt;
}

KernelWork work_of(const KernelTable& kernels, std::size_t row) {
  KernelWork work;
  work.fp64 = all_of(kernels, row, fp64_terms);
  work.fp32 = all_of(kernels, row, fp32_terms);
  if (work.fp32) *work.fp32 += all_of(kernels, row, packed_terms).value_or(0.0);
  work.fp16 = all_of(kernels, row, fp16_terms);
  work.fp16_is_moves =
      work.fp16.value_or(0.0) > 0.0 && kernels.at(hadd, row) == 0.0 && kernels.at(hmul, row) == 0.0;
  for (const KernelFigure figure : float_tensor_figures) {
    const std::optional<double> value = kernels.at(figure, row);
    if (value) work.tensor = work.tensor.value_or(0.0) + *value;
  }
  return work;
}

std::optional<double> dram_bytes(const KernelTable& kernels, std::size_t row) {
  const std::optional<double> read = kernels.at(dram_read_bytes, row);
  const std::optional<double> write = kernels.at(dram_write_bytes, row);
  if (read && write) return *read + *write;
  return kernels.at(KernelFigure::dram_bytes, row);
}

}  // namespace rooflab::record
