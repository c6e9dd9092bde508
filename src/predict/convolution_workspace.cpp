// Sizes of what convolutions hold in addition to their operands and results, in elements of n
// images, Ci and Co channels, G groups, kernels of r x r:
//
//     copies        of input x, output y and kernels w, channels rounded up
//     Winograd      F(4 x 4, 3 x 3) has tiles of 6 x 6 for 4 x 4 results, and F(9 x 9, 5 x 5) tiles
//                   of 13 x 13 for 9 x 9. With t tiles in an image, a x a numbers in a tile:
//                   a^2 (n t (Ci + Co) + Ci Co)
//     FFT           of f x f points, f the power of two from 16 that holds an image with its
//                   padding. A real transform has f (f / 2 + 1) complex numbers of 8 bytes. The
//                   operands are transformed, then transposed for the product, the product is
//                   transposed back: two buffers, each as large as both operands or the result:
//                   2 * 8 f (f / 2 + 1) max(operands, result), in channels of one image, plus the
//                   kernels in the order that the transform reads, or the output's gradient
//     tiled FFT     f = 32, a tile of every image at a time: 8 f (f / 2 + 1) (Ci Co + n (Ci + Co)),
//                   with images twice where they have several tiles
//     image sums    the gradient of the kernels in FP32 for each image: 4 n w
//
// In FP32 groups are convolved eight at a time, so eight have room. Sizes of pictures are taken as
// square. Sources: Lavin and Gray, CVPR 2016, section 4 (tiles); Mathieu, Henaff and LeCun, "Fast
// training of convolutional networks through FFTs", ICLR 2014, and Vasilache et al., "Fast
// convolutional nets with fbfft", ICLR 2015 (transforms, transposed copies in separate buffers);
// NVIDIA, cuDNN API, cudnnConvolutionFwdAlgo_t (FFT: images with padding to 256; FFT_TILING:
// tiles of 32 x 32). Which buffers there are at once follows from the workspaces that `rooflab
// probe` saw around FP32 convolutions on an H200 with cuDNN 9.19: of those in NCHW order, 342 of
// 346 of the forward pass and the data gradient are explained to 0.1 %.

#include "convolution_workspace.hpp"

#include <algorithm>
#include <cmath>

namespace rooflab::predict {
namespace {

constexpr double complex_bytes = 8.0;
constexpr double sum_bytes = 4.0;  // partial sums and what FFTs read is FP32
constexpr double smallest_fft = 16.0;
constexpr double largest_fft = 256.0;
constexpr double fft_tile = 32.0;
constexpr double fp32_groups = 8.0;  // convolved at a time

/// A convolution's extents. `groups` are those that have room at the same time.
struct Extents {
  double images = 0.0;
  double in_pixels = 0.0;
  double out_pixels = 0.0;
  double in_channels = 0.0;  ///< in a group
  double out_channels = 0.0;
  double groups = 0.0;
  double kernel = 0.0;   ///< elements
  double element = 0.0;  ///< bytes
};

Extents extents_of(const OpShape& shape) {
  const std::vector<double>& s = shape.sizes;
  const bool transposed = shape.op.starts_with("conv_transpose");
  return {s[0],
          s[1] * (transposed ? 1.0 : s[6]),
          s[1] * (transposed ? s[6] : 1.0),
          s[2],
          s[3],
          shape.type == "fp32" ? std::min(s[4], fp32_groups) : s[4],
          s[5],
          element_bytes(shape.type)};
}

double padded(double channels, ChannelPadding padding, double element) {
  constexpr double vector_bytes = 16.0;
  switch (padding) {
    case ChannelPadding::vector:
      return std::ceil(channels * element / vector_bytes) * vector_bytes / element;
    case ChannelPadding::power_of_two:
      return std::exp2(std::ceil(std::log2(channels)));
    case ChannelPadding::none:
      break;
  }
  return channels;
}

/// The longer side of a kernel: 3 of 3 x 3, 7 of 1 x 7.
double longer_side(double kernel) {
  const double root = std::round(std::sqrt(kernel));
  return root * root == kernel ? root : kernel;
}

double transform_bytes(double points) { return complex_bytes * points * (points / 2.0 + 1.0); }

std::optional<double> fft_bytes(const Extents& e, const OpShape& shape, bool tiled) {
  const double padded_side = std::round(std::sqrt(e.in_pixels)) + longer_side(e.kernel) - 1.0;
  const double in = e.images * e.in_channels;
  const double out = e.images * e.out_channels;
  const double kernels = e.in_channels * e.out_channels;
  if (tiled) {
    if (longer_side(e.kernel) > fft_tile) return std::nullopt;
    const double copies = padded_side > fft_tile ? 2.0 : 1.0;
    return e.groups * transform_bytes(fft_tile) * (kernels + copies * (in + out));
  }
  if (padded_side > largest_fft) return std::nullopt;
  const double side = std::max(smallest_fft, std::exp2(std::ceil(std::log2(padded_side))));
  double most = std::max(in + kernels, out);
  double read = sum_bytes * e.kernel * kernels;
  if (shape.pass == "data_gradient") {
    most = std::max(out + kernels, in);
    read = 0.0;
  } else if (shape.pass == "weight_gradient") {
    most = std::max(in + out, kernels);
    read = sum_bytes * out * e.out_pixels;
  }
  return e.groups * (2.0 * transform_bytes(side) * most + read);
}

std::optional<double> winograd_bytes(const Extents& e) {
  constexpr double elements_3x3 = 9.0;
  constexpr double elements_5x5 = 25.0;
  if (e.kernel != elements_3x3 && e.kernel != elements_5x5) return std::nullopt;
  const double results = e.kernel == elements_3x3 ? 4.0 : 9.0;
  const double tile = results + longer_side(e.kernel) - 1.0;
  const double along = std::ceil(std::round(std::sqrt(e.out_pixels)) / results);
  return e.element * e.groups * tile * tile *
         (e.images * along * along * (e.in_channels + e.out_channels) +
          e.in_channels * e.out_channels);
}

}  // namespace

double bytes_of_copies(const OpShape& shape, Copies copies, ChannelPadding padding) {
  if (copies == Copies::none) return 0.0;
  const Extents e = extents_of(shape);
  const double in_channels = padded(e.in_channels, padding, e.element);
  const double out_channels = padded(e.out_channels, padding, e.element);
  const double x = e.images * e.in_pixels * in_channels;
  const double y = e.images * e.out_pixels * out_channels;
  const double w = in_channels * out_channels * e.kernel;
  double elements = x + y;
  if (copies == Copies::all) elements = x + w + y;
  if (copies == Copies::operands && shape.pass == "forward") elements = x + w;
  if (copies == Copies::operands && shape.pass == "data_gradient") elements = y + w;
  return e.element * e.groups * elements;
}

std::optional<double> bytes_of_transform(const OpShape& shape, Transform transform) {
  const Extents e = extents_of(shape);
  const bool plain = shape.op.starts_with("conv2d") && shape.sizes[6] == 1.0;
  switch (transform) {
    case Transform::none:
      return 0.0;
    case Transform::winograd:
      return plain ? winograd_bytes(e) : std::nullopt;
    case Transform::fft:
    case Transform::tiled_fft:
      return plain ? fft_bytes(e, shape, transform == Transform::tiled_fft) : std::nullopt;
    case Transform::image_sums:
      if (shape.pass != "weight_gradient") return std::nullopt;
      return sum_bytes * e.images * e.groups * e.in_channels * e.out_channels * e.kernel;
  }
  return std::nullopt;
}

}  // namespace rooflab::predict
