#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/op_facts.hpp"

namespace rooflab::graph {

using Types = std::span<const TensorType>;

/// Throws Error (input) unless the condition holds.
inline void require(bool condition, const char* message) {
  if (!condition) throw Error(ErrorKind::input, message);
}

/// Throws Error (input) unless the condition holds; the message is made only when it is needed.
template <class Message>
requires std::is_invocable_r_v<std::string, Message>
void require(bool condition, const Message& message) {
  if (!condition) throw Error(ErrorKind::input, message());
}

/// The operand at `index`; throws Error (input) if it is missing.
[[nodiscard]] const TensorType& operand(Types inputs, std::size_t index, std::string_view what);

/// An axis counted from the front; throws Error (input) outside the rank.
[[nodiscard]] std::size_t normalised_axis(std::int64_t axis, std::size_t rank);

/// Attributes of one spatial dimension of a window.
struct Window {
  std::int64_t kernel, stride, padding_begin, padding_end, dilation;
};

/// Number of windows that fit along an extent; throws Error (input) when none fits.
[[nodiscard]] std::int64_t window_count(std::int64_t extent, const Window& window, bool ceil_mode);

/// Throws Error (input) unless every attribute of a window has one entry per spatial dimension.
template <class Attributes>
void require_spatial(const Attributes& op, std::size_t spatial) {
  require(op.kernel.size() == spatial && op.stride.size() == spatial &&
              op.padding_begin.size() == spatial && op.padding_end.size() == spatial &&
              op.dilation.size() == spatial,
          [&] { return format("attributes for {} spatial dimensions are needed", spatial); });
}

// Type rules by family: one function `infer` per op, in the file of its family.
[[nodiscard]] std::vector<TensorType> infer_matrix(const Op& op, Types inputs);
/// Types of normalisation and elementwise ops.
[[nodiscard]] std::vector<TensorType> infer_pointwise(const Op& op, Types inputs);
/// Types of pooling, reductions, scans and selections.
[[nodiscard]] std::vector<TensorType> infer_reduction(const Op& op, Types inputs);
/// Types of movement and unknown ops.
[[nodiscard]] std::vector<TensorType> infer_movement(const Op& op, Types inputs);

}  // namespace rooflab::graph
