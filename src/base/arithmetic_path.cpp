#include "assert.hpp"
#include "rooflab/base/precision.hpp"

namespace rooflab {
namespace {

struct PathFacts {
  ArithmeticPath path;
  std::string_view label;
  bool matrix_unit;
};

constexpr std::array path_facts = {
    PathFacts{ArithmeticPath::fp64_vector, "FP64", false},
    PathFacts{ArithmeticPath::fp32_vector, "FP32", false},
    PathFacts{ArithmeticPath::fp16_vector, "FP16", false},
    PathFacts{ArithmeticPath::fp64_tensor, "FP64 tensor", true},
    PathFacts{ArithmeticPath::fp32_matrix, "FP32 matrix", true},
    PathFacts{ArithmeticPath::tf32_tensor, "TF32 tensor", true},
    PathFacts{ArithmeticPath::fp16_tensor_fp32, "FP16 tensor (FP32 accumulate)", true},
    PathFacts{ArithmeticPath::fp16_tensor_fp16, "FP16 tensor (FP16 accumulate)", true},
    PathFacts{ArithmeticPath::bf16_tensor_fp32, "BF16 tensor", true},
    PathFacts{ArithmeticPath::fp8_tensor_fp32, "FP8 tensor", true},
    PathFacts{ArithmeticPath::int8_tensor_int32, "INT8 tensor", true},
};
static_assert(path_facts.size() == values_of<ArithmeticPath>.size());

const PathFacts& facts_of(ArithmeticPath path) {
  const PathFacts& row = path_facts[static_cast<std::size_t>(path)];
  ROOFLAB_ASSERT(row.path == path);
  return row;
}

}  // namespace

std::string_view label_of(ArithmeticPath path) { return facts_of(path).label; }
bool is_matrix_unit(ArithmeticPath path) { return facts_of(path).matrix_unit; }

}  // namespace rooflab
