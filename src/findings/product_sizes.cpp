// Sizes of matrix work that tensor cores do not like: channel_padding, unaligned_size.
//
//   predicted, measured   for work on tensor cores. A row of operands has to begin at a multiple of
//           16 bytes: 4 elements of TF32, 8 of 16 bits. The terms of a convolution are
//           MACs / elements of its output = channels of a group * taps: if they are not such a
//           multiple, the channels are not either. The sizes of a linear layer are its features,
//           out and in. Worth: what these layers take above their limits, which have no padding.
//           Only the layer that takes the images can be padded by itself.
//
// Depthwise convolutions (1, 9, 25 or 49 terms behind the first convolution) do not use tensor
// cores and are left out. Source: NVIDIA, "Matrix Multiplication Background User's Guide", tensor
// core requirements; "Convolutional Layers User's Guide", channels in and out. When it is wrong:
// cuDNN and cuBLAS pad by themselves since 2020, so that the time is lower than the worth says.

#include <algorithm>
#include <array>
#include <vector>

#include "rules.hpp"

namespace rooflab::findings {
namespace {

/// Elements that sizes have to be a multiple of; nullopt: the matrix work is not on tensor cores.
std::optional<std::int64_t> multiple_of(const NetworkFacts& network) {
  const auto path = network.result.limit.main_path;
  if (!path || !is_matrix_unit(*path)) return std::nullopt;
  switch (*path) {
    case ArithmeticPath::tf32_tensor:
      return 4;
    case ArithmeticPath::fp16_tensor_fp32:
    case ArithmeticPath::fp16_tensor_fp16:
    case ArithmeticPath::bf16_tensor_fp32:
      return 8;
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> terms_of(const analyze::LayerRow& row) {
  if (!row.output_shape || row.macs.value() == 0) return std::nullopt;
  const std::int64_t outputs = row.output_shape->elements();
  return outputs > 0 ? std::optional(row.macs.value() / outputs) : std::nullopt;
}

bool may_be_depthwise(std::int64_t terms) {
  constexpr std::array<std::int64_t, 4> squares = {1, 9, 25, 49};
  return std::ranges::find(squares, terms) != squares.end();
}

/// Layers with one thing in common.
struct Layers {
  std::vector<const analyze::LayerRow*> rows;
  std::int64_t size = 0;  ///< the first one's
  double time_s = 0.0;

  void add(const NetworkFacts& network, const analyze::LayerRow& row, std::int64_t its_size) {
    if (rows.empty()) size = its_size;
    rows.push_back(&row);
    time_s += network.row_s(row);
  }
  void add_finding(FindingKind kind, const NetworkFacts& network, std::int64_t multiple,
                   const std::string& attempt, FindingList& found) const {
    const double share = time_s / network.step_s;
    if (rows.empty() || share < row_of(kind).least) return;
    double worth_s = 0.0;
    for (const analyze::LayerRow* row : rows) {
      worth_s += network.take(*row, network.above_limit_s(*row));
    }
    Finding& finding = found.add(kind, {rows.size(), rows.front()->name, size, multiple, share},
                                 network.above_ideal_s(worth_s), attempt);
    finding.command_line = network.result.command;
    finding.names_module = kind == FindingKind::channel_padding;
  }
};

/// Pads the images and the layer that takes them. Other layers take what the layer before makes.
std::string padded_layer(const NetworkFacts& network, const analyze::LayerRow& row,
                         std::int64_t multiple) {
  const std::string module = network.module_of(row);
  if (module.empty()) return {};
  return text_of(TryLine::pad_channels, {module, std::to_string(multiple)});
}

}  // namespace

void add_channel_padding(const NetworkFacts& network, FindingList& found) {
  const std::optional<std::int64_t> multiple = multiple_of(network);
  if (!multiple) return;
  Layers padded;
  std::string attempt;
  bool first = true;
  for (const analyze::LayerRow& row : network.result.layers) {
    if (row.op != "conv2d") continue;
    const std::optional<std::int64_t> terms = terms_of(row);
    const bool is_depthwise = !first && terms && may_be_depthwise(*terms);
    if (terms && !is_depthwise && *terms % *multiple != 0) {
      if (first) attempt = padded_layer(network, row, *multiple);
      padded.add(network, row, *terms);
    }
    first = false;
  }
  padded.add_finding(FindingKind::channel_padding, network, *multiple, attempt, found);
}

void add_unaligned_size(const NetworkFacts& network, FindingList& found) {
  const std::optional<std::int64_t> multiple = multiple_of(network);
  if (!multiple) return;
  Layers unaligned;
  std::string attempt;
  for (const analyze::LayerRow& row : network.result.layers) {
    const std::optional<std::int64_t> terms = terms_of(row);
    if (row.op != "linear" || !terms || row.output_shape->rank() < 1) continue;
    const std::int64_t features = row.output_shape->from_end(1);
    for (const std::int64_t size : {features, *terms}) {
      if (size % *multiple == 0) continue;
      // What goes into a layer is what another one makes.
      if (unaligned.rows.empty() && size == features) attempt = text_of(TryLine::pad_classes);
      unaligned.add(network, row, size);
      break;
    }
  }
  unaligned.add_finding(FindingKind::unaligned_size, network, *multiple, attempt, found);
}

}  // namespace rooflab::findings
