#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/op_class.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/record/record.hpp"

/// What the hardware counted for every node of a network, beside what the model says of it, with
/// reasons for the gaps: docs/methods/counted_layers.md.
namespace rooflab::analyze {

/// Why counters and model differ, as far as there is evidence.
enum class GapCause : std::uint8_t {
  padding,            ///< extents rounded up to the kernel's tiles: the figure fits
  tiles,              ///< the kernel's tiles do not divide the extents; no rounding fits exactly
  winograd,           ///< a kernel's name says so
  fft,                ///< a kernel's name says so
  split_precision,    ///< three TF32 products for one of fp32
  conventions,        ///< comparisons and elementary functions count differently
  no_model_rule,      ///< the model has no arithmetic for it
  layout_conversion,  ///< kernels that only rearrange
  split_k,            ///< partial sums pass through memory
  several_kernels,    ///< intermediate results pass through memory
  rereads,            ///< operands beyond L2, which was asked for them more than once
  cache_hits,         ///< L2 had them
  partial,            ///< some launches have no counters
  unknown,
};
/// `padding`, `layout conversion`, ..., `not known`.
[[nodiscard]] std::string_view name_of(GapCause cause);

struct Gap {
  GapCause cause = GapCause::unknown;
  std::string text;  ///< the evidence, for people
};

/// A point above a roof of the device file.
struct RoofBreach {
  /// The point is at modelled FLOPs or bytes over measured time, as a roofline without counters has
  /// it. Else both are measured.
  bool modelled = false;
  std::string roof;   ///< `memory`, or the path: `FP32`, `TF32 tensor`
  double rate = 0.0;  ///< FLOP/s or B/s
  double peak = 0.0;  ///< of the device file
  std::string text;   ///< why, for people
};

/// Sums over launches.
struct CountedSums {
  std::size_t kernels = 0;
  // Launches that have the figure.
  std::size_t with_time = 0;
  std::size_t with_flops = 0;  ///< all of FLOPs: CUDA cores, and tensor cores where there are any
  std::size_t with_dram = 0;
  std::optional<double> time_s;  ///< of the kernels, without counters
  std::optional<double> fp64_flops;
  std::optional<double> fp32_flops;
  std::optional<double> fp16_flops;  ///< moves left out
  std::optional<double> tensor_flops;
  std::map<record::KernelFigure, double> tensor_by_type;  ///< those above zero
  double moves = 0.0;           ///< what hfma that only move constants would make as FLOPs
  std::optional<double> flops;  ///< all but moves
  std::optional<double> dram_bytes;
  std::optional<double> l2_bytes;
  // Means, weighted by time, of the launches that have them.
  std::optional<double> sm_clock_hz;
  std::optional<double> occupancy;
  std::optional<double> sm_busy;

  [[nodiscard]] std::optional<double> intensity() const;  ///< FLOP per DRAM byte
  [[nodiscard]] std::optional<double> flops_per_s() const;
  [[nodiscard]] std::optional<double> bytes_per_s() const;  ///< DRAM
};

/// One node, all its launches in all passes. A sum is nullopt when one of them lacks the figure.
struct CountedLayer : CountedSums {
  std::string name;  ///< as in the layer table; `(no node)` for launches of unknown origin
  std::string op;
  OpClass op_class = OpClass::other;
  double time_share = 0.0;  ///< of all kernels'

  std::optional<Flops> model_matrix_flops;  ///< of the phase; nullopt: no such row, or no rule
  std::optional<Flops> model_vector_flops;
  std::optional<Bytes> model_bytes;  ///< compulsory

  std::optional<Gap> flops_gap;  ///< of more than 5 %
  std::optional<Gap> bytes_gap;  ///< of more than 20 %
  std::vector<RoofBreach> breaches;
  std::string remark;  ///< what else a reader must know; may be empty

  [[nodiscard]] std::optional<double> model_flops() const;
  [[nodiscard]] std::optional<double> flops_ratio() const;  ///< measured over modelled
  [[nodiscard]] std::optional<double> bytes_ratio() const;
};

struct CountedLayers {
  /// In the model's order; then what has no row there, in order of first launch.
  std::vector<CountedLayer> layers;
  /// Over the kernels, which ran one after the other while they were counted: sums of those that
  /// have the figure.
  CountedSums totals;
  std::optional<CountedSums> step;  ///< of one whole step, its kernels concurrent; no CUDA cores
  std::optional<Flops> model_matrix_flops;
  std::optional<Flops> model_vector_flops;
  std::optional<Bytes> model_bytes;
  std::size_t without_node = 0;               ///< kernels
  std::vector<std::string> without_kernels;   ///< nodes for which the model has work
  std::int64_t views = 0;                     ///< nodes without a kernel that need none
  std::vector<std::string> step_differences;  ///< step against sum over kernels, a sentence each

  /// Layers with a gap in FLOPs, the largest absolute difference first; the same in bytes.
  [[nodiscard]] std::vector<const CountedLayer*> largest_flops_gaps() const;
  [[nodiscard]] std::vector<const CountedLayer*> largest_bytes_gaps() const;
};

/// Joins the kernels of a record with its model by node name. `network` is the record's, before
/// precision, `model` its counts and limit. nullopt for a record whose counters were not collected
/// by Rooflab.
[[nodiscard]] std::optional<CountedLayers> counted_layers_of(const record::Record& record,
                                                             const graph::Graph* network,
                                                             const CaseResult* model);

/// The kernels, with a zero where the totals of a whole step say that there is no work of a tensor
/// type: such types are not counted kernel by kernel.
[[nodiscard]] record::KernelTable with_known_zeros(const record::KernelTable& kernels,
                                                   const record::Counting& counting);

}  // namespace rooflab::analyze
