#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rooflab::onnx {

/// A well-known format that is not ONNX.
struct ForeignKind {
  std::string what;  ///< `a PNG image`
  std::string hint;  ///< what to do about it; may be empty
};

/// First bytes that are looked at.
inline constexpr std::size_t head_size = 512;

/// What the first bytes say the file is when it is clearly something else.
[[nodiscard]] std::optional<ForeignKind> foreign_kind(std::string_view bytes);

/// True when the bytes begin with fields that an ONNX model has, of the wire types it has them in.
[[nodiscard]] bool begins_like_a_model(std::string_view bytes);

}  // namespace rooflab::onnx
