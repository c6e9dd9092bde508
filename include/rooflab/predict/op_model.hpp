#pragma once

#include <array>
#include <memory>
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
  std::string op = {};    ///< `conv2d`, `conv2d_depthwise`, `linear`, `relu`, `add_broadcast`, ...
  std::string pass = {};  ///< `forward`, `data_gradient`, `weight_gradient`, `backward`, `step`
  std::string type = {};  ///< for matrix ops `fp32`, `tf32`, ...; else the data's: `f32`, `bf16`
  std::string layout = {};         ///< `nchw` or `nhwc` where it matters; else empty
  std::vector<double> sizes = {};  ///< one for each of columns_of(op), all 1 or more

  [[nodiscard]] std::string kind() const;
  friend bool operator==(const OpShape&, const OpShape&) = default;
};

/// An attention module that evaluation runs as one call (graph::AttentionModule): its kind and
/// sizes. The times of its single ops are then ignored.
[[nodiscard]] OpShape shape_of(const graph::Graph& graph, const graph::AttentionModule& module,
                               Precision precision, const device::Device& device);

/// Parses the name of a kind into its parts; sizes are empty.
[[nodiscard]] OpShape shape_of_kind(std::string_view kind);

/// Names of the sizes of an op: conv2d has batch, pixels (of the output), in_channels and
/// out_channels (of one group), groups, kernel (height times width), stride (height times width);
/// an lstm has batch, steps, input, hidden, layers, directions.
[[nodiscard]] std::span<const std::string_view> columns_of(std::string_view op);

/// Places in columns_of(op) of the sizes that decide the alignment of operand rows in memory:
/// libraries load 16 bytes at a time where these sizes are multiples of 16 bytes, and use slower
/// kernels elsewhere.
[[nodiscard]] std::span<const std::size_t> aligned_columns_of(const OpShape& kind);

/// Distance of a size from a multiple of 16 bytes of a type: 0 for a multiple, else the log2 of 16
/// bytes over the largest power of two that divides it. bf16: 0 for 64, 1 for 100, 3 for 197.
[[nodiscard]] double misalignment(double size, std::string_view type);

/// Places in columns_of(op) of the sizes that product kernels cut into tiles: channels of
/// convolutions, features of linear layers, extents of products of two tensors, queries and keys of
/// attention.
[[nodiscard]] std::span<const std::size_t> padded_columns_of(const OpShape& kind);

/// Extent of the tiles of a kind: 128 for attention, else 64.
[[nodiscard]] double tile_of(const OpShape& kind);

/// Log2 of the factor by which a size grows when it is padded to whole tiles. For tiles of 64: 0
/// for 128, 0.415 for 96, 1 for 32.
[[nodiscard]] double padding(double size, double tile);

/// Feature `j` of `feature_count(kind)`: first the misalignments of aligned_columns_of(kind), then
/// the paddings of padded_columns_of(kind).
[[nodiscard]] double feature(const OpShape& kind, std::span<const double> sizes, std::size_t j);
[[nodiscard]] std::size_t feature_count(const OpShape& kind);
/// Whether the rows show the cost of each feature: some rows have it in a size that fills at least
/// a vector of 16 bytes, or a tile. In smaller sizes a feature is only the size itself: rows whose
/// keys are all powers of two do not show the cost of 4,097 keys, although 1 and 2 are misaligned
/// too.
[[nodiscard]] std::vector<bool> told_features(const OpShape& kind,
                                              std::span<const device::OpRow> rows);
/// Returns the sizes with aligned_columns_of(kind) rounded down to whole vectors of 16 bytes, where
/// they fill one.
[[nodiscard]] std::vector<double> whole_vectors(const OpShape& kind, std::span<const double> sizes);
/// Whether a calibration can have this number of features of a kind: none, the alignments, or all.
[[nodiscard]] bool is_feature_count(const OpShape& kind, std::size_t count);

/// Kind and size of an op on a device. nullopt: no work on the device (views), or an op without a
/// rule. The device determines the arithmetic path of matrix work (TF32 units or not).
[[nodiscard]] std::optional<OpShape> shape_of(const schedule::Schedule& schedule,
                                              const schedule::ScheduledOp& op,
                                              const device::Device& device);

/// Whether an op multiplies matrices: convolution, linear, products of tensors, attention,
/// recurrent layers.
[[nodiscard]] bool is_product(std::string_view op);

/// Whether an attention op has the number of heads that share keys and values among its sizes:
/// `attention_decode` (few queries), and names that end in `_grouped`.
[[nodiscard]] bool names_group(std::string_view op);

/// Whether an op is a recurrent layer: `lstm`, `gru`, `rnn`. Its pass weight_gradient is for all
/// weights.
[[nodiscard]] bool is_recurrent(std::string_view op);
/// Number of gates of a recurrent unit: lstm 4, gru 3, rnn 1.
[[nodiscard]] double gates_of(std::string_view recurrent_op);

/// A smaller op that is a part of an op.
struct OpPart {
  OpShape shape = {};
  double count = 1.0;
};
/// The products and the elementwise ops of recurrent layers, as if each ran by itself. The essay is
/// at the head of recurrent_parts.cpp.
[[nodiscard]] std::vector<OpPart> parts_of_recurrent(const OpShape& shape);

/// Work of the direct algorithm, from the sizes alone.
struct OpWork {
  double matrix_flops = 0.0;
  double bytes = 0.0;  ///< each operand and result once
  double rows = 0.0;   ///< independent pieces: output rows of a product, rows of a norm, or planes
};
[[nodiscard]] OpWork work_of(const OpShape& shape);

