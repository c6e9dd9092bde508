#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooflab/device/calibration.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/predict/workspace.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// Kind and size of a scheduled op, as a calibration names them.
///
/// Ops of one kind (`conv2d.forward.tf32.nchw`) share a table of measurements and a model; the
/// sizes are the axes of that table. Two ops with equal kind and sizes take equally long.
struct OpShape {
  std::string op;      ///< `conv2d`, `conv2d_depthwise`, `linear`, `relu`, `add_broadcast`, ...
  std::string pass;    ///< `forward`, `data_gradient`, `weight_gradient`, `backward`, `step`
  std::string type;    ///< type: for matrix ops `fp32`, `tf32`, ...; else the data's: `f32`, `bf16`
  std::string layout;  ///< `nchw` or `nhwc` where it matters; else empty
  std::vector<double> sizes;  ///< one for each of columns_of(op), all 1 or more

  [[nodiscard]] std::string kind() const;
  friend bool operator==(const OpShape&, const OpShape&) = default;
};

/// An attention module that evaluation runs as one call (graph/attention_module.hpp): its kind and
/// sizes. The times of its single ops then do not count.
[[nodiscard]] OpShape shape_of(const graph::Graph& graph, const graph::AttentionModule& module,
                               Precision precision, const device::Device& device);

/// The kind's parts, from its name; sizes are empty.
[[nodiscard]] OpShape shape_of_kind(std::string_view kind);

/// Names of the sizes of an op: conv2d has batch, pixels (of the output), in_channels and
/// out_channels (of one group), groups, kernel (height times width), stride (likewise); an lstm has
/// batch, steps, input, hidden, layers, directions.
[[nodiscard]] std::span<const std::string_view> columns_of(std::string_view op);

/// The sizes of a kind, as places in columns_of(op), by which rows of its operands are aligned in
/// memory: libraries load 16 bytes at a time where these are multiples of so much, and have other,
/// slower kernels where they are not.
[[nodiscard]] std::span<const std::size_t> aligned_columns_of(const OpShape& kind);

/// How far a size is from a multiple of 16 bytes of a type: 0 for one, else the log2 of 16 bytes
/// over the largest power of two that divides it. bf16: 0 for 64, 1 for 100, 3 for 197.
[[nodiscard]] double misalignment(double size, std::string_view type);

/// The sizes of a kind that kernels of products cut into tiles: channels of convolutions, features
/// of linear layers, extents of products of two tensors, queries and keys of attention; as places
/// in columns_of(op).
[[nodiscard]] std::span<const std::size_t> padded_columns_of(const OpShape& kind);

/// Extent of the tiles of a kind: 128 for attention, else 64.
[[nodiscard]] double tile_of(const OpShape& kind);

/// How much a size grows when it is filled up to whole tiles: the log2 of that ratio. Of tiles of
/// 64: 0 for 128, 0.415 for 96, 1 for 32.
[[nodiscard]] double padding(double size, double tile);

/// What kernels see of the sizes beside their amount: the misalignment of aligned_columns_of(kind),
/// then the padding of padded_columns_of(kind). Feature `j` of `feature_count(kind)`.
[[nodiscard]] double feature(const OpShape& kind, std::span<const double> sizes, std::size_t j);
[[nodiscard]] std::size_t feature_count(const OpShape& kind);
/// Whether the rows tell what each feature costs: some have it in a size that fills at least a
/// vector of 16 bytes, or a tile. In smaller sizes a feature is the size itself: rows whose keys
/// are all powers of two say nothing of 4,097 keys, although 1 and 2 are misaligned, too.
[[nodiscard]] std::vector<bool> told_features(const OpShape& kind,
                                              std::span<const device::OpRow> rows);
/// Sizes with those that are aligned in memory cut to whole vectors of 16 bytes, where they fill
/// one.
[[nodiscard]] std::vector<double> whole_vectors(const OpShape& kind, std::span<const double> sizes);
/// A calibration may hold a model of none of a kind's features, of the alignments, or of all.
[[nodiscard]] bool is_feature_count(const OpShape& kind, std::size_t count);

