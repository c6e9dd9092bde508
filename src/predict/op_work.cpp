// Sizes of an op by name, and the work that follows from them: what the direct algorithm
// multiplies, and each operand and result moved once. Curves and limits of single ops stand on
// these, for measured ops and predicted ones alike.

#include <algorithm>
#include <array>
#include <cmath>

#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {
namespace {

constexpr std::array<std::string_view, 7> convolution_columns = {
    "batch", "pixels", "in_channels", "out_channels", "groups", "kernel", "stride"};
constexpr std::array<std::string_view, 3> linear_columns = {"rows", "in_features", "out_features"};
constexpr std::array<std::string_view, 4> matmul_columns = {"batch", "rows", "inner", "columns"};
constexpr std::array<std::string_view, 4> attention_columns = {"heads", "queries", "keys", "depth"};
constexpr std::array<std::string_view, 5> grouped_attention_columns = {"heads", "group", "queries",
                                                                       "keys", "depth"};
constexpr std::array<std::string_view, 4> grouped_matmul_columns = {"groups", "rows", "inner",
                                                                    "columns"};
constexpr std::array<std::string_view, 4> module_columns = {"batch", "length", "heads", "depth"};
constexpr std::array<std::string_view, 6> recurrent_columns = {"batch",  "steps",  "input",
                                                               "hidden", "layers", "directions"};
constexpr std::array<std::string_view, 3> channel_norm_columns = {"batch", "channels", "pixels"};
constexpr std::array<std::string_view, 2> row_columns = {"rows", "width"};
constexpr std::array<std::string_view, 4> pool_columns = {"planes", "pixels", "window", "stride"};
constexpr std::array<std::string_view, 3> reduce_columns = {"outer", "kept", "inner"};
constexpr std::array<std::string_view, 2> strided_copy_columns = {"elements", "run"};
constexpr std::array<std::string_view, 3> expanded_copy_columns = {"elements", "copies", "run"};
constexpr std::array<std::string_view, 3> gather_columns = {"rows", "width", "table_rows"};
constexpr std::array<std::string_view, 2> concat_columns = {"elements", "parts"};
constexpr std::array<std::string_view, 2> optimizer_columns = {"elements", "tensors"};
constexpr std::array<std::string_view, 1> elementwise_columns = {"elements"};

// Sizes that decide how rows of memory are aligned, as places in the columns above.
constexpr std::array<std::size_t, 3> nchw_alignment = {1, 2, 3};  // rows of pixels, channels
constexpr std::array<std::size_t, 2> nhwc_alignment = {2, 3};     // pixels are rows of channels
constexpr std::array<std::size_t, 2> linear_alignment = {1, 2};
constexpr std::array<std::size_t, 3> matmul_alignment = {1, 2, 3};  // rows, where it is transposed
constexpr std::array<std::size_t, 2> attention_alignment = {2, 3};
constexpr std::array<std::size_t, 2> grouped_attention_alignment = {3, 4};
constexpr std::array<std::size_t, 2> grouped_matmul_alignment = {2, 3};
constexpr std::array<std::size_t, 2> module_alignment = {1, 3};
constexpr std::array<std::size_t, 2> recurrent_alignment = {2, 3};
constexpr std::array<std::size_t, 1> row_alignment = {1};

// Sizes that kernels of products cut into tiles.
constexpr std::array<std::size_t, 2> convolution_tiles = {2, 3};
constexpr std::array<std::size_t, 2> linear_tiles = {1, 2};
constexpr std::array<std::size_t, 3> matmul_tiles = {1, 2, 3};
constexpr std::array<std::size_t, 2> attention_tiles = {1, 2};

constexpr double loaded_bytes = 16.0;  ///< what a thread reads at once
constexpr double product_tile = 64.0;  ///< kernels of products cut sizes into these
constexpr double attention_tile = 128.0;

/// Work along rows that does not depend on where in memory they begin.
bool works_on_rows(std::string_view op) { return op == "sort" || op == "topk" || op == "cumsum"; }

}  // namespace

