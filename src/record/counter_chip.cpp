// The table of chips, as CUPTI 13.0's host library answers for each of them: which tensor metrics
// it lists, and how many passes each takes alone.
//
// Which parts add up to a metric follows from its description (`math ops executed in Tensor path
// with source FP16`) and those of its parts (`.. by HGMMA with source FP16`): an instruction is one
// of these, and sparse or not.

#include "counter_chip.hpp"

#include <algorithm>

namespace rooflab::record {
namespace {

constexpr auto volta_floats = std::to_array<std::string_view>(
    {"sm__ops_path_tensor_src_fp16_dst_fp16", "sm__ops_path_tensor_src_fp16_dst_fp32"});
constexpr auto turing_floats = std::to_array<std::string_view>(
    {"sm__ops_path_tensor_src_fp16_dst_fp16", "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32"});
constexpr auto ampere_floats = std::to_array<std::string_view>(
    {"sm__ops_path_tensor_src_fp16_dst_fp16", "sm__ops_path_tensor_src_fp16_dst_fp32",
     "sm__ops_path_tensor_src_bf16_dst_fp32", "sm__ops_path_tensor_src_tf32_dst_fp32",
     "sm__ops_path_tensor_src_fp64"});
constexpr auto ada_floats = std::to_array<std::string_view>(
    {"sm__ops_path_tensor_src_fp16_dst_fp16", "sm__ops_path_tensor_src_fp16_dst_fp32",
     "sm__ops_path_tensor_src_bf16_dst_fp32", "sm__ops_path_tensor_src_tf32_dst_fp32",
     "sm__ops_path_tensor_src_fp64", "sm__ops_path_tensor_src_fp8"});
constexpr auto hopper_floats = std::to_array<std::string_view>(
    {"sm__ops_path_tensor_src_fp16", "sm__ops_path_tensor_src_bf16_dst_fp32",
     "sm__ops_path_tensor_src_tf32_dst_fp32", "sm__ops_path_tensor_src_fp64",
     "sm__ops_path_tensor_src_fp8"});
constexpr auto data_centre_floats = std::to_array<std::string_view>(
    {"sm__ops_path_tensor_src_fp16_dst_fp16", "sm__ops_path_tensor_src_fp16_dst_fp32",
     "sm__ops_path_tensor_src_bf16_dst_fp32", "sm__ops_path_tensor_src_tf32_dst_fp32",
     "sm__ops_path_tensor_src_fp64", "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16",
     "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32", "sm__ops_path_tensor_src_fp4_dst_fp32"});
constexpr auto blackwell_floats = std::to_array<std::string_view>(
    {"sm__ops_path_tensor_src_fp16_dst_fp16", "sm__ops_path_tensor_src_fp16_dst_fp32",
     "sm__ops_path_tensor_src_bf16_dst_fp32", "sm__ops_path_tensor_src_tf32_dst_fp32",
     "sm__ops_path_tensor_src_fp64", "sm__ops_path_tensor_src_fp8_dst_fp16",
     "sm__ops_path_tensor_src_fp8_dst_fp32", "sm__ops_path_tensor_src_fp4_fp6_dst_fp16",
     "sm__ops_path_tensor_src_fp4_fp6_dst_fp32", "sm__ops_path_tensor_src_fp4_dst_fp32"});

constexpr auto three_integers =
    std::to_array<std::string_view>({"sm__ops_path_tensor_src_int8", "sm__ops_path_tensor_src_int4",
                                     "sm__ops_path_tensor_src_int1"});
constexpr auto hopper_integers = std::to_array<std::string_view>(
    {"sm__ops_path_tensor_src_int8", "sm__ops_path_tensor_src_int1"});
constexpr auto int8_alone = std::to_array<std::string_view>({"sm__ops_path_tensor_src_int8"});

constexpr auto ampere_splits = std::to_array<TensorSplit>({
    {"sm__ops_path_tensor_src_int8",
     {"sm__ops_path_tensor_src_int8_sparsity_off", "sm__ops_path_tensor_src_int8_sparsity_on"}},
    {"sm__ops_path_tensor_src_int4",
     {"sm__ops_path_tensor_src_int4_sparsity_off", "sm__ops_path_tensor_src_int4_sparsity_on"}},
});
// mma.sync (HMMA, IMMA) and wgmma (HGMMA, IGMMA) are counted apart.
constexpr auto hopper_splits = std::to_array<TensorSplit>({
    {"sm__ops_path_tensor_src_fp16",
     {"sm__ops_path_tensor_op_hgmma_src_fp16", "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32",
      "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp16"}},
    {"sm__ops_path_tensor_src_int8",
     {"sm__ops_path_tensor_op_igmma_src_int8", "sm__ops_path_tensor_op_imma_src_int8_sparsity_off",
      "sm__ops_path_tensor_op_imma_src_int8_sparsity_on"}},
});
// mma.sync and tcgen05 (UTC*); fp8 and narrower are tcgen05's alone.
constexpr auto data_centre_splits = std::to_array<TensorSplit>({
    {"sm__ops_path_tensor_src_fp16_dst_fp16",
     {"sm__ops_path_tensor_op_hmma_src_fp16_dst_fp16",
      "sm__ops_path_tensor_op_utchmma_src_fp16_dst_fp16_sparsity_off",
      "sm__ops_path_tensor_op_utchmma_src_fp16_dst_fp16_sparsity_on"}},
    {"sm__ops_path_tensor_src_tf32_dst_fp32",
     {"sm__ops_path_tensor_op_hmma_src_tf32_dst_fp32",
      "sm__ops_path_tensor_op_utchmma_src_tf32_dst_fp32_sparsity_off",
      "sm__ops_path_tensor_op_utchmma_src_tf32_dst_fp32_sparsity_on"}},
    {"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32",
     {"sm__ops_path_tensor_op_utcqmma_src_fp4_fp6_fp8_dst_fp32_sparsity_off",
      "sm__ops_path_tensor_op_utcqmma_src_fp4_fp6_fp8_dst_fp32_sparsity_on"}},
    {"sm__ops_path_tensor_src_int8",
     {"sm__ops_path_tensor_op_imma_src_int8",
      "sm__ops_path_tensor_op_utcimma_src_int8_sparsity_off",
      "sm__ops_path_tensor_op_utcimma_src_int8_sparsity_on"}},
});
constexpr auto gb110_splits = std::to_array<TensorSplit>({
    {"sm__ops_path_tensor_src_fp16_dst_fp16",
     {"sm__ops_path_tensor_op_hmma_src_fp16_dst_fp16",
      "sm__ops_path_tensor_op_utchmma_src_fp16_dst_fp16_sparsity_off",
      "sm__ops_path_tensor_op_utchmma_src_fp16_dst_fp16_sparsity_on"}},
    {"sm__ops_path_tensor_src_tf32_dst_fp32",
     {"sm__ops_path_tensor_op_hmma_src_tf32_dst_fp32",
      "sm__ops_path_tensor_op_utchmma_src_tf32_dst_fp32_sparsity_off",
      "sm__ops_path_tensor_op_utchmma_src_tf32_dst_fp32_sparsity_on"}},
    {"sm__ops_path_tensor_src_fp8_dst_fp16",
     {"sm__ops_path_tensor_op_utcqmma_src_fp8_dst_fp16_sparsity_off",
      "sm__ops_path_tensor_op_utcqmma_src_fp8_dst_fp16_sparsity_on"}},
    {"sm__ops_path_tensor_src_fp8_dst_fp32",
     {"sm__ops_path_tensor_op_utcqmma_src_fp8_dst_fp32_sparsity_off",
      "sm__ops_path_tensor_op_utcqmma_src_fp8_dst_fp32_sparsity_on"}},
    {"sm__ops_path_tensor_src_fp4_fp6_dst_fp16",
     {"sm__ops_path_tensor_op_utcqmma_src_fp4_fp6_dst_fp16_sparsity_off",
      "sm__ops_path_tensor_op_utcqmma_src_fp4_fp6_dst_fp16_sparsity_on"}},
    {"sm__ops_path_tensor_src_fp4_fp6_dst_fp32",
     {"sm__ops_path_tensor_op_utcqmma_src_fp4_fp6_dst_fp32_sparsity_off",
      "sm__ops_path_tensor_op_utcqmma_src_fp4_fp6_dst_fp32_sparsity_on"}},
});

constexpr TensorCores volta = {volta_floats, {}, {}};
constexpr TensorCores turing = {turing_floats, three_integers, {}};
constexpr TensorCores ampere = {ampere_floats, three_integers, ampere_splits};
constexpr TensorCores ada = {ada_floats, three_integers, ampere_splits};
constexpr TensorCores hopper = {hopper_floats, hopper_integers, hopper_splits};
constexpr TensorCores data_centre = {data_centre_floats, int8_alone, data_centre_splits};
constexpr TensorCores gb110 = {blackwell_floats, int8_alone, gb110_splits};
constexpr TensorCores blackwell = {blackwell_floats, int8_alone, {}};

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
    {{10, 3}, "GB110", gb110, true},
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
    return chip.capability == capability && !chip.tensor.floats.empty();
  });
  return found == chips.end() ? nullptr : &*found;
}

const CounterChip* counter_chip(std::string_view name) {
  const auto* const found = std::ranges::find_if(
      chips, [&](const CounterChip& chip) { return matches(name, chip.name); });
  return found == chips.end() ? nullptr : &*found;
}

}  // namespace rooflab::record
