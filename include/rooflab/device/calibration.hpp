#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/record/host_costs.hpp"

/// Measurements of a device: figures, single ops, and the host's time to issue work. `rooflab
/// probe` makes them, the calibrated prediction reads them; docs/formats/calibration.md describes
/// the file.
namespace rooflab::device {

/// One measured figure: `dram.read` in B/s, `gemm.bf16_tensor_fp32` in FLOP/s, `launch.issue` in s.
struct MeasuredFigure {
  std::string name = {};
  std::string unit = {};  ///< `B/s`, `FLOP/s`, `OP/s`, `s`, `B`; `1`: a ratio
  double value = 0.0;     ///< median
  double least = 0.0;
  double most = 0.0;
  int repetitions = 0;
  std::string at = {};  ///< size of the measurement: `8192 x 8192 x 8192`, `8 GiB`; may be empty

  bool operator==(const MeasuredFigure&) const = default;
};

/// One row of the vector-addition study. Seconds of the median repetition.
struct VectorAddition {
  std::string launch = {};                 ///< `cpu`, `1x1`, `1x256`, `Nx256` (blocks x threads)
  std::string memory = {};                 ///< `host`, `device` (cudaMalloc and copies), `managed`
  std::int64_t elements = 0;               ///< length of each of the three arrays of floats
  double kernel_s = 0.0;                   ///< the addition itself; on the CPU the loop
  std::optional<double> to_device_s = {};  ///< copies of both operands; nullopt without copies
  std::optional<double> to_host_s = {};    ///< copy of the sum, or the host's first reading of it
  double total_s = 0.0;                    ///< copies, kernel and waiting
  bool correct = false;                    ///< equal to the CPU's sums

  bool operator==(const VectorAddition&) const = default;
};

/// One measured op, or one gradient of it.
struct OpRow {
  std::vector<double> sizes = {};  ///< in the order of OpTable::columns
  double time_s = 0.0;             ///< time on the device
  /// Device memory held temporarily in addition to operands and results; nullopt: not observed.
  std::optional<double> workspace_bytes = {};

  bool operator==(const OpRow&) const = default;
};

/// Publication of rows that `rooflab probe` did not measure itself.
struct Origin {
  std::string title = {};  ///< `NeuSight, single ops`
  std::string url = {};
  std::string license = {};      ///< `MIT`
  std::string environment = {};  ///< frameworks and libraries it was measured with

  bool operator==(const Origin&) const = default;
};

/// Selection and scaling of published rows of one kind (docs/methods/probe.md).
struct PublishedRows {
  std::string origin = {};  ///< name in Calibration::origins
  int rows = 0;             ///< published
  int too_short = 0;        ///< dropped: mostly the time of a launch
  int outliers = 0;         ///< dropped: far from the curve of the other rows
  double launch_s = 0.0;    ///< subtracted from each time; below zero: added
  /// Mean of |predicted / published - 1| over the held-out quarter, predicted from all other rows
  /// and from the kept rows.
  double error_of_all = 0.0;
  double error_of_kept = 0.0;
  /// Factor by which times were divided. If it comes from a device with both own and published
  /// rows, `spread` is the standard deviation of its logarithm over that device's rows.
  double factor = 1.0;
  double spread = 0.0;

  bool operator==(const PublishedRows&) const = default;
};

/// All measured ops of one kind (class, pass, type, layout), and the model fitted to them.
struct OpTable {
  /// Names of the sizes: `batch`, `pixels`, `in_channels`, ...
  std::vector<std::string> columns = {};
  std::vector<OpRow> rows = {};
  std::vector<double> curve = {};  ///< parameters of the kind's curve; empty: not fitted
  /// Correlation lengths of the correction in log2 of the size, one per column; then one per fitted
  /// feature of the kind (predict::feature).
  std::vector<double> lengths = {};
  double noise = 0.0;      ///< sd of a repeated measurement, in log time
  double amplitude = 0.0;  ///< sd of the correction around the curve, in log time
  double error = 0.0;      ///< sd of log(predicted / measured) with whole regions left out
  std::optional<PublishedRows> published = {};  ///< nullopt: measured by `rooflab probe`

