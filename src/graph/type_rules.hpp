#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

using Types = std::span<const TensorType>;

/// Throws Error (input) unless the condition holds.
inline void require(bool condition, const char* message) {
  if (!condition) throw Error(ErrorKind::input, message);
}

/// The same with a message that is only made when it is needed.
template <class Message>
requires std::is_invocable_r_v<std::string, Message>
void require(bool condition, const Message& message) {
  if (!condition) throw Error(ErrorKind::input, message());
}

/// The operand at `index`, or Error (input) that it is missing.
[[nodiscard]] const TensorType& operand(Types inputs, std::size_t index, std::string_view what);

/// An axis counted from the front; throws Error (input) outside the rank.
[[nodiscard]] std::size_t normalised_axis(std::int64_t axis, std::size_t rank);

/// Attributes of one spatial dimension of a window.
struct Window {
  std::int64_t kernel, stride, padding_begin, padding_end, dilation;
};

/// Windows that fit along an extent; throws Error (input) when none does.
[[nodiscard]] std::int64_t window_count(std::int64_t extent, const Window& window, bool ceil_mode);

/// Every attribute of a window has one entry for each spatial dimension.
template <class Attributes>
void require_spatial(const Attributes& op, std::size_t spatial) {
  require(op.kernel.size() == spatial && op.stride.size() == spatial &&
              op.padding_begin.size() == spatial && op.padding_end.size() == spatial &&
              op.dilation.size() == spatial,
          [&] { return format("attributes for {} spatial dimensions are needed", spatial); });
}

// The type rule of each op.
[[nodiscard]] std::vector<TensorType> infer(const Conv& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Linear& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const MatMul& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Einsum& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Attention& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const BatchNorm& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const LayerNorm& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const RmsNorm& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const GroupNorm& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const LocalResponseNorm& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Unary& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Binary& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Where& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Softmax& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Cast& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Dropout& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const StochasticDepth& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Pool& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const AdaptivePool& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Reduce& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const CumulativeSum& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const TopK& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Reshape& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Transpose& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Expand& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Slice& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Split& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Concat& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Pad& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Gather& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const GatherElements& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Scatter& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Resize& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Contiguous& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Roll& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Triangle& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Generate& op, Types inputs);
[[nodiscard]] std::vector<TensorType> infer(const Opaque& op, Types inputs);

}  // namespace rooflab::graph
