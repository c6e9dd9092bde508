// Ops that the graph's closed set lacks, each a row: FLOPs, and the kind of a calibration that
// moves bytes as the op does.
//
// `flops` counts for each element of the largest tensor that the op reads or writes, by the op's
// definition in PyTorch's documentation: one addition, multiplication, comparison or elementary
// function is one. Sorting n numbers takes n log2(n) comparisons; a Fourier transform of n complex
// numbers 5 n log2(n), of real ones half of that (Frigo and Johnson, "The Design and Implementation
// of FFTW3", Proc. IEEE 93(2), 2005, section V).

#include <algorithm>
#include <array>
#include <cmath>

#include "rooflab/describe/figure.hpp"
#include "rules.hpp"

namespace rooflab::recording {
namespace {

using graph::OpClass;

/// What multiplies the FLOPs of an element.
enum class Grows : std::uint8_t { not_at_all, by_sorting, by_transform };

struct PlainRow {
  std::string_view name;
  std::int64_t flops;  ///< for each element
  std::string_view like = "copy";
  OpClass op_class = OpClass::elementwise;
  bool host_reads = false;
  Grows grows = Grows::not_at_all;
};

// clang-format off
constexpr std::array plain_ops = {
    // arithmetic
    PlainRow{"addcmul", 3}, PlainRow{"addcdiv", 3}, PlainRow{"lerp", 3}, PlainRow{"hypot", 4},
    PlainRow{"addr", 2}, PlainRow{"ger", 1}, PlainRow{"cross", 3}, PlainRow{"linalg_cross", 3},
    PlainRow{"nan_to_num", 1}, PlainRow{"lgamma", 1}, PlainRow{"digamma", 1}, PlainRow{"erfinv", 1},
    PlainRow{"logaddexp", 5}, PlainRow{"logaddexp2", 5}, PlainRow{"xlogy", 2}, PlainRow{"sinc", 3},
    PlainRow{"frac", 1}, PlainRow{"heaviside", 1}, PlainRow{"copysign", 1}, PlainRow{"logit", 3},
    PlainRow{"angle", 1}, PlainRow{"polar", 2}, PlainRow{"complex", 0}, PlainRow{"_conj_physical", 1},
    PlainRow{"conj_physical", 1}, PlainRow{"asinh", 1}, PlainRow{"acosh", 1}, PlainRow{"atanh", 1},
    PlainRow{"signbit", 0}, PlainRow{"isfinite", 0}, PlainRow{"isposinf", 0}, PlainRow{"isneginf", 0},
    PlainRow{"isin", 1}, PlainRow{"bucketize", 1}, PlainRow{"searchsorted", 1},
    PlainRow{"special_entr", 2}, PlainRow{"special_ndtr", 4}, PlainRow{"special_log_ndtr", 5},
    // masks
    PlainRow{"masked_fill", 0}, PlainRow{"masked_scatter", 0}, PlainRow{"masked_fill_scalar", 0},
    // activations with separate forms
    PlainRow{"glu", 5, "copy", OpClass::activation},
    PlainRow{"glu_backward", 8, "copy", OpClass::activation},
    PlainRow{"log_sigmoid_forward", 4, "copy", OpClass::activation},
    PlainRow{"log_sigmoid_backward", 4, "copy", OpClass::activation},
    PlainRow{"softshrink", 2, "copy", OpClass::activation},
    PlainRow{"softshrink_backward", 1, "copy", OpClass::activation},
    PlainRow{"hardshrink", 1, "copy", OpClass::activation},
    PlainRow{"hardshrink_backward", 1, "copy", OpClass::activation},
    PlainRow{"rrelu_with_noise", 2, "copy", OpClass::activation},
    PlainRow{"rrelu_with_noise_backward", 2, "copy", OpClass::activation},
    PlainRow{"_prelu_kernel_backward", 3, "copy", OpClass::activation},
    PlainRow{"prelu_backward", 3, "copy", OpClass::activation},
    // statistics: mean, deviation, square, sum
    PlainRow{"var", 4, "sum", OpClass::pooling}, PlainRow{"std", 4, "sum", OpClass::pooling},
    PlainRow{"var_mean", 4, "sum", OpClass::pooling},
    PlainRow{"std_mean", 4, "sum", OpClass::pooling},
    PlainRow{"aminmax", 2, "sum", OpClass::pooling},
    PlainRow{"_cdist_forward", 3, "sum", OpClass::pooling},
    PlainRow{"_cdist_backward", 4, "copy", OpClass::pooling},
    PlainRow{"_pdist_forward", 3, "sum", OpClass::pooling},
    PlainRow{"renorm", 3, "copy", OpClass::normalisation},
    PlainRow{"_weight_norm_interface", 4, "copy", OpClass::normalisation},
    PlainRow{"_weight_norm_interface_backward", 8, "copy", OpClass::normalisation},
    PlainRow{"batch_norm_stats", 4, "sum", OpClass::normalisation},
    PlainRow{"batch_norm_elemt", 4, "copy", OpClass::normalisation},
    PlainRow{"batch_norm_gather_stats_with_counts", 4, "copy", OpClass::normalisation},
    PlainRow{"batch_norm_backward_reduce", 5, "sum", OpClass::normalisation},
    PlainRow{"batch_norm_backward_elemt", 5, "copy", OpClass::normalisation},
    // losses
    PlainRow{"mse_loss", 3, "copy", OpClass::loss}, PlainRow{"mse_loss_backward", 3, "copy", OpClass::loss},
    PlainRow{"l1_loss", 3, "copy", OpClass::loss},
    PlainRow{"smooth_l1_loss", 5, "copy", OpClass::loss}, PlainRow{"smooth_l1_loss_backward", 4, "copy", OpClass::loss},
    PlainRow{"huber_loss", 5, "copy", OpClass::loss}, PlainRow{"huber_loss_backward", 4, "copy", OpClass::loss},
    PlainRow{"soft_margin_loss", 5, "copy", OpClass::loss}, PlainRow{"soft_margin_loss_backward", 5, "copy", OpClass::loss},
    PlainRow{"binary_cross_entropy", 8, "copy", OpClass::loss}, PlainRow{"binary_cross_entropy_backward", 6, "copy", OpClass::loss},
    PlainRow{"binary_cross_entropy_with_logits", 9, "copy", OpClass::loss},
    PlainRow{"kl_div", 4, "copy", OpClass::loss}, PlainRow{"kl_div_backward", 3, "copy", OpClass::loss},
    PlainRow{"multi_margin_loss", 4, "copy", OpClass::loss}, PlainRow{"multilabel_margin_loss_forward", 4, "copy", OpClass::loss},
    PlainRow{"_ctc_loss", 8, "copy", OpClass::loss}, PlainRow{"_ctc_loss_backward", 8, "copy", OpClass::loss},
    PlainRow{"_cudnn_ctc_loss", 16, "copy", OpClass::loss},
    // movement
    PlainRow{"_pack_padded_sequence", 0, "copy", OpClass::copy}, PlainRow{"_pack_padded_sequence_backward", 0, "copy", OpClass::copy},
    PlainRow{"repeat", 0, "copy", OpClass::copy}, PlainRow{"tile", 0, "copy", OpClass::copy},
    PlainRow{"flip", 0, "copy", OpClass::copy}, PlainRow{"rot90", 0, "copy", OpClass::copy},
    PlainRow{"im2col", 0, "copy", OpClass::copy}, PlainRow{"col2im", 1, "copy", OpClass::copy},
    PlainRow{"unfold_backward", 1, "copy", OpClass::copy},
    PlainRow{"select_backward", 0, "copy", OpClass::copy}, PlainRow{"slice_backward", 0, "copy", OpClass::copy},
    PlainRow{"diagonal_backward", 0, "copy", OpClass::copy}, PlainRow{"trace", 1, "sum", OpClass::pooling},
    PlainRow{"value_selecting_reduction_backward", 0, "copy", OpClass::copy},
    PlainRow{"evenly_distribute_backward", 1, "copy", OpClass::copy},
    PlainRow{"select_scatter", 0, "copy", OpClass::copy}, PlainRow{"slice_scatter", 0, "copy", OpClass::copy},
    PlainRow{"diagonal_scatter", 0, "copy", OpClass::copy}, PlainRow{"as_strided_scatter", 0, "copy", OpClass::copy},
    PlainRow{"diag_embed", 0, "copy", OpClass::copy}, PlainRow{"diag", 0, "copy", OpClass::copy},
    PlainRow{"channel_shuffle", 0, "copy", OpClass::copy}, PlainRow{"pixel_shuffle", 0, "copy", OpClass::copy},
    PlainRow{"native_channel_shuffle", 0, "copy", OpClass::copy}, PlainRow{"pixel_unshuffle", 0, "copy", OpClass::copy},
    PlainRow{"view_as_real_copy", 0, "copy", OpClass::copy}, PlainRow{"view_copy", 0, "copy", OpClass::copy},
    PlainRow{"_reshape_copy", 0, "copy", OpClass::copy}, PlainRow{"split_with_sizes_copy", 0, "copy", OpClass::copy},
    PlainRow{"embedding_renorm", 3, "copy", OpClass::copy}, PlainRow{"one_hot", 0, "copy", OpClass::copy},
    PlainRow{"_embedding_bag_per_sample_weights_backward", 2, "copy", OpClass::copy},
    PlainRow{"_nested_view_from_buffer", 0, "copy", OpClass::copy},
    PlainRow{"fake_quantize_per_tensor_affine_cachemask", 4, "copy", OpClass::elementwise},
    PlainRow{"fake_quantize_per_channel_affine_cachemask", 4, "copy", OpClass::elementwise},
    // selections and sorting
    PlainRow{"sort", 1, "sort", OpClass::pooling, false, Grows::by_sorting},
    PlainRow{"argsort", 1, "sort", OpClass::pooling, false, Grows::by_sorting},
    PlainRow{"msort", 1, "sort", OpClass::pooling, false, Grows::by_sorting},
    PlainRow{"kthvalue", 1, "copy", OpClass::pooling}, PlainRow{"median", 1, "copy", OpClass::pooling},
    PlainRow{"nanmedian", 1, "copy", OpClass::pooling}, PlainRow{"mode", 1, "copy", OpClass::pooling},
    PlainRow{"cummax", 1, "copy", OpClass::pooling}, PlainRow{"cummin", 1, "copy", OpClass::pooling},
    PlainRow{"histc", 1, "copy", OpClass::pooling}, PlainRow{"_assert_async", 0, "copy", OpClass::copy},
    // Fourier transforms
    PlainRow{"_fft_c2c", 5, "copy", OpClass::other, false, Grows::by_transform},
    PlainRow{"_fft_r2c", 5, "copy", OpClass::other, false, Grows::by_transform},
    PlainRow{"_fft_c2r", 5, "copy", OpClass::other, false, Grows::by_transform},
    // sizes that the host must know
    PlainRow{"item", 0, "copy", OpClass::copy, true}, PlainRow{"is_nonzero", 0, "copy", OpClass::copy, true},
    PlainRow{"equal", 1, "copy", OpClass::copy, true}, PlainRow{"nonzero", 1, "copy", OpClass::copy, true},
    PlainRow{"argwhere", 1, "copy", OpClass::copy, true}, PlainRow{"masked_select", 0, "copy", OpClass::copy, true},
    PlainRow{"unique_dim", 1, "copy", OpClass::pooling, true, Grows::by_sorting},
    PlainRow{"_unique", 1, "copy", OpClass::pooling, true, Grows::by_sorting},
    PlainRow{"_unique2", 1, "copy", OpClass::pooling, true, Grows::by_sorting},
    PlainRow{"unique_consecutive", 1, "copy", OpClass::pooling, true},
    PlainRow{"bincount", 1, "copy", OpClass::pooling, true},
};
// clang-format on

/// The size along the sorted or transformed axes.
double length_of(const OpView& view, const graph::Shape& shape) {
  if (shape.rank() == 0) return 1.0;
  double length = 1.0;
  for (const std::int64_t axis : view.integers("dim")) {
    const std::int64_t place = axis_of(axis, shape);
    if (place >= 0 && place < static_cast<std::int64_t>(shape.rank())) {
      length *= static_cast<double>(shape[static_cast<std::size_t>(place)]);
    }
  }
  if (view.integers("dim").empty()) length = static_cast<double>(shape.from_end(1));
  return length;
}

/// What that adds to the FLOPs of an element.
double growth_of(const OpView& view, Grows grows, const graph::Shape& shape) {
  if (grows == Grows::not_at_all) return 1.0;
  const double steps = std::log2(std::max(length_of(view, shape), 2.0));
  // A complex number is two elements: 5 n log2(n) is half of it for each.
  return grows == Grows::by_transform ? steps / 2.0 : steps;
}

bool plain_by(const OpView& view, std::string_view name) {
  Lowerer& l = view.lowerer();
  const auto row = std::ranges::find(plain_ops, name, &PlainRow::name);
  const std::vector<STensor> reads = view.all_in();
  std::vector<STensor> writes = view.written();
  if (row == plain_ops.end() || (reads.empty() && writes.empty())) return false;
  STensor largest = reads.empty() ? writes.front() : reads.front();
  for (const std::vector<STensor>* list :
       {&reads, static_cast<const std::vector<STensor>*>(&writes)}) {
    for (const STensor id : *list) {
      // Of n real numbers, a transform keeps n / 2 + 1 complex ones: the real side counts.
      const bool larger = row->grows == Grows::by_transform
                              ? length_of(view, l.shape(id)) > length_of(view, l.shape(largest))
                              : l.elements(id) > l.elements(largest);
      if (larger) largest = id;
    }
  }
  const double each =
      static_cast<double>(row->flops) * growth_of(view, row->grows, l.shape(largest));
  const std::int64_t flops = flops_of_each(each, l.elements(largest));
  if (writes.empty()) writes = {reads.front()};  // a number for the host
  schedule::ScheduledOp& op =
      emit_known(view, row->name, flops, row->like, row->op_class, reads, std::move(writes));
  op.host_reads = row->host_reads;
  return true;
}

bool plain(const OpView& view) { return plain_by(view, view.name()); }

/// log-likelihood of the labels: one number of each row.
bool nll_forward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor x = view.in(0);
  const STensor labels = view.in(1);
  const STensor loss = view.out(0);
  if (x == no_tensor || labels == no_tensor || loss == no_tensor) return false;
  const graph::NodeId node =
      l.node(view, graph::Gather{}, {l.value(x), l.value(labels)}, {l.value(loss)});
  l.emit(schedule::NegativeLogLikelihoodWork{}, node, view.plain_pass(), {x, labels}, {loss});
  return true;
}

bool nll_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor dy = view.in(0);
  const STensor labels = view.in(2);
  const STensor dx = view.out(0);
  if (dy == no_tensor || labels == no_tensor || dx == no_tensor) return false;
  const graph::NodeId node =
      l.node(view, graph::Gather{}, {l.value(dx), l.value(labels)}, {l.value(dy)});
  l.emit(schedule::FillWork{}, node, Pass::backward, {}, {dx});
  l.emit(schedule::NegativeLogLikelihoodWork{}, node, Pass::data_gradient, {dy, labels}, {dx});
  return true;
}