/// Kind and size of an op on a device. nullopt: no work on the device (views), or an op without a
/// rule. The device determines the arithmetic path of matrix work (TF32 units or not).
[[nodiscard]] std::optional<OpShape> shape_of(const schedule::Schedule& schedule,
                                              const schedule::ScheduledOp& op,
                                              const device::Device& device);

/// The op multiplies matrices: convolution, linear, products of tensors, attention, recurrent
/// layers.
[[nodiscard]] bool is_product(std::string_view op);

/// Attention whose sizes say how many heads share their keys and values: of few queries
/// (`attention_decode`), and what ends in `_grouped`.
[[nodiscard]] bool names_group(std::string_view op);

/// Recurrent layers: `lstm`, `gru`, `rnn`. The pass weight_gradient is of all weights.
[[nodiscard]] bool is_recurrent(std::string_view op);
/// Gates of a unit: 4, 3, 1.
[[nodiscard]] double gates_of(std::string_view recurrent_op);

/// Smaller ops that an op is made of.
struct OpPart {
  OpShape shape;
  double count = 1.0;
};
/// The products and the elementwise ops of recurrent layers, as if each ran by itself. The essay is
/// at the head of recurrent_parts.cpp.
[[nodiscard]] std::vector<OpPart> parts_of_recurrent(const OpShape& shape);

/// Work of the direct algorithm, from the sizes alone.
struct OpWork {
  double matrix_flops = 0.0;
  double bytes = 0.0;  ///< each operand and result once
  double rows = 0.0;   ///< independent pieces: output rows of a product, rows of a norm, planes
};
[[nodiscard]] OpWork work_of(const OpShape& shape);

/// Bytes that the op must move whatever its kernel: of strided windows only what they meet, of rows
/// and elements that indices pick only what is written, or 0 where several may be the same.
[[nodiscard]] double least_bytes(const OpShape& shape);
/// Part of the op's bytes (work_of) that are read or written for the first time: a norm by channels
/// reads its data once more for their mean and variance, and once more in its gradient.
[[nodiscard]] double compulsory_share(const OpShape& shape);

/// Bytes of one element of a type name: `bf16` 2, `tf32` 4.
[[nodiscard]] double element_bytes(std::string_view type);

/// Classes by which the host's cost of issuing a node is known (conv2d, batch_norm, unary, ...),
/// the closest first: the one that the node names, its op's, and a wider one. Empty ones are left
/// out by whoever asks.
[[nodiscard]] std::array<std::string_view, 3> host_classes_of(const graph::Node& node);

/// The typical time of a kind of op as a formula of its work, with parameters fitted to
/// measurements. The essay is at the head of op_curve.cpp.
class OpCurve {
 public:
  /// `parameters` as OpTable::curve holds them; `multiprocessors` of the measured device.
  OpCurve(const OpShape& kind, std::vector<double> parameters, double multiprocessors);

  /// Seconds on the measured device.
  [[nodiscard]] double time(std::span<const double> sizes) const;
  /// Time of the smallest op.
  [[nodiscard]] double floor() const;
  /// The same curve without the costs of features.
  [[nodiscard]] OpCurve plain() const;

  /// Number of a kind's parameters without those of its features, which are the last.
  [[nodiscard]] static std::size_t basic_parameters(const OpShape& kind);
  /// The parameters of a curve whose work, the floor apart, takes exp(`exponent`) times as long.
  [[nodiscard]] static std::vector<double> slowed_by(const OpShape& kind, double exponent,
                                                     std::vector<double> parameters);

  /// Parameters that fit the rows best; at least one row. `known_floor` is the time of the smallest
  /// op, for rows that are too large to show it.
  [[nodiscard]] static std::vector<double> fit(const OpShape& kind,
                                               std::span<const device::OpRow> rows,
                                               double multiprocessors,
                                               std::optional<double> known_floor = {});

