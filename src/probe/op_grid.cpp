// The grid of single ops.
//
// Shapes are drawn, with a fixed seed, from what networks have in common and not from any of them:
// images of 7 to 224 pixels a side, channels that double as sides halve, times a factor; kernels
// mostly 3x3 and 1x1; batches of 1 to 256. Products, attention, norms and elementwise ops likewise
// from ranges. Separate families hold what libraries treat differently: sizes that are not
// multiples of 8, images off the usual sides, channels last, wide groups, long and masked
// attention, the steps by which language models generate. Every family is a list; the lists are
// merged so that each first part of the grid holds the same share of every family.

#include "op_grid.hpp"

#include <algorithm>
#include <cmath>

#include "grid.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::probe {

using engine::ProbeItem;
using engine::ProbeKind;
using graph::GraphBuilder;
using graph::ValueId;

// A family's number seeds its draws: shapes stay the same when another family is added.
const std::array<Grid::Family, 69> Grid::families = {{
    {1, 900, &Grid::dense_convolution},
    {2, 130, &Grid::stem},
    {3, 230, &Grid::depthwise_convolution},
    {4, 150, &Grid::grouped_convolution},
    {5, 260, &Grid::linear},
    {6, 70, &Grid::matmul},
    {7, 90, &Grid::attention},
    {8, 50, &Grid::attention_module},
    {9, 16, &Grid::movement},
    {10, 150, &Grid::batch_norm},
    {11, 60, &Grid::rows},
    {12, 100, &Grid::pool},
    {13, 40, &Grid::adaptive_pool},
    {14, 120, &Grid::sum},
    {15, 16, &Grid::elementwise},
    {16, 30, &Grid::broadcast},
    {17, 40, &Grid::strided_copy},
    {18, 90, &Grid::concat},
    {19, 70, &Grid::optimizer},
    {20, 30, &Grid::lattice_convolution},
    {21, 260, &Grid::other_side_convolution},
    {22, 110, &Grid::unaligned_convolution},
    {23, 180, &Grid::channels_last_convolution},
    {24, 200, &Grid::wide_group_convolution},
    {25, 108, &Grid::square_convolution},
    {26, 40, &Grid::transposed_convolution},
    {27, 40, &Grid::sequence_convolution},
    {28, 40, &Grid::video_convolution},
    {29, 90, &Grid::unaligned_linear},
    {30, 90, &Grid::language_attention},
    {31, 40, &Grid::embedding},
    {32, 20, &Grid::scatter},
    {33, 24, &Grid::resize},
    {34, 50, &Grid::wide_rows},
    {35, 50, &Grid::group_norm},
    {36, 40, &Grid::average_pool},
    {37, 12, &Grid::other_elementwise},
    {38, 80, &Grid::permuted_copy},
    {39, 60, &Grid::unaligned_matmul},
    {40, 18, &Grid::channels_last_lattice_convolution},
    {41, 30, &Grid::other_side_lattice_convolution},
    {42, 40, &Grid::recurrent},
    {43, 200, &Grid::decode_attention},
    {44, 60, &Grid::masked_decode_attention},
    {45, 90, &Grid::prompt_attention},
    {46, 60, &Grid::cross_attention},
    {47, 220, &Grid::few_row_linear},
    {48, 100, &Grid::wide_linear},
    {49, 40, &Grid::narrow_linear},
    {50, 50, &Grid::large_matmul},
    {51, 40, &Grid::grouped_product},
    {52, 80, &Grid::fp8_linear},
    {53, 16, &Grid::copy_and_fill},
    {54, 30, &Grid::selection},
    {55, 60, &Grid::wide_norm},
    {56, 30, &Grid::vocabulary_loss},
    {57, 24, &Grid::large_embedding},
    {58, 60, &Grid::wide_sum},
    {59, 12, &Grid::rare_elementwise},
    {60, 40, &Grid::row_broadcast},
    {61, 30, &Grid::channels_last_batch_norm},
    {62, 40, &Grid::append},
    {63, 24, &Grid::half_optimizer},
    {64, 60, &Grid::generator_convolution},
    {65, 40, &Grid::long_sequence_convolution},
    {66, 30, &Grid::volume},
    {67, 30, &Grid::expanded_copy},
    {68, 40, &Grid::uneven_attention},
    {69, 90, &Grid::uneven_linear},
}};

std::vector<ProbeItem> Grid::items() {
  for (const Family& each : families) family(each);
  std::ranges::stable_sort(placed_, {}, &Placed::place);
  std::vector<ProbeItem> all;
  for (Placed& one : placed_) all.push_back(std::move(one.item));
  return all;
}

void Grid::family(const Family& of) {
  constexpr std::uint64_t seed = 20090401;
  const int shapes = options_.quick ? std::max(5, of.count / 12) : of.count;
  Draw draw(seed + 1000 * of.number);
  for (int i = 0; i < shapes; ++i) {
    place_ = (i + 0.5) / shapes;
    (this->*of.draw_one)(draw);
    ++index_;
  }
  index_ = 0;
}

std::vector<Type> Grid::matrix_types() const {
  std::vector<Type> types = matrix_types_;
  if (any_half_ && index_ % 2 == 0) types.push_back({DType::f16, Precision::fp32});
  return types;
}

std::vector<DType> Grid::data_types() const {
  std::vector<DType> types = data_types_;
  if (any_half_ && index_ % 3 == 0) types.push_back(DType::f16);
  return types;
}

void Grid::add(GraphBuilder&& builder, ValueId output, Precision precision, bool channels_last,
               bool gradients) {
  placed_.push_back({place_,
                     {ProbeKind::op,
                      graph::to_text(std::move(builder).finish({output})),
                      precision,
                      channels_last,
                      gradients,
                      {}}});
}

std::int64_t Grid::batch(Draw& d) const {
  const std::int64_t n = d.of<std::int64_t>({1, 1, 4, 8, 16, 32, 32, 64, 64, 128, 256, 256});
  return std::min<std::int64_t>(n, options_.image_batch);
}

std::int64_t Grid::any_batch(Draw& d, double doublings) const {
  const auto n = static_cast<std::int64_t>(std::exp2(doublings * d.uniform()));
  return std::min<std::int64_t>(n, options_.image_batch);
}

Grid::Image Grid::image(Draw& d) {
  const auto side = d.of<std::int64_t>(
      {7, 7, 7, 8, 13, 14, 14, 14, 14, 17, 28, 28, 28, 28, 35, 56, 56, 56, 27, 112, 112, 224});
  const double typical = 64.0 * 56.0 / static_cast<double>(std::clamp<std::int64_t>(side, 7, 112));
  const double factor = d.of<double>({0.25, 0.5, 0.5, 0.75, 1.0, 1.0, 1.0, 1.5, 2.0, 2.0, 4.0});
  const std::int64_t step = d.of<std::int64_t>({8, 16, 32, 32, 64});
  const auto exact = static_cast<std::int64_t>(typical * factor);
  return {side, std::max<std::int64_t>(step, exact / step * step)};
}

std::vector<ProbeItem> op_grid(const GridOptions& options) { return Grid(options).items(); }

}  // namespace rooflab::probe
