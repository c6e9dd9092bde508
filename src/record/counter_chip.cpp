// The table of chips, as CUPTI 13.0's host library answers for each of them: which tensor metrics
// it lists.

#include "counter_chip.hpp"

#include <algorithm>
#include <array>

namespace rooflab::record {
namespace {

/// What follows `sm__ops_path_tensor_src_` in the names of its metrics.
template <std::size_t size>
using Tensor = std::array<std::string_view, size>;

constexpr Tensor<2> volta = {"fp16_dst_fp16", "fp16_dst_fp32"};
constexpr Tensor<2> turing = {"fp16_dst_fp16", "fp16_bf16_tf32_dst_fp32"};
constexpr Tensor<6> ada = {"fp16_dst_fp16", "fp16_dst_fp32", "bf16_dst_fp32",
                           "tf32_dst_fp32", "fp64",          "fp8"};
constexpr std::span ampere = std::span(ada).first<5>();
constexpr Tensor<5> hopper = {"fp16", "bf16_dst_fp32", "tf32_dst_fp32", "fp64", "fp8"};
constexpr Tensor<8> data_centre = {"fp16_dst_fp16",        "fp16_dst_fp32", "bf16_dst_fp32",
                                   "tf32_dst_fp32",        "fp64",          "fp4_fp6_fp8_dst_fp16",
                                   "fp4_fp6_fp8_dst_fp32", "fp4_dst_fp32"};
constexpr Tensor<10> blackwell = {
    "fp16_dst_fp16", "fp16_dst_fp32", "bf16_dst_fp32",    "tf32_dst_fp32",    "fp64",
    "fp8_dst_fp16",  "fp8_dst_fp32",  "fp4_fp6_dst_fp16", "fp4_fp6_dst_fp32", "fp4_dst_fp32"};

constexpr auto chips = std::to_array<CounterChip>({
    {{7, 0}, "GV100", volta},
    {{7, 5}, "TU116", {}},  // no tensor cores
    {{7, 5}, "TU117", {}},
    {{7, 5}, "TU10?", turing},
    {{8, 0}, "GA100", ampere},
    {{8, 7}, "GA10B", ampere, false, DramNames::none},
    {{8, 6}, "GA10?", ampere},
    {{8, 9}, "AD10?", ada},
    {{9, 0}, "GH100", hopper},
    {{10, 0}, "GB100", data_centre, true},
    {{10, 0}, "GB102", data_centre, true},
    {{10, 3}, "GB110", blackwell, true},
    {{11, 0}, "GB10B", data_centre, false, DramNames::none},  // 10.1 until CUDA 12.9
    {{12, 0}, "GB20?", blackwell, false, DramNames::bytes_op_read},
    {{12, 1}, "GB20B", blackwell, false, DramNames::none},
});

bool matches(std::string_view name, std::string_view pattern) {
  return std::ranges::equal(name, pattern, [](char letter, char expected) {
    return letter == expected || (expected == '?' && letter >= '0' && letter <= '9');
  });
}

}  // namespace

const CounterChip* counter_chip(ComputeCapability capability) {
  const auto* const found = std::ranges::find_if(chips, [&](const CounterChip& chip) {
    return chip.capability == capability && !chip.tensor.empty();
  });
  return found == chips.end() ? nullptr : &*found;
}

const CounterChip* counter_chip(std::string_view name) {
  const auto* const found = std::ranges::find_if(
      chips, [&](const CounterChip& chip) { return matches(name, chip.name); });
  return found == chips.end() ? nullptr : &*found;
}

}  // namespace rooflab::record
