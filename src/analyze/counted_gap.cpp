// Why the counters of a layer differ from the model's direct count.
//
// A reason is given only with what shows it: the name of a kernel, its tile and grid (see
// tile_padding.cpp), the bytes of the kernels that rearrange or add partial sums, what L2 was asked
// for. What is left is said to be unknown. Conventions in which both sides differ on purpose are
// reasons too: a comparison, an exponential and a division are one FLOP each for the model; the
// counters count additions, multiplications and fused multiply-adds of the CUDA cores (no min, max,
// no special functions), and a division takes several of those.

#include "counted_gap.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/op_facts.hpp"
#include "rooflab/record/kernel_work.hpp"
#include "tile_padding.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;
using record::KernelTable;

constexpr double flops_threshold = 0.05;
constexpr double bytes_threshold = 0.20;
/// Arithmetic of indices and epilogues, which only the CUDA cores' counts hold.
constexpr double cuda_core_tolerance = 0.05;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// `sm80_xmma_fprop_implicit_gemm_...`: enough of a name to know it by.
std::string short_name(const std::string& name) {
  constexpr std::size_t most = 60;
  return name.size() <= most ? name : name.substr(0, most - 3) + "...";
}

bool is_winograd(std::string_view lower_name) { return contains(lower_name, "winograd"); }
bool is_fft(std::string_view lower_name) { return contains(lower_name, "fft"); }
bool is_conversion(std::string_view lower_name) {
  for (const std::string_view mark :
       {"nchwtonhwc", "nhwctonchw", "nchw2nhwc", "nhwc2nchw", "converttensor", "nhwcaddpadding",
        "tensortransform", "transpose"}) {
    if (contains(lower_name, mark)) return true;
  }
  return false;
}
bool is_split_k(std::string_view lower_name) {
  return contains(lower_name, "splitk") || contains(lower_name, "split_k");
}

/// The launches whose name passes.
struct Named {
  record::KernelSums sums;
  std::string first;

  [[nodiscard]] std::size_t count() const { return sums.launches; }
  /// DRAM, what was collected.
  [[nodiscard]] double bytes() const { return sums.at(KernelFigure::dram_bytes).value_or(0.0); }
};

template <class Test>
Named named(const KernelTable& kernels, std::span<const std::size_t> rows, Test test) {
  Named result;
  for (const std::size_t row : rows) {
    if (!test(lowercase(kernels.name(row)))) continue;
    if (result.count() == 0) result.first = kernels.name(row);
    result.sums.add(kernels, row);
  }
  return result;
}

std::vector<std::size_t> all_rows(const GapEvidence& evidence) {
  std::vector<std::size_t> rows(evidence.forward.begin(), evidence.forward.end());
  rows.insert(rows.end(), evidence.backward.begin(), evidence.backward.end());
  return rows;
}

std::string times(double ratio) { return format("{:.3g} times", ratio); }

// ---- FLOPs ----------------------------------------------------------------------------------

double flops_of(const KernelTable& kernels, std::size_t row) {
  return record::figures_of(kernels, row)[KernelFigure::collected_flops].value_or(0.0);
}
double tensor_of(const KernelTable& kernels, std::size_t row) {
  return record::figures_of(kernels, row)[KernelFigure::tensor_flops].value_or(0.0);
}

/// Launches that do a fair part of the pass's matrix work.
std::vector<std::size_t> matrix_rows(const KernelTable& kernels, std::span<const std::size_t> rows,
                                     double model) {
  std::vector<std::size_t> result;
  for (const std::size_t row : rows) {
    if (flops_of(kernels, row) > 0.2 * model) result.push_back(row);
  }
  return result;
}

/// How the tiles of every matrix kernel give its figure; nullopt when one of them cannot be
/// explained so, or none is padded.
std::optional<std::string> padding_of(const GapEvidence& evidence,
                                      const std::vector<std::size_t>& rows, bool backward) {
  if (evidence.network == nullptr || evidence.node == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const std::size_t row : rows) {
    const double tensor = tensor_of(evidence.kernels, row);
    const double flops = tensor > 0.0 ? tensor : flops_of(evidence.kernels, row);
    std::optional<std::string> text;
    bool as_modelled = false;
    for (const ProductExtents& extents : products_of(*evidence.network, *evidence.node)) {
      if (backward == (extents.pass == "forward")) continue;
      const double tolerance = tensor > 0.0 ? 0.0 : cuda_core_tolerance;
      const double excess = flops / extents.flops() - 1.0;
      as_modelled = as_modelled || std::abs(excess) < std::max(1e-3, tolerance);
      if (text) continue;
      text = padding_that_gives(flops, extents, evidence.kernels.name(row),
                                evidence.kernels.launch(row).grid, tolerance);
      if (text && backward) text = format("{}: {}", extents.pass, *text);
    }
    if (as_modelled) continue;
    if (!text) return std::nullopt;
    if (std::ranges::find(texts, *text) == texts.end()) texts.push_back(*text);
  }
  return texts.empty() ? std::nullopt : std::optional(join(texts, "; "));
}