std::span<const std::string_view> columns_of(std::string_view op) {
  if (op.starts_with("conv")) return convolution_columns;
  if (op == "linear") return linear_columns;
  if (op == "matmul") return matmul_columns;
  if (op == "grouped_matmul") return grouped_matmul_columns;
  if (op == "attention_module") return module_columns;
  if (names_group(op)) return grouped_attention_columns;
  if (op.starts_with("attention")) return attention_columns;
  if (is_recurrent(op)) return recurrent_columns;
  if (op.starts_with("batch_norm")) return channel_norm_columns;
  if (op.ends_with("_norm") || op.ends_with("softmax") || works_on_rows(op)) return row_columns;
  if (op.ends_with("_pool")) return pool_columns;
  if (op == "sum") return reduce_columns;
  if (op == "copy_strided") return strided_copy_columns;
  if (op == "copy_expanded") return expanded_copy_columns;
  if (op == "gather") return gather_columns;
  if (op == "concat") return concat_columns;
  if (op.starts_with("optimizer_")) return optimizer_columns;
  return elementwise_columns;
}

std::span<const std::size_t> aligned_columns_of(const OpShape& kind) {
  if (kind.op.starts_with("conv")) {
    if (kind.layout == "nhwc") return nhwc_alignment;
    return nchw_alignment;
  }
  if (kind.op == "linear") return linear_alignment;
  if (kind.op == "matmul") return matmul_alignment;
  if (kind.op == "grouped_matmul") return grouped_matmul_alignment;
  if (kind.op == "attention_module") return module_alignment;
  if (names_group(kind.op)) return grouped_attention_alignment;
  if (kind.op.starts_with("attention")) return attention_alignment;
  if (is_recurrent(kind.op)) return recurrent_alignment;
  if (kind.op.ends_with("_norm") || kind.op.ends_with("softmax")) return row_alignment;
  return {};
}

double misalignment(double size, std::string_view type) {
  const double whole = std::max(loaded_bytes / element_bytes(type), 1.0);
  double step = 1.0;
  while (step < whole && std::fmod(size, 2.0 * step) == 0.0) step *= 2.0;
  return std::log2(whole / step);
}

std::span<const std::size_t> padded_columns_of(const OpShape& kind) {
  if (kind.op == "conv2d_depthwise") return {};  // one channel a group: nothing to cut
  if (kind.op.starts_with("conv")) return convolution_tiles;
  if (kind.op == "linear") return linear_tiles;
  if (kind.op == "matmul") return matmul_tiles;
  if (kind.op == "attention_module" || names_group(kind.op)) return {};
  if (kind.op.starts_with("attention")) return attention_tiles;
  return {};
}

double tile_of(const OpShape& kind) {
  return kind.op.starts_with("attention") ? attention_tile : product_tile;
}

double padding(double size, double tile) { return std::log2(std::ceil(size / tile) * tile / size); }

std::vector<bool> told_features(const OpShape& kind, std::span<const device::OpRow> rows) {
  constexpr std::ptrdiff_t witnesses = 3;
  const std::span<const std::size_t> aligned = aligned_columns_of(kind);
  std::vector<bool> told(feature_count(kind));
  for (std::size_t j = 0; j < told.size(); ++j) {
    const bool aligns = j < aligned.size();
    const std::size_t column = aligns ? aligned[j] : padded_columns_of(kind)[j - aligned.size()];
    const double whole = aligns ? loaded_bytes / element_bytes(kind.type) : tile_of(kind);
    told[j] = std::ranges::count_if(rows, [&](const device::OpRow& row) {
                return row.sizes[column] > whole && feature(kind, row.sizes, j) > 0.0;
              }) >= witnesses;
  }
  return told;
}