 private:
  OpShape kind_;
  std::vector<double> parameters_;
  double multiprocessors_;
};

/// Time of ops of one kind: the curve, corrected by the measured neighbours. It remembers its
/// estimates, so each thread needs a model of its own.
class OpModel {
 public:
  struct Estimate {
    double time_s = 0.0;
    double deviation = 0.0;  ///< sd of log(time)
    double distance = 0.0;   ///< to the nearest measured op, in lengths of the correction
  };

  /// The table must outlive the model and be fitted. Throws Error (input) when the numbers of its
  /// parameters are those of no model.
  OpModel(std::string_view kind, const device::OpTable& table, double multiprocessors);

  [[nodiscard]] Estimate estimate(std::span<const double> sizes) const;
  [[nodiscard]] double floor() const { return curve_.floor(); }
  /// Whether the rows say something of such an op. Published convolutions may all have one kernel:
  /// other kernels and strides, an octave of area away, are other algorithms. True for all others.
  [[nodiscard]] bool covers(std::span<const double> sizes) const;

  /// The nearest sizes that published rows say something of: within a factor of two of the least
  /// and of the most of each size. The probe's grid ends where networks do: `sizes` themselves.
  [[nodiscard]] std::vector<double> nearest_inside(std::span<const double> sizes) const;
  /// sd of log(predicted / measured) with whole regions left out.
  [[nodiscard]] double error() const { return table_.error; }

  /// Workspace from the nearest measured ops. nullopt: nothing was observed.
  [[nodiscard]] std::optional<Workspace> workspace(std::span<const double> sizes) const;

 private:
  friend void fit_table(std::string_view kind, device::OpTable& table, double multiprocessors,
                        std::optional<double> known_floor);
  struct Neighbour {
    std::size_t row;
    double distance;
  };
  /// A feature whose cost the rows tell.
  [[nodiscard]] bool has_feature(std::span<const double> sizes) const;
  [[nodiscard]] std::vector<double> coordinates(std::span<const double> sizes) const;
  [[nodiscard]] std::vector<Neighbour> neighbours(const std::vector<double>& at, std::size_t count,
                                                  const std::vector<bool>* left_out) const;
  /// Rows of nearly the sizes that are asked for.
  struct Alike {
    double share = 0.0;     ///< part of the correction that they decide
    double residual = 0.0;  ///< their weighted mean of log(measured / curve)
  };
  [[nodiscard]] Alike alike_rows(const std::vector<double>& at,
                                 const std::vector<Neighbour>& near) const;
  [[nodiscard]] Estimate estimate_without(std::span<const double> sizes,
                                          const std::vector<bool>* left_out) const;

  OpShape kind_;
  const device::OpTable& table_;
  double multiprocessors_;
  std::vector<bool> told_;  ///< features whose cost the rows tell; others count as 0
  OpCurve curve_;
  OpCurve plain_;             ///< the curve of ops without features
  double most_slowed_ = 0.0;  ///< the most that a row with a feature takes over it, as a logarithm
  std::vector<double> residuals_;  ///< log(measured / curve) by row
  /// The least and the most of each size among published rows.
  std::vector<std::pair<double, double>> extents_;
  /// Areas of kernel and stride of published convolutions.
  std::set<std::pair<double, double>> kernels_;
  /// Estimates by sizes: a step asks for the same op as a bound and for the time carried over.
  mutable std::map<std::vector<double>, Estimate> known_;
  std::vector<double> coordinates_;  ///< coordinates of all rows, row by row, in lengths
};

/// Fits a table's curve, lengths, noise and amplitude to its rows, and finds its error with whole
/// regions left out. `known_floor` as for OpCurve::fit.
void fit_table(std::string_view kind, device::OpTable& table, double multiprocessors,
               std::optional<double> known_floor = {});

}  // namespace rooflab::predict