  bool operator==(const OpTable&) const = default;
};

/// Whether more of the kind should be measured: fewer than 50 rows, and an error above 30 %. Few
/// rows alone do not require it: a dozen are enough for an elementwise op, while convolution times
/// scatter by more than 30 % with any number of rows.
[[nodiscard]] bool is_rough(const OpTable& table);

[[nodiscard]] std::span<const Field> fields_of(For<MeasuredFigure>);
[[nodiscard]] std::span<const Field> fields_of(For<VectorAddition>);

using record::HostCost;
using record::HostCosts;

/// One message between devices of the host, measured by `rooflab probe --links`.
struct LinkRow {
  std::string collective = {};  ///< `all_reduce`; `copy`: from one device to another
  int ranks = 2;
  double bytes = 0.0;
  double time_s = 0.0;      ///< median of the slowest rank
  std::string origin = {};  ///< name in Calibration::origins; empty: measured by `rooflab probe`

  bool operator==(const LinkRow&) const = default;
};

/// Everything `rooflab probe` measured on one device.
struct Calibration {
  std::string id = {};      ///< stem of its file: `h200-sxm`
  std::string device = {};  ///< id of the device in the catalog; empty: none fits
  std::string device_name = {};
  std::string command = {};  ///< the command line that made it
  /// Driver, libraries, clocks, throttle reasons
  std::map<std::string, std::string> environment = {};
  std::vector<MeasuredFigure> figures = {};
  std::vector<VectorAddition> vector_additions = {};
  std::map<std::string, Origin> origins = {};  ///< publications of rows, under their names
  std::map<std::string, OpTable> ops = {};     ///< keys are kinds: `conv2d.forward.tf32.nchw`
  std::vector<HostCosts> hosts = {};
  std::vector<LinkRow> links = {};  ///< messages to devices of the same kind
  std::vector<Note> notes = {};     ///< measurements that failed, one sentence each

  [[nodiscard]] const MeasuredFigure* find(std::string_view name) const;
  bool operator==(const Calibration&) const = default;
};

/// Expected error of the model for ops of other sizes than the measured ones: the mean over the
/// kinds that `rooflab probe` measured, weighted by their rows; nullopt: none has a model.
[[nodiscard]] std::optional<double> expected_error(const Calibration& calibration);

[[nodiscard]] std::span<const Field> fields_of(For<OpRow>);
[[nodiscard]] std::span<const Field> fields_of(For<Origin>);
[[nodiscard]] std::span<const Field> fields_of(For<PublishedRows>);
[[nodiscard]] std::span<const Field> fields_of(For<OpTable>);
[[nodiscard]] std::span<const Field> fields_of(For<LinkRow>);

/// Reads a calibration. `file` is only used in locations. Throws Error (input) with
/// file:line:column on wrong syntax, unknown keys, missing units, rows of another width than their
/// columns, figures that are not finite or not above zero.
[[nodiscard]] Calibration read_calibration(std::string_view text, std::string file);

/// The calibration as TOML; reading it gives the same calibration.
[[nodiscard]] std::string to_toml(const Calibration& calibration);

/// The device with its measured roofs in place of the datasheet's: bandwidth is the envelope of
/// read, write, copy and triad, a peak the best of the loop and the GEMM on that path. `known` is
/// the catalog's device, or a bare one with id and name for a device that is not in it.
[[nodiscard]] Device with_measured_roofs(Device known, const Calibration& calibration);

/// One kind of op in a calibration: `conv2d.forward.tf32.nchw`.
struct CalibratedKind {
  std::string name = {};
  bool fitted = false;     ///< a curve is fitted to its rows, so that it can predict
  bool published = false;  ///< its rows were published; else `rooflab probe` measured them

