#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/roof_place.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/record/kernel_sums.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::analyze {

/// Why counters and model differ, as far as there is evidence.
enum class GapCause : std::uint8_t {
  padding,            ///< extents rounded up to the kernel's tiles explain the figure
  tiles,              ///< the kernel's tiles do not divide the extents; no rounding fits exactly
  winograd,           ///< recognized by a kernel's name
  fft,                ///< recognized by a kernel's name
  split_precision,    ///< three TF32 products for one of fp32
  conventions,        ///< comparisons and elementary functions count differently
  no_model_rule,      ///< the model has no arithmetic for it
  layout_conversion,  ///< kernels that only rearrange
  split_k,            ///< partial sums pass through memory
  several_kernels,    ///< intermediate results pass through memory
  rereads,            ///< operands exceed L2 and were read more than once
  cache_hits,         ///< operands were in L2
  partial,            ///< some launches have no counters
  unknown,
};
constexpr auto names_in_order(For<GapCause>) {
  return names_through<GapCause::unknown>("padding", "tiles", "Winograd", "FFT", "split precision",
                                          "convention", "no rule", "layout conversion", "split sum",
                                          "several kernels", "read again", "cache hits", "partial",
                                          "not known");
}

struct Gap {
  GapCause cause = GapCause::unknown;
  std::string text = {};  ///< the evidence, for people
};
[[nodiscard]] std::span<const Field> fields_of(For<Gap>);

/// A point above a roof of the device file.
struct RoofBreach {
  /// The point is modelled FLOPs or bytes over measured time, as in a roofline without counters.
  /// False: both were measured.
  bool modelled = false;
  std::string roof = {};  ///< `memory`, or the path: `FP32`, `TF32 tensor`
  double rate = 0.0;      ///< FLOP/s or B/s
  double peak = 0.0;      ///< peak in the device file
  std::string text = {};  ///< explanation for people

  [[nodiscard]] bool is_of_memory() const { return roof == "memory"; }
};
[[nodiscard]] std::span<const Field> fields_of(For<RoofBreach>);

/// All launches of one node in all passes.
struct CountedLayer {
  record::KernelSums sums = {};  ///< sums over launches counted in full
  std::string name = {};  ///< name in the layer table; `(no node)` for launches of unknown origin
  std::string op = {};
  OpClass op_class = OpClass::other;
  /// Share of all kernels' time; nullopt: a launch has no time
  std::optional<double> time_share = {};

  std::optional<predict::Work> model = {};  ///< work of the phase; nullopt: no such row, or no rule
  std::optional<Gap> flops_gap = {};        ///< a gap above 5 %
  std::optional<Gap> bytes_gap = {};        ///< a gap above 20 %
  std::vector<RoofBreach> breaches = {};
  std::optional<RoofPlace> roof_place = {};
  std::string remark = {};  ///< further explanation; may be empty

  [[nodiscard]] std::optional<double> model_flops() const;
  [[nodiscard]] std::optional<double> compulsory_bytes() const;
  [[nodiscard]] std::optional<double> flops_ratio() const;  ///< measured over modelled
  [[nodiscard]] std::optional<double> bytes_ratio() const;
  /// Causes of the gaps and the remark: `FLOP: padding; bytes: cache hits`.
  [[nodiscard]] std::string causes() const;
  [[nodiscard]] std::string reasons() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<CountedLayer>);

// Hardware counters of every node of a network compared with the model, with reasons for the gaps:
// docs/methods/counted_layers.md.

struct CountedLayers {
  record::Counting counting = {};
  /// Layers in the model's order, then those without a row in the model, in order of first launch.
  std::vector<CountedLayer> layers = {};
  /// Sums over all kernels that have the figure, compared with the whole model. Kernels were
  /// serialized while they were counted.
  CountedLayer total = {.name = "sum of kernels"};
  /// Counters of one whole step with concurrent kernels, without the work of CUDA cores.
  std::optional<record::KernelSums> step = {};
  std::size_t without_node = 0;                   ///< number of kernels without a node
  std::vector<std::string> without_kernels = {};  ///< nodes for which the model has work
  std::vector<Note> step_differences = {};        ///< differences of step and kernels

  /// Layers with a gap in FLOPs, the largest absolute difference first.
  [[nodiscard]] std::vector<const CountedLayer*> largest_flops_gaps() const;
  [[nodiscard]] std::vector<const CountedLayer*> largest_bytes_gaps() const;

  /// Computes what a file does not hold: the differences between step and kernels.
  void complete();

  /// The whole step as one layer; nullopt: no step was counted as a whole.
  [[nodiscard]] std::optional<CountedLayer> step_sum() const;

  /// FLOPs by path and bytes compared with the model, the counting method and conventions, a
  /// sentence each.
  [[nodiscard]] std::vector<Note> notes() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<CountedLayers>);

/// Joins the kernels of a record with its model by node name. `network`: the record's network
/// before precision was applied; `model`: its counts and limit. nullopt for a record whose counters
/// were not collected by Rooflab.
[[nodiscard]] std::optional<CountedLayers> counted_layers_of(const record::Record& record,
                                                             const graph::Graph* network,
                                                             const CaseResult* model);

/// Returns the kernels with a zero for each tensor type that did no work in the whole step: such
/// types are not counted kernel by kernel.
[[nodiscard]] record::KernelTable with_known_zeros(const record::KernelTable& kernels,
                                                   const record::Counting& counting);

}  // namespace rooflab::analyze
