#pragma once

#include "assembly.hpp"
#include "constant_computer.hpp"

namespace rooflab::onnx {

struct AttentionCount {
  std::int64_t joined = 0;   ///< attentions that became one op each
  std::int64_t by_hand = 0;  ///< attentions that remain products and a softmax
};

/// Joins each attention that an exporter decomposed to one Attention (attention_parts.hpp).
///
/// A constant mask that hides nothing is dropped, one that hides only later keys becomes `causal`;
/// any other mask, and one too large to check, remains the op's mask.
AttentionCount join_attentions(Assembly& assembly, ConstantComputer& constants);

}  // namespace rooflab::onnx
