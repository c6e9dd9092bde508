// Work that a library does beyond the direct algorithm because its kernels compute whole tiles.
//
// A kernel for matrix products (and for convolutions, as implicit GEMM) gives each thread block a
// tile of a x b results and walks along the sum in steps of c. What hangs over the edge is computed
// with zeros, and the tensor cores count it:
//
//     executed = 2 * products * ceil(rows / a) a * ceil(columns / b) b * sum'
//
// where sum' is channels x taps, channels or the whole rounded up to a multiple of c; with the sum
// split over z blocks (split-K) every part is rounded up by itself. The tile is in the kernel's
// name, z is the grid's last extent. On an H200 this gives to the last digit what the counters say
// of ResNet-18's convolutions in TF32, batch 1: 28 x 28 pixels in tiles of 64 x 32 make 832 rows of
// 784, 231.2 MFLOP become 245.4; 14 x 14 make 256 of 196, 302.0 MFLOP.
//
// Where the name has no tile, one extent alone rounded up to a power of two is tried: with more
// than one free choice, something would always fit.

#include "tile_padding.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "base/format.hpp"

namespace rooflab::analyze {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return multiple <= 1 ? value : (value + multiple - 1) / multiple * multiple;
}

std::int64_t product(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<ProductExtents> convolution_products(const graph::Graph& network,
                                                 const graph::Node& node, const graph::Conv& conv) {
  if (conv.transposed || node.inputs.size() < 2 || node.outputs.empty()) return {};
  const graph::Shape& x = network.type(node.inputs[0]).shape;
  const graph::Shape& y = network.type(node.outputs[0]).shape;
  if (x.rank() < 3 || y.rank() != x.rank() || conv.groups < 1) return {};
  const std::int64_t in = x[1] / conv.groups;
  const std::int64_t out = y[1] / conv.groups;
  const std::int64_t taps = product(conv.kernel);
  const std::int64_t pixels = y[0] * product(std::span(y.dims()).subspan(2));
  std::vector<ProductExtents> all = {{"forward", conv.groups, pixels, out, in, taps},
                                     {"weight gradient", conv.groups, out, in * taps, pixels, 1}};
  const bool strided =
      std::ranges::any_of(conv.stride, [](std::int64_t stride) { return stride != 1; });
  if (!strided) all.push_back({"data gradient", conv.groups, pixels, in, out, taps});
  return all;
}

std::vector<ProductExtents> plain_products(std::int64_t count, std::int64_t rows,
                                           std::int64_t columns, std::int64_t depth) {
  return {{"forward", count, rows, columns, depth, 1},
          {"data gradient", count, rows, depth, columns, 1},
          {"weight gradient", count, columns, depth, rows, 1}};
}

/// The numbers of `12x34x56` or `12, 34, 56` at `at`, which is moved behind them.
std::vector<std::int64_t> numbers_at(std::string_view text, std::size_t& at) {
  std::vector<std::int64_t> numbers;
  const auto digit = [&](std::size_t i) { return i < text.size() && is_digit(text[i]); };
  for (bool more = true; more && digit(at);) {
    std::int64_t number = 0;
    for (; digit(at) && number < 1'000'000; ++at) number = 10 * number + (text[at] - '0');
    numbers.push_back(number);
    const std::size_t next = at + (text.substr(at).starts_with(", ") ? 2 : 1);
    more = digit(next) && (text[at] == 'x' || next == at + 2);
    if (more) at = next;
  }
  return numbers;
}

Tile tile_from(const std::vector<std::int64_t>& numbers) {
  return {numbers[0], numbers[1], numbers.size() > 2 ? numbers[2] : 0};
}

/// What an extent that is summed over can become.
std::set<std::int64_t> summed_extents(const ProductExtents& extents, std::int64_t depth,
                                      std::int64_t parts) {
  const std::int64_t sum = extents.channels * extents.taps;
  std::set<std::int64_t> sums = {sum};
  for (const std::int64_t step :
       std::initializer_list<std::int64_t>{depth, 4, 8, 16, 32, 64, 128}) {
    for (const std::int64_t multiple : {step, step * parts}) {
      sums.insert(round_up(extents.channels, multiple) * extents.taps);
      sums.insert(round_up(sum, multiple));
    }
  }
  return sums;
}

std::string rounded(std::string_view what, std::int64_t from, std::int64_t to) {
  return format("{} {} to {}", what, from, to);
}

}  // namespace

double ProductExtents::flops() const {
  return 2.0 * static_cast<double>(products) * static_cast<double>(rows) *
         static_cast<double>(columns) * static_cast<double>(channels) * static_cast<double>(taps);
}

