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
#include <functional>
#include <string_view>

#include "base/format.hpp"
#include "rooflab/graph/op_facts.hpp"
#include "rooflab/record/kernel_sums.hpp"
#include "tile_padding.hpp"
#include "trace/kernel_purpose.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;
using record::KernelTable;

constexpr double flops_threshold = 0.05;
constexpr double bytes_threshold = 0.20;
/// Arithmetic of indices and epilogues, which only the CUDA cores' counts hold.
constexpr double cuda_core_tolerance = 0.05;

/// `sm80_xmma_fprop_implicit_gemm_...`: enough of a name to know it by.
std::string short_name(const std::string& name) {
  constexpr std::size_t most = 60;
  return name.size() <= most ? name : name.substr(0, most - 3) + "...";
}

/// Parts of the names of kernels, in lower case.
using Marks = std::span<const std::string_view>;
constexpr std::string_view winograd_marks[] = {"winograd"};
constexpr std::string_view fft_marks[] = {"fft"};
constexpr std::string_view transform_marks[] = {"winograd", "fft"};
constexpr std::string_view split_k_marks[] = {"splitk", "split_k"};

/// The launches whose name has one of the marks.
struct Named {
  record::KernelSums sums;
  std::string first;

  Named(const KernelTable& kernels, std::span<const std::size_t> rows, Marks marks)
      : Named(kernels, rows, [marks](std::string_view kernel) {
          const std::string name = lowercase(kernel);
          return std::ranges::any_of(
              marks, [&](std::string_view mark) { return name.find(mark) != std::string::npos; });
        }) {}
  Named(const KernelTable& kernels, std::span<const std::size_t> rows,
        const std::function<bool(std::string_view)>& is_one) {
    for (const std::size_t row : rows) {
      if (!is_one(kernels.name(row))) continue;
      if (count() == 0) first = short_name(kernels.name(row));
      sums.add(kernels, row);
    }
  }
  [[nodiscard]] std::size_t count() const { return sums.launches; }
  /// DRAM, what was collected.
  [[nodiscard]] double bytes() const { return sums.at(KernelFigure::dram_bytes).value_or(0.0); }
};

std::string times(double ratio) { return format("{:.3g} times", ratio); }

// ---- FLOPs ----------------------------------------------------------------------------------

double figure_of(const KernelTable& kernels, std::size_t row, KernelFigure figure) {
  return record::figures_of(kernels, row)[figure].value_or(0.0);
}

/// The products of one pass of the layer's node.
std::vector<ProductExtents> products_in(const GapEvidence& evidence, bool backward) {
  if (evidence.network == nullptr || evidence.node == nullptr) return {};
  std::vector<ProductExtents> products = products_of(*evidence.network, *evidence.node);
  std::erase_if(products, [&](const ProductExtents& product) {
    return backward == (product.pass == "forward");
  });
  return products;
}

/// How the tiles of every matrix kernel give its figure; nullopt when one of them cannot be
/// explained so, or none is padded.
std::optional<std::string> padding_of(const GapEvidence& evidence,
                                      const std::vector<std::size_t>& rows,
                                      const std::vector<ProductExtents>& products) {
  std::vector<std::string> texts;
  for (const std::size_t row : rows) {
    const double tensor = figure_of(evidence.kernels, row, KernelFigure::tensor_flops);
    const double flops =
        tensor > 0.0 ? tensor : figure_of(evidence.kernels, row, KernelFigure::collected_flops);
    const double tolerance = tensor > 0.0 ? 0.0 : cuda_core_tolerance;
    std::optional<std::string> text;
    bool as_modelled = false;
    for (const ProductExtents& extents : products) {
      const double excess = flops / extents.flops() - 1.0;
      as_modelled = as_modelled || std::abs(excess) < std::max(1e-3, tolerance);
      if (text) continue;
      text = padding_that_gives(flops, extents, evidence.kernels.name(row),
                                evidence.kernels.launch(row).grid, tolerance);
      if (text && extents.pass != "forward") text = format("{}: {}", extents.pass, *text);
    }
    if (as_modelled) continue;
    if (!text) return std::nullopt;
    if (std::ranges::find(texts, *text) == texts.end()) texts.push_back(*text);
  }
  return texts.empty() ? std::nullopt : std::optional(join(texts, "; "));
}

/// Which product the tile of a kernel does not divide.
std::optional<std::string> undivided(const GapEvidence& evidence,
                                     const std::vector<std::size_t>& rows,
                                     const std::vector<ProductExtents>& products) {
  for (const std::size_t row : rows) {
    const std::optional<Tile> tile = tile_of(evidence.kernels.name(row));
    if (!tile) continue;
    for (const ProductExtents& extents : products) {
      if (extents.rows % (*tile)[0] == 0 && extents.columns % (*tile)[1] == 0) continue;
      return format("tiles of {} x {} do not divide {} x {} results", (*tile)[0], (*tile)[1],
                    extents.rows, extents.columns);
    }
  }
  return std::nullopt;
}