  bool operator==(const CalibratedKind&) const = default;
};

/// Properties of a calibration that are known before its tables are read.
struct CalibrationEntry {
  std::string id = {};
  std::string device = {};  ///< id of the device in the catalog; empty: none fits
  std::string device_name = {};
  std::string date = {};                   ///< date of its environment; empty: not stated
  std::vector<std::string> figures = {};   ///< names
  std::vector<CalibratedKind> kinds = {};  ///< kinds of its op tables, sorted by name
  std::vector<std::string> issuers = {};   ///< issuers of its host costs

  bool operator==(const CalibrationEntry&) const = default;
};

[[nodiscard]] CalibrationEntry entry_of(const Calibration& calibration);

/// A calibration that is read once, when it is first needed. Copies share what was read; several
/// threads may read.
///
///     for (const LazyCalibration& each : built_in_calibrations()) {
///       if (each.entry().device == "h200-sxm") use(*each.read());
///     }
class LazyCalibration {
 public:
  /// Takes a `reader` that makes the calibration described by `entry`.
  LazyCalibration(CalibrationEntry entry, std::function<Calibration()> reader);
  /// Takes a calibration that was already read.
  explicit LazyCalibration(Calibration calibration);

  [[nodiscard]] const CalibrationEntry& entry() const;
  /// The whole calibration. Throws what the reader throws.
  [[nodiscard]] std::shared_ptr<const Calibration> read() const;
  [[nodiscard]] bool is_read() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// The calibrations compiled into the program (data/calibrations), in the order of their files. The
/// first call takes less than a millisecond: it reads only the entries. Throws Error (capability),
/// here or in read(), when the program file is damaged.
[[nodiscard]] const std::vector<LazyCalibration>& built_in_calibrations();

// Names of a probe's figures.

/// A name of three parts such as `gemm.tf32_tensor.4096`.
struct FigureName {
  std::string group = {};                   ///< `dram`, `gemm`, `peak`, ...: up to the first dot
  std::optional<ArithmeticPath> path = {};  ///< named by the second part
  std::string size = {};                    ///< the third part; may be empty
};
[[nodiscard]] FigureName figure_name(std::string_view name);

/// For people: `memory, read`, `TF32 tensor, matrix product`; an unknown name as it is.
[[nodiscard]] std::string label_of_figure(std::string_view name);

/// Datasheet figure that a measured figure is compared with: the bandwidth for `dram.read`, the
/// peak of the named path for `gemm.tf32`, `peak.tf32` and `sustained.tf32`.
[[nodiscard]] std::optional<double> datasheet_figure(std::string_view name, const Device* known);

struct Device;

/// Share of its clock that a board keeps in long, large products; 1 is the clock of the peak.
struct SustainedRatio {
  enum class Basis {
    figure,  ///< `sustained_clock` or `[sustained]` of the device file
    rule,    ///< a rule fitted to the devices that have such figures
  };

  double value = 1.0;      ///< above 0, at most 1
  double deviation = 0.0;  ///< standard deviation of its logarithm
  Basis basis = Basis::rule;
};

/// Sustained share of the clock on a path, without the library's efficiency: a factor for the peak.
/// Vector lanes draw less power than tensor cores, so the two have separate rules; fp64_tensor and
/// fp32_matrix follow the vector rule. nullopt where neither a figure nor a rule applies: a board
/// without base clock or power, or of a maker other than NVIDIA without figures. Formulas, fit and
/// errors: docs/formats/device.md, sustained_ratio.cpp.
///
///     if (const auto kept = sustained_ratio(device, ArithmeticPath::bf16_tensor_fp32)) {
///       rate = *peak(device, path) * kept->value;
///     }
[[nodiscard]] std::optional<SustainedRatio> sustained_ratio(
    const Device& device, ArithmeticPath path = ArithmeticPath::fp32_vector);

}  // namespace rooflab::device
