// The grid of single ops.
//
// Shapes are drawn, with a fixed seed, from what networks have in common and not from any of them:
// images of 7 to 224 pixels a side, channels that double as sides halve, times a factor; kernels
// mostly 3x3 and 1x1; batches of 1 to 256. Products, attention, norms and elementwise ops likewise
// from ranges. Every family is a list; the lists are merged so that each first part of the grid
// holds the same share of every family.

#include "op_grid.hpp"

#include <algorithm>

#include "grid.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::probe {

using engine::ProbeItem;
using engine::ProbeKind;
using graph::GraphBuilder;
using graph::ValueId;

std::vector<ProbeItem> Grid::items() {
  // A family's number seeds its draws: shapes stay the same when another family is added.
  family(1, 900, &Grid::dense_convolution);
  family(2, 130, &Grid::stem);
  family(3, 230, &Grid::depthwise_convolution);
  family(4, 150, &Grid::grouped_convolution);
  family(5, 260, &Grid::linear);
  family(6, 70, &Grid::matmul);
  family(7, 90, &Grid::attention);
  family(8, 50, &Grid::attention_module);
  family(9, 16, &Grid::movement);
  family(10, 150, &Grid::batch_norm);
  family(11, 60, &Grid::rows);
  family(12, 70, &Grid::pool);
  family(13, 25, &Grid::adaptive_pool);
  family(14, 70, &Grid::sum);
  family(15, 16, &Grid::elementwise);
  family(16, 30, &Grid::broadcast);
  family(17, 40, &Grid::strided_copy);
  family(18, 30, &Grid::concat);
  family(19, 30, &Grid::optimizer);
  family(20, 30, &Grid::lattice_convolution);
  std::ranges::stable_sort(placed_, {}, &Placed::place);
  std::vector<ProbeItem> all;
  for (Placed& one : placed_) all.push_back(std::move(one.item));
  return all;
}

void Grid::family(std::uint64_t number, int count, void (Grid::*draw_one)(Draw&)) {
  constexpr std::uint64_t seed = 20090401;
  const int shapes = options_.quick ? std::max(5, count / 12) : count;
  Draw draw(seed + 1000 * number);
  for (int i = 0; i < shapes; ++i) {
    place_ = (i + 0.5) / shapes;
    (this->*draw_one)(draw);
    ++index_;
  }
  index_ = 0;
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