std::vector<ProductExtents> products_of(const graph::Graph& network, const graph::Node& node) {
  if (const auto* conv = std::get_if<graph::Conv>(&node.op)) {
    return convolution_products(network, node, *conv);
  }
  const bool linear = std::holds_alternative<graph::Linear>(node.op);
  if (!linear && !std::holds_alternative<graph::MatMul>(node.op)) return {};
  const graph::Shape& a = network.type(node.inputs[0]).shape;
  const graph::Shape& y = network.type(node.outputs[0]).shape;
  if (a.rank() < 1 || y.rank() < 1) return {};
  const std::int64_t depth = a.from_end(1);
  const std::int64_t columns = y.from_end(1);
  if (linear)
    return plain_products(1, y.elements() / std::max<std::int64_t>(1, columns), columns, depth);
  if (a.rank() < 2 || y.rank() < 2) return {};
  const std::int64_t rows = y.from_end(2);
  return plain_products(y.elements() / std::max<std::int64_t>(1, rows * columns), rows, columns,
                        depth);
}

std::optional<Tile> tile_of(std::string_view kernel) {
  for (const std::string_view mark : {"tilesize", "GemmShape<"}) {
    std::size_t at = kernel.find(mark);
    if (at == std::string_view::npos) continue;
    at += mark.size();
    const std::vector<std::int64_t> numbers = numbers_at(kernel, at);
    if (numbers.size() >= 2) return tile_from(numbers);
  }
  // Elsewhere the name has one product of two or three numbers that is by far the largest: the
  // other products are the shape of an instruction, stages, clusters.
  std::optional<Tile> best;
  for (std::size_t at = 0; at < kernel.size(); ++at) {
    if (!is_digit(kernel[at])) continue;
    const std::size_t begin = at;
    const std::vector<std::int64_t> numbers = numbers_at(kernel, at);
    const bool pair = numbers.size() == 2 || numbers.size() == 3;
    if (pair && kernel.substr(begin, at - begin).find('x') != std::string_view::npos) {
      const Tile tile = tile_from(numbers);
      const bool plausible = tile[0] >= 8 && tile[1] >= 8 && tile[0] <= 512 && tile[1] <= 512;
      if (plausible && (!best || tile[0] * tile[1] > (*best)[0] * (*best)[1])) best = tile;
    }
  }
  return best;
}

std::optional<std::string> padding_that_gives(double flops, const ProductExtents& extents,
                                              std::string_view kernel, const record::Extent& grid,
                                              double tolerance) {
  const auto fits = [&](const ProductExtents& padded) {
    if (padded.flops() <= 0.0) return false;
    const double excess = flops / padded.flops() - 1.0;
    return excess > -1e-3 && excess < std::max(1e-3, tolerance);
  };
  const std::int64_t sum = extents.channels * extents.taps;
  const bool weights = extents.pass == "weight gradient";
  const std::string_view row_name = weights ? "outputs" : "pixels";
  const std::string_view column_name = weights ? "weights of an output" : "channels";
  if (const std::optional<Tile> tile = tile_of(kernel)) {
    const auto [a, b, depth] = *tile;
    for (const auto& [down, across] : {std::pair{a, b}, std::pair{b, a}}) {
      for (const std::int64_t padded_sum : summed_extents(extents, depth, grid[2])) {
        const ProductExtents padded{extents.pass, extents.products, round_up(extents.rows, down),
                                    round_up(extents.columns, across), padded_sum};
        std::vector<std::string> parts;
        for (const auto& [name, from, to] :
             {std::tuple(row_name, extents.rows, padded.rows),
              std::tuple(column_name, extents.columns, padded.columns),
              std::tuple(std::string_view("terms of a sum"), sum, padded_sum)}) {
          if (from != to) parts.push_back(rounded(name, from, to));
        }
        if (parts.empty() || !fits(padded)) continue;
        return format("tiles of {} x {} round {}", a, b, join(parts, ", "));
      }
    }
  }
  for (const std::int64_t multiple : {4, 8, 16, 32, 64, 128, 256}) {
    for (const auto& [name, extent] :
         {std::pair(row_name, &ProductExtents::rows),
          std::pair(column_name, &ProductExtents::columns),
          std::pair(std::string_view(weights ? "pixels" : "input channels"),
                    &ProductExtents::channels)}) {
      ProductExtents padded = extents;
      padded.*extent = round_up(extents.*extent, multiple);
      if (padded.*extent == extents.*extent || !fits(padded)) continue;
      return "fits " + rounded(name, extents.*extent, padded.*extent);
    }
  }
  return std::nullopt;
}

}  // namespace rooflab::analyze