/// One pass of an op with matrix work.
std::optional<Gap> matrix_gap(const GapEvidence& evidence, std::span<const std::size_t> rows,
                              double model, bool backward) {
  if (rows.empty() || model <= 0.0) return std::nullopt;
  record::KernelSums sums;
  for (const std::size_t row : rows) sums.add(evidence.kernels, row);
  const double measured = sums.at(KernelFigure::collected_flops).value_or(0.0);
  const double tensor = sums.at(KernelFigure::tensor_flops).value_or(0.0);
  const double ratio = measured / model;
  if (std::abs(ratio - 1.0) <= flops_threshold) return std::nullopt;
  const std::string much = format("{} the direct count", times(ratio));
  if (const Named winograd = named(evidence.kernels, rows, is_winograd); winograd.count() > 0) {
    return Gap{GapCause::winograd,
               format("{}: Winograd's algorithm ({})", much, short_name(winograd.first))};
  }
  if (const Named fft = named(evidence.kernels, rows, is_fft); fft.count() > 0) {
    return Gap{GapCause::fft, format("{}: FFT ({})", much, short_name(fft.first))};
  }
  const bool tripled = std::abs(tensor / model - 3.0) < 0.15;
  if (tripled && evidence.precision == Precision::fp32) {
    return Gap{GapCause::split_precision,
               format("{}: tensor cores make an FP32 product of three of TF32", much)};
  }
  const std::vector<std::size_t> matrix = matrix_rows(evidence.kernels, rows, model);
  if (const std::optional<std::string> padding = padding_of(evidence, matrix, backward)) {
    return Gap{GapCause::padding, format("{}: {}", much, *padding)};
  }
  if (ratio > 1.0) {
    for (const std::size_t row : matrix) {
      const std::optional<Tile> tile = tile_of(evidence.kernels.name(row));
      if (!tile || evidence.network == nullptr || evidence.node == nullptr) continue;
      for (const ProductExtents& extents : products_of(*evidence.network, *evidence.node)) {
        if (backward == (extents.pass == "forward")) continue;
        const bool divides = extents.rows % (*tile)[0] == 0 && extents.columns % (*tile)[1] == 0;
        if (divides) continue;
        return Gap{GapCause::tiles,
                   format("{}: more work than the direct algorithm: tiles of {} x {} do not divide"
                          " {} x {} results (no rounding gives the figure)",
                          much, (*tile)[0], (*tile)[1], extents.rows, extents.columns)};
      }
    }
  }
  return Gap{GapCause::unknown,
             format("{}: the reason is not known (no kernel's name says Winograd or FFT, no tile"
                    " gives the figure)",
                    much)};
}

graph::Convention convention_of(const graph::Op& op) {
  return std::visit(
      []<class Struct>(const Struct& attributes) {
        return graph::facts<Struct>.convention.of(attributes);
      },
      op);
}

Gap vector_gap(const GapEvidence& evidence, double ratio) {
  using graph::Convention;
  Convention convention =
      evidence.node != nullptr ? convention_of(evidence.node->op) : Convention::none;
  if (evidence.layer.op_class == OpClass::loss) convention = Convention::elementary;
  const std::string much = format("{} the modelled FLOPs", times(ratio));
  if (convention == Convention::comparison && ratio < 1.0) {
    return {GapCause::conventions,
            format("{}: a comparison is one for the model, none for the counters", much)};
  }
  if (convention == Convention::elementary && ratio > 1.0) {
    return {GapCause::conventions,
            format("{}: a division or elementary function is one for the model, several"
                   " instructions for the counters",
                   much)};
  }
  if (convention == Convention::elementary) {
    return {GapCause::conventions,
            format("{}: special functions (exp, reciprocal) are one for the model, none for the"
                   " counters",
                   much)};
  }
  return {GapCause::unknown, format("{}: the reason is not known", much)};
}

/// Some launches have the figure; nullopt where none has it.
std::optional<Gap> partial(const record::KernelSums& sums, KernelFigure figure,
                           std::string_view name) {
  if (sums.count(figure) == 0) return std::nullopt;
  return Gap{GapCause::partial, format("{} of {} launches have {}: too few for a sum",
                                       sums.count(figure), sums.launches, name)};
}

}  // namespace

