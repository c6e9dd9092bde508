#pragma once

#include "assembly.hpp"
#include "constant_computer.hpp"

namespace rooflab::onnx {

struct AttentionCount {
  std::int64_t joined = 0;   ///< attentions that became one op each
  std::int64_t by_hand = 0;  ///< attentions that stay products and a softmax, as they were written
};

/// Makes one Attention of each that an exporter took apart (attention_parts.hpp).
///
/// A constant mask that hides nothing is dropped, one that hides later keys alone becomes `causal`;
/// any other, and one too large to be looked at, stays the op's mask.
AttentionCount join_attentions(Assembly& assembly, ConstantComputer& constants);

}  // namespace rooflab::onnx