std::vector<double> whole_vectors(const OpShape& kind, std::span<const double> sizes) {
  std::vector<double> whole(sizes.begin(), sizes.end());
  const double numbers = std::max(loaded_bytes / element_bytes(kind.type), 1.0);
  for (const std::size_t column : aligned_columns_of(kind)) {
    if (whole[column] >= numbers) whole[column] = std::floor(whole[column] / numbers) * numbers;
  }
  return whole;
}

double feature(const OpShape& kind, std::span<const double> sizes, std::size_t j) {
  const std::span<const std::size_t> aligned = aligned_columns_of(kind);
  if (j < aligned.size()) return misalignment(sizes[aligned[j]], kind.type);
  return padding(sizes[padded_columns_of(kind)[j - aligned.size()]], tile_of(kind));
}

std::size_t feature_count(const OpShape& kind) {
  return aligned_columns_of(kind).size() + padded_columns_of(kind).size();
}

bool is_feature_count(const OpShape& kind, std::size_t count) {
  return count == 0 || count == aligned_columns_of(kind).size() || count == feature_count(kind);
}

bool is_product(std::string_view op) {
  return op.starts_with("conv") || op == "linear" || op == "matmul" || op == "grouped_matmul" ||
         op.starts_with("attention") || is_recurrent(op);
}

bool names_group(std::string_view op) {
  return op.starts_with("attention") &&
         (op.starts_with("attention_decode") || op.ends_with("_grouped"));
}

bool is_recurrent(std::string_view op) { return op == "lstm" || op == "gru" || op == "rnn"; }

double gates_of(std::string_view recurrent_op) {
  return recurrent_op == "lstm" ? 4.0 : recurrent_op == "gru" ? 3.0 : 1.0;
}

double element_bytes(std::string_view type) {
  if (type == "fp64" || type == "f64" || type == "i64") return 8.0;
  if (type == "bf16" || type == "fp16" || type == "f16") return 2.0;
  if (type == "bool" || type == "u8" || type == "i8" || type == "fp8" || type == "int8") {
    return 1.0;
  }
  return 4.0;
}

namespace {

/// How often a norm by channels reads or writes its data: all times, and those that are the first.
struct NormPasses {
  double all;
  double first;
};
NormPasses norm_passes(const OpShape& shape) {
  if (shape.op == "batch_norm_eval") return {2.0, 2.0};
  return shape.pass == "backward" ? NormPasses{5.0, 3.0} : NormPasses{3.0, 2.0};
}

}  // namespace