std::optional<Gap> flops_gap_of(const GapEvidence& evidence) {
  const CountedLayer& layer = evidence.layer;
  const std::optional<double> flops = layer.sums.at(KernelFigure::flops);
  if (!flops) return partial(layer.sums, KernelFigure::flops, "FLOPs");
  const std::optional<double> model = layer.model_flops();
  if (!model) return std::nullopt;
  if (*model <= 0.0) {
    if (*flops <= 0.0) return std::nullopt;
    return Gap{GapCause::no_model_rule,
               format("{} counted where the model has no arithmetic", si(*flops, "FLOP"))};
  }
  const double ratio = *flops / *model;
  if (std::abs(ratio - 1.0) <= flops_threshold) return std::nullopt;
  const double matrix = layer.model_matrix_flops->as_double();
  if (matrix <= 0.5 * *model) return vector_gap(evidence, ratio);
  const std::optional<Gap> forward =
      matrix_gap(evidence, evidence.forward, evidence.forward_matrix_flops.as_double(), false);
  const std::optional<Gap> backward =
      matrix_gap(evidence, evidence.backward, evidence.backward_matrix_flops.as_double(), true);
  if (!forward && !backward) {
    return Gap{GapCause::unknown,
               format("{} the modelled FLOPs: not in the products; the reason is not known",
                      times(ratio))};
  }
  if (!evidence.trains) return forward ? forward : backward;
  if (!backward) return Gap{forward->cause, "forward " + forward->text};
  if (!forward) return Gap{backward->cause, "backward " + backward->text};
  return Gap{forward->cause == GapCause::unknown ? backward->cause : forward->cause,
             format("forward {}; backward {}", forward->text, backward->text)};
}

std::optional<Gap> bytes_gap_of(const GapEvidence& evidence) {
  const CountedLayer& layer = evidence.layer;
  const std::optional<double> dram = layer.sums.at(KernelFigure::dram_bytes);
  if (!dram) return partial(layer.sums, KernelFigure::dram_bytes, "DRAM bytes");
  const std::optional<double> ratio = layer.bytes_ratio();
  if (!ratio || std::abs(*ratio - 1.0) <= bytes_threshold) return std::nullopt;
  const double model = layer.model_bytes->as_double();
  const double moved = *dram;
  const std::optional<double> asked = layer.sums.at(KernelFigure::l2_bytes);
  const std::string much = format("{} the compulsory bytes", times(*ratio));
  const auto capacity = [&] {
    return evidence.l2_capacity ? format("; the cache holds {}", si(*evidence.l2_capacity, "B"))
                                : std::string();
  };
  if (*ratio < 1.0) {
    if (asked && *asked >= (1.0 - bytes_threshold) * model) {
      return Gap{GapCause::cache_hits,
                 format("{}: L2 was asked for {} and DRAM moved {}: the rest hit in L2 (operands of"
                        " {}{})",
                        much, si(*asked, "B"), si(moved, "B"), si(model, "B"), capacity())};
    }
    if (!asked && evidence.l2_capacity && model <= *evidence.l2_capacity) {
      return Gap{GapCause::cache_hits,
                 format("{}: the operands of {} fit into L2{}", much, si(model, "B"), capacity())};
    }
    return Gap{GapCause::unknown,
               asked ? format("{}: L2 itself was asked for {} only; the reason is not known", much,
                              si(*asked, "B"))
                     : format("{}: the reason is not known", much)};
  }
  const double excess = moved - model;
  const std::vector<std::size_t> rows = all_rows(evidence);
  const Named conversion = named(evidence.kernels, rows, is_conversion);
  const Named split = named(evidence.kernels, rows, is_split_k);
  // Half of what is too much is taken for a reason; the figure stands beside it.
  if (conversion.count() > 0 && conversion.bytes() >= split.bytes() &&
      conversion.bytes() >= excess / 2) {
    return Gap{GapCause::layout_conversion,
               format("{}: {} of {} kernels rearrange data ({}) and move {} of the {} too much",
                      much, conversion.count(), rows.size(), short_name(conversion.first),
                      si(conversion.bytes(), "B"), si(excess, "B"))};
  }
  if (split.count() > 0 && split.bytes() >= excess / 2) {
    return Gap{GapCause::split_k, format("{}: partial sums of a split sum: {} moves {}", much,
                                         short_name(split.first), si(split.bytes(), "B"))};
  }
  const auto staged = [](std::string_view name) { return is_winograd(name) || is_fft(name); };
  if (const Named stages = named(evidence.kernels, rows, staged); stages.count() > 1) {
    return Gap{GapCause::several_kernels,
               format("{}: the stages of a transformed convolution ({}) hand their results on"
                      " through memory",
                      much, short_name(stages.first))};
  }
  if (evidence.l2_capacity && model > *evidence.l2_capacity && asked && *asked > moved) {
    return Gap{GapCause::rereads,
               format("{}: operands of {} do not fit into L2{}, which was asked for {}", much,
                      si(model, "B"), capacity(), si(*asked, "B"))};
  }
  if (!evidence.trains && rows.size() > 1) {
    return Gap{
        GapCause::several_kernels,
        format("{}: {} kernels, which may hand results on through memory", much, rows.size())};
  }
  return Gap{GapCause::unknown, format("{}: the reason is not known", much)};
}

}  // namespace rooflab::analyze
