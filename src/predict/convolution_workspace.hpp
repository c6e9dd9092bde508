#pragma once

#include <cstdint>
#include <optional>

#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {

/// Tensors that a library copies to another layout before a convolution.
enum class Copies : std::uint8_t {
  none,
  images,    ///< input and output, or the gradients of either
  operands,  ///< tensors that the pass reads; the result is not copied
  all,       ///< images and kernels
};

/// Rounding of a group's channels in copies.
enum class ChannelPadding : std::uint8_t {
  none,
  vector,        ///< a multiple of 16 bytes
  power_of_two,  ///< for several groups
};

/// Form in which an algorithm multiplies.
enum class Transform : std::uint8_t {
  none,
  winograd,
  fft,         ///< whole images
  tiled_fft,   ///< tiles of 32 x 32 points
  image_sums,  ///< a kernel's gradient for each image, summed at the end
};

/// Bytes of the copies of a convolution's tensors.
[[nodiscard]] double bytes_of_copies(const OpShape& shape, Copies copies, ChannelPadding padding);

/// Bytes of the transformed tensors of a convolution. nullopt: the transform does not apply to it.
[[nodiscard]] std::optional<double> bytes_of_transform(const OpShape& shape, Transform transform);

}  // namespace rooflab::predict