OpWork work_of(const OpShape& shape) {
  const std::vector<double>& s = shape.sizes;
  const double bytes = element_bytes(shape.type);
  const std::string& op = shape.op;
  const bool backward = shape.pass == "backward";
  if (op.starts_with("conv")) {
    const double pixels = s[0] * s[1];
    const double weights = s[2] * s[3] * s[4] * s[5];
    // `pixels` are those of the smaller image: the result, or a transposed convolution's operand.
    const bool transposed = op.starts_with("conv_transpose");
    const double in = pixels * (transposed ? 1.0 : s[6]) * s[2];
    const double out = pixels * (transposed ? s[6] : 1.0) * s[3];
    return {2.0 * pixels * weights, bytes * ((in + out) * s[4] + weights), pixels};
  }
  if (op == "linear") {
    return {2.0 * s[0] * s[1] * s[2], bytes * (s[0] * s[1] + s[1] * s[2] + s[0] * s[2]), s[0]};
  }
  if (op == "matmul") {
    return {2.0 * s[0] * s[1] * s[2] * s[3],
            bytes * s[0] * (s[1] * s[2] + s[2] * s[3] + s[1] * s[3]), s[0] * s[1]};
  }
  if (op == "attention_module") {
    const double width = s[2] * s[3];
    const double tokens = s[0] * s[1];
    return {2.0 * tokens * width * (4.0 * width + 2.0 * s[1]),
            bytes * (tokens * 9.0 * width + 4.0 * width * width), tokens};
  }
  if (op == "grouped_matmul") {
    return {2.0 * s[1] * s[2] * s[3], bytes * (s[1] * (s[2] + s[3]) + s[0] * s[2] * s[3]), s[1]};
  }
  if (names_group(op)) {
    // Keys and values are read once for all heads of a group.
    const double once = 2.0 * s[0] * (s[2] + s[3] / s[1]) * s[4];
    return {(backward ? 10.0 : 4.0) * s[0] * s[2] * s[3] * s[4],
            (backward ? 2.0 : 1.0) * bytes * once, s[0] * s[2]};
  }
  if (op.starts_with("attention")) {
    // Forward Q K^T and A V; backward makes the scores again: five products.
    return {(backward ? 10.0 : 4.0) * s[0] * s[1] * s[2] * s[3],
            (backward ? 2.0 : 1.0) * bytes * s[0] * 2.0 * (s[1] + s[2]) * s[3], s[0] * s[1]};
  }
  if (is_recurrent(op)) {
    const double gates = gates_of(op);
    const double width = s[3] * s[5];
    const double weights = gates * width * (s[2] + (s[4] - 1.0) * width + s[4] * s[3]);
    // Gradients pass the gates of all units between them.
    const double each = s[2] + s[4] * width * (shape.pass == "forward" ? 1.0 : 1.0 + gates);
    return {2.0 * s[0] * s[1] * weights, bytes * (s[0] * s[1] * each + weights), s[0]};
  }
  if (op.starts_with("batch_norm")) {
    return {0.0, norm_passes(shape).all * bytes * s[0] * s[1] * s[2], s[1]};
  }
  if (op.ends_with("_norm") || op.ends_with("softmax") || works_on_rows(op)) {
    return {0.0, (backward ? 3.0 : 2.0) * bytes * s[0] * s[1], s[0]};
  }
  if (op.ends_with("_pool")) {
    const double out = s[0] * s[1];
    const double indices = op == "max_pool" ? 8.0 : 0.0;
    return {0.0, out * (bytes * (s[3] + 1.0) + indices), out};
  }
  if (op == "sum") return {0.0, bytes * s[0] * s[1] * s[2], s[1]};
  if (op == "gather") {
    // The gradient fills a whole table with zeros and adds to its rows.
    return {0.0, bytes * s[1] * (2.0 * s[0] + (backward ? s[0] + s[2] : 0.0)), s[0]};
  }
  if (op == "copy_expanded") return {0.0, bytes * s[0] * (1.0 + 1.0 / s[1]), 0.0};
  if (op.starts_with("optimizer_")) return {0.0, 4.0 * bytes * s[0], s[1]};
  const double tensors = op == "fill" || op == "random" ? 1.0 : 2.0;
  return {0.0, tensors * bytes * s[0], 0.0};
}

double least_bytes(const OpShape& shape) {
  const std::vector<double>& s = shape.sizes;
  const double bytes = element_bytes(shape.type);
  if (shape.op.starts_with("scatter") || shape.op == "gather_elements" || shape.op == "resize") {
    return 0.0;
  }
  if (shape.op == "gather") {
    return bytes * s[1] * (shape.pass == "backward" ? s[2] : s[0]);
  }
  if (constexpr std::string_view cast = "cast_"; shape.op.starts_with(cast)) {
    std::string_view to = std::string_view(shape.op).substr(cast.size());
    to = to.substr(0, to.find('_'));
    return s[0] * (bytes + element_bytes(to));
  }
  OpShape met = shape;
  if (shape.op.starts_with("conv")) met.sizes[6] = std::min(s[6], s[5]);
  if (shape.op.ends_with("_pool")) met.sizes[3] = std::min(s[3], s[2]);
  return work_of(met).bytes;
}

double compulsory_share(const OpShape& shape) {
  if (!shape.op.starts_with("batch_norm")) return 1.0;
  const NormPasses passes = norm_passes(shape);
  return passes.first / passes.all;
}

}  // namespace rooflab::predict