/// Bytes that any kernel of the op must move. Strided windows count only the elements that they
/// touch. For rows and elements picked by indices only writes count, or 0 where indices may repeat.
[[nodiscard]] double least_bytes(const OpShape& shape);
/// Share of the op's bytes (work_of) that are read or written for the first time: a norm by
/// channels reads its data a second time for mean and variance, and again in its gradient.
[[nodiscard]] double compulsory_share(const OpShape& shape);

/// Bytes of one element of a type name: `bf16` 2, `tf32` 4.
[[nodiscard]] double element_bytes(std::string_view type);

/// Classes of the host's cost of issuing a node (conv2d, batch_norm, unary, ...), closest first:
/// the class that the node names, its op's class, and a wider one. Callers skip empty ones.
[[nodiscard]] std::array<std::string_view, 3> host_classes_of(const graph::Node& node);

/// The typical time of a kind of op as a formula of its work, with parameters fitted to
/// measurements. The essay is at the head of op_curve.cpp.
class OpCurve {
 public:
  /// Makes a curve. `parameters`: as in OpTable::curve; `multiprocessors`: of the measured device.
  OpCurve(const OpShape& kind, std::vector<double> parameters, double multiprocessors);

  /// Time on the measured device in seconds.
  [[nodiscard]] double time(std::span<const double> sizes) const;
  /// Time of the smallest op.
  [[nodiscard]] double floor() const;
  /// Returns this curve without the costs of features.
  [[nodiscard]] OpCurve plain() const;

  /// Number of a kind's parameters without those of its features, which are the last.
  [[nodiscard]] static std::size_t basic_parameters(const OpShape& kind);
  /// Parameters of a curve whose time without the floor is exp(`exponent`) times as long.
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

class TableFit;

/// Time of ops of one kind: the curve, corrected by the measured neighbours. Threads may share a
/// model; it remembers some thousand estimates.
class OpModel {
 public:
  struct Estimate {
    double time_s = 0.0;
    double deviation = 0.0;  ///< sd of log(time)
    double distance = 0.0;   ///< distance to the nearest measured op, in correlation lengths
  };

  /// The table must outlive the model and be fitted. Throws Error (input) when the numbers of its
  /// parameters fit no model.
  OpModel(std::string_view kind, const device::OpTable& table, double multiprocessors);

  [[nodiscard]] Estimate estimate(std::span<const double> sizes) const;
  [[nodiscard]] double floor() const { return curve_.floor(); }
  /// Whether the rows are valid for these sizes. Published convolutions may all have one kernel
  /// size: kernels and strides a factor of two in area away run other algorithms. True for all
  /// other ops.
  [[nodiscard]] bool covers(std::span<const double> sizes) const;

  /// Nearest sizes for which published rows are valid: within a factor of two of the smallest and
  /// largest of each size. Returns `sizes` for rows of a probe, whose grid covers the sizes of
  /// networks.
  [[nodiscard]] std::vector<double> nearest_inside(std::span<const double> sizes) const;
  /// Standard deviation of log(predicted / measured) with whole regions left out.
  [[nodiscard]] double error() const { return table_.error; }

  /// Workspace from the nearest measured ops. nullopt: nothing was observed.
  [[nodiscard]] std::optional<Workspace> workspace(std::span<const double> sizes) const;

 private:
  friend class TableFit;
  struct Neighbour {
    std::size_t row = {};
    double distance = {};
  };
  /// Whether the sizes have a feature whose cost the rows show.
  [[nodiscard]] bool has_feature(std::span<const double> sizes) const;
  [[nodiscard]] std::vector<double> coordinates(std::span<const double> sizes) const;
  [[nodiscard]] std::vector<Neighbour> neighbours(const std::vector<double>& at, std::size_t count,
                                                  const std::vector<bool>* left_out) const;
  /// Rows with nearly the given sizes.
  struct Alike {
    double share = 0.0;     ///< share of the correction that these rows decide
    double residual = 0.0;  ///< weighted mean of log(measured / curve)
  };
  [[nodiscard]] Alike alike_rows(const std::vector<double>& at,
                                 const std::vector<Neighbour>& near) const;
  [[nodiscard]] Estimate estimate_without(std::span<const double> sizes,
                                          const std::vector<bool>* left_out) const;

  [[nodiscard]] std::optional<Workspace> workspace_of(std::span<const double> sizes) const;

  OpShape kind_;
  const device::OpTable& table_;
  double multiprocessors_;
  std::vector<bool> told_;  ///< features whose cost the rows show; others count as 0
  OpCurve curve_;
  OpCurve plain_;                  ///< the curve of ops without features
  double most_slowed_ = 0.0;       ///< largest log(measured / plain_) of rows with a feature
  std::vector<double> residuals_;  ///< log(measured / curve) by row
  /// Smallest and largest value of each size among published rows.
  std::vector<std::pair<double, double>> extents_;
  /// Areas of kernel and stride of published convolutions.
  std::set<std::pair<double, double>> kernels_;
  /// Estimates and workspaces by sizes: a step needs an op both as a bound and for scaling to
  /// another device.
  struct Known;
  std::shared_ptr<Known> known_;
  std::vector<double> coordinates_;  ///< coordinates of all rows, row by row, in lengths
};

/// Fits a table's curve, lengths, noise and amplitude to its rows, and finds its error with whole
/// regions left out. `known_floor`: see OpCurve::fit().
void fit_table(std::string_view kind, device::OpTable& table, double multiprocessors,
               std::optional<double> known_floor = {});

}  // namespace rooflab::predict
