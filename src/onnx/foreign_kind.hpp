#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rooflab::onnx {

/// A well-known format that is not ONNX.
struct ForeignKind {
  std::string what;  ///< `a PNG image`
  std::string hint;  ///< advice; may be empty
};

/// Number of first bytes that are checked.
inline constexpr std::size_t head_size = 512;

/// Format of a file by its first bytes if it is clearly not ONNX; else nullopt.
[[nodiscard]] std::optional<ForeignKind> foreign_kind(std::string_view bytes);

/// Whether the bytes begin with fields of an ONNX model with their wire types.
[[nodiscard]] bool begins_like_a_model(std::string_view bytes);

}  // namespace rooflab::onnx