/// One pass of an op with matrix work.
std::optional<Gap> matrix_gap(const GapEvidence& evidence, std::span<const std::size_t> rows,
                              double model, bool backward) {
  if (rows.empty() || model <= 0.0) return std::nullopt;
  record::KernelSums sums;
  for (const std::size_t row : rows) sums.add(evidence.kernels, row);
  const double ratio = sums.at(KernelFigure::collected_flops).value_or(0.0) / model;
  if (std::abs(ratio - 1.0) <= flops_threshold) return std::nullopt;
  const auto gap = [&](GapCause cause, std::string_view why) {
    return Gap{cause, format("{} the direct count: {}", times(ratio), why)};
  };
  if (const Named winograd(evidence.kernels, rows, winograd_marks); winograd.count() > 0) {
    return gap(GapCause::winograd, format("Winograd's algorithm ({})", winograd.first));
  }
  if (const Named fft(evidence.kernels, rows, fft_marks); fft.count() > 0) {
    return gap(GapCause::fft, format("FFT ({})", fft.first));
  }
  const double tensor = sums.at(KernelFigure::tensor_flops).value_or(0.0);
  if (std::abs(tensor / model - 3.0) < 0.15 && evidence.precision == Precision::fp32) {
    return gap(GapCause::split_precision, "tensor cores make an FP32 product of three of TF32");
  }
  std::vector<std::size_t> matrix(rows.begin(), rows.end());
  std::erase_if(matrix, [&](std::size_t row) {  // a fair part of the pass's work
    return !(figure_of(evidence.kernels, row, KernelFigure::collected_flops) > 0.2 * model);
  });
  const std::vector<ProductExtents> products = products_in(evidence, backward);
  if (const auto padding = padding_of(evidence, matrix, products)) {
    return gap(GapCause::padding, *padding);
  }
  if (const auto tiles = undivided(evidence, matrix, products); tiles && ratio > 1.0) {
    return gap(GapCause::tiles, format("more work than the direct algorithm: {} (no rounding gives"
                                       " the figure)",
                                       *tiles));
  }
  return gap(GapCause::unknown,
             "the reason is not known (no kernel's name says Winograd or FFT, no tile gives the"
             " figure)");
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
  const auto gap = [&](GapCause cause, std::string_view why) {
    return Gap{cause, format("{} the modelled FLOPs: {}", times(ratio), why)};
  };
  if (convention == Convention::comparison && ratio < 1.0) {
    return gap(GapCause::conventions, "a comparison is one for the model, none for the counters");
  }
  if (convention == Convention::elementary) {
    return gap(GapCause::conventions,
               ratio > 1.0 ? "a division or elementary function is one for the model, several"
                             " instructions for the counters"
                           : "special functions (exp, reciprocal) are one for the model, none for"
                             " the counters");
  }
  return gap(GapCause::unknown, "the reason is not known");
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
  const double matrix = layer.model->matrix_flops.as_double();
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
  const double model = layer.model->compulsory_bytes.as_double();
  const double moved = *dram;
  const std::optional<double> asked = layer.sums.at(KernelFigure::l2_bytes);
  const std::string capacity =
      evidence.l2_capacity ? format("; the cache holds {}", si(*evidence.l2_capacity, "B")) : "";
  const auto gap = [&](GapCause cause, std::string_view why) {
    return Gap{cause, format("{} the compulsory bytes: {}", times(*ratio), why)};
  };
  if (*ratio < 1.0) {
    if (asked && *asked >= (1.0 - bytes_threshold) * model) {
      return gap(GapCause::cache_hits,
                 format("L2 was asked for {} and DRAM moved {}: the rest hit in L2 (operands of"
                        " {}{})",
                        si(*asked, "B"), si(moved, "B"), si(model, "B"), capacity));
    }
    if (!asked && evidence.l2_capacity && model <= *evidence.l2_capacity) {
      return gap(GapCause::cache_hits,
                 format("the operands of {} fit into L2{}", si(model, "B"), capacity));
    }
    return gap(
        GapCause::unknown,
        asked ? format("L2 itself was asked for {} only; the reason is not known", si(*asked, "B"))
              : "the reason is not known");
  }
  const double excess = moved - model;
  std::vector<std::size_t> rows(evidence.forward.begin(), evidence.forward.end());
  rows.insert(rows.end(), evidence.backward.begin(), evidence.backward.end());
  const Named conversion(evidence.kernels, rows, [](std::string_view kernel) {
    return !trace::layout_conversion_of(kernel).empty();
  });
  const Named split(evidence.kernels, rows, split_k_marks);
  // Half of what is too much is taken for a reason; the figure is shown next to it.
  if (conversion.count() > 0 && conversion.bytes() >= split.bytes() &&
      conversion.bytes() >= excess / 2) {
    return gap(GapCause::layout_conversion,
               format("{} of {} kernels rearrange data ({}) and move {} of the {} too much",
                      conversion.count(), rows.size(), conversion.first,
                      si(conversion.bytes(), "B"), si(excess, "B")));
  }
  if (split.count() > 0 && split.bytes() >= excess / 2) {
    return gap(GapCause::split_k, format("partial sums of a split sum: {} moves {}", split.first,
                                         si(split.bytes(), "B")));
  }
  if (const Named stages(evidence.kernels, rows, transform_marks); stages.count() > 1) {
    return gap(GapCause::several_kernels,
               format("the stages of a transformed convolution ({}) hand their results on through"
                      " memory",
                      stages.first));
  }
  if (evidence.l2_capacity && model > *evidence.l2_capacity && asked && *asked > moved) {
    return gap(GapCause::rereads,
               format("operands of {} do not fit into L2{}, which was asked for {}", si(model, "B"),
                      capacity, si(*asked, "B")));
  }
  if (!evidence.trains && rows.size() > 1) {
    return gap(GapCause::several_kernels,
               format("{} kernels, which may hand results on through memory", rows.size()));
  }
  return gap(GapCause::unknown, "the reason is not known");
}

}  // namespace rooflab::analyze