/// Questions about a tensor that need none of its elements.
bool no_work(const OpView& /*view*/) { return true; }

/// A number for the host, which a program asks for by `item`. With a GPU, an optimizer's own counts
/// lie on the host, whatever the step was recorded on.
bool read_number(const OpView& view) {
  const bool own_count = view.place().part == Part::optimizer && !view.lowerer().is_gpu();
  return own_count || plain_by(view, "item");
}

template <std::size_t... places>
constexpr auto rows_of_plain_ops(std::index_sequence<places...>) {
  return std::array{NamedRule{plain_ops[places].name, plain}...,
                    NamedRule{"is_same_size", no_work},
                    NamedRule{"is_pinned", no_work},
                    NamedRule{"_use_cudnn_ctc_loss", no_work},
                    NamedRule{"_use_miopen_ctc_loss", no_work},
                    NamedRule{"record_stream", no_work},
                    NamedRule{"sym_size", no_work},
                    NamedRule{"sym_stride", no_work},
                    NamedRule{"sym_numel", no_work},
                    NamedRule{"_local_scalar_dense", read_number},
                    NamedRule{"nll_loss_forward", nll_forward},
                    NamedRule{"nll_loss2d_forward", nll_forward},
                    NamedRule{"nll_loss_backward", nll_backward},
                    NamedRule{"nll_loss2d_backward", nll_backward}};
}
constexpr auto plain_table = rows_of_plain_ops(std::make_index_sequence<plain_ops.size()>{});

}  // namespace

std::span<const NamedRule> plain_rules() { return plain_table; }

}  // namespace rooflab::recording
