#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/quantity.hpp"

namespace rooflab::device {

/// A number of a device with the unit and the source that its file states.
struct Figure {
  double value = 0.0;          ///< in base units: FLOP/s, OP/s, B/s, B, Hz, W, or a count
  std::string unit = {};       ///< unit in the file: `TFLOP/s`, `GB/s`, `GB`, `MHz`, ...
  double printed_value = 0.0;  ///< value in the file, in `unit`
  std::string source = {};     ///< a citation, never empty
  bool recalled = false;       ///< written from memory, not read in a source
  std::string note = {};       ///< may be empty
  bool measured = false;       ///< `rooflab probe` measured it (calibration.hpp)

  bool operator==(const Figure&) const = default;
};
[[nodiscard]] std::span<const Field> fields_of(For<Figure>);

/// A property that is not a quantity (`HBM2`, `4.0 x16`), with its source.
struct Fact {
  std::string value = {};
  std::string source = {};
  bool recalled = false;
  std::string note = {};

  bool operator==(const Fact&) const = default;
};
[[nodiscard]] std::span<const Field> fields_of(For<Fact>);

/// A device as its datasheet describes it. A figure that nobody published is absent, never zero or
/// -1. A board with two dies is a separate device in addition to the one for a die.
struct Device {
  std::string id = {};    ///< what people type: `a100-sxm4-40gb`; lower-case words joined by `-`
  std::string name = {};  ///< for people: `A100 SXM4 40GB`
  std::vector<std::string> aliases = {};
  std::string vendor = {};
  std::string architecture = {};  ///< may be empty
  std::string chip = {};          ///< may be empty
  std::string note = {};          ///< about the device as a whole; may be empty
  std::string driver = {};        ///< version, for a device of this machine; empty: not known
  std::string common = {};        ///< why an ambiguous name means this device; may be empty

  std::optional<Fact> compute_capability = {};  ///< `8.0`; AMD: `gfx90a`
  std::optional<Fact> memory_type = {};         ///< `HBM2`
  std::optional<Fact> pcie = {};                ///< `4.0 x16`

  std::optional<Figure> sm_count = {};           ///< multiprocessors (SM) or compute units (CU)
  std::optional<Figure> fp32_lanes_per_sm = {};  ///< FP32 multiply-add lanes per multiprocessor
  std::optional<Figure> boost_clock = {};        ///< Hz
  std::optional<Figure> base_clock = {};         ///< Hz, guaranteed under load by the maker
  /// Hz that the board keeps in long, large FP32 products on its vector lanes: below the boost
  /// clock where power or temperature caps it. For predictions; limits take the datasheet's peaks.
  std::optional<Figure> sustained_clock = {};
  std::optional<Figure> memory = {};     ///< bytes, as the datasheet states them
  std::optional<Figure> bandwidth = {};  ///< bandwidth of the memory, B/s
  std::optional<Figure> l2 = {};         ///< bytes
  std::optional<Figure> tdp = {};        ///< W
  std::optional<Figure> gpu_link = {};   ///< NVLink or Infinity Fabric, both directions, B/s

  /// FLOP/s (int8: OP/s) by path, dense, at the clock that the datasheet uses.
  std::map<ArithmeticPath, Figure> peaks = {};
  /// Measured FLOP/s by path in long, large products, including the library's efficiency. For
  /// predictions (calibration.hpp, sustained_ratio()).
  std::map<ArithmeticPath, Figure> sustained = {};

  bool operator==(const Device&) const = default;
};
[[nodiscard]] std::span<const Field> fields_of(For<Device>);

/// Key of a figure in the device file, and its name for people.
struct FigureField {
  std::string_view key = {};
  std::string_view label = {};
  std::optional<Figure> Device::*member = {};
};

struct FactField {
  std::string_view key = {};
  std::string_view label = {};
  std::optional<Fact> Device::*member = {};
};

/// All figures except the peaks, in the order of tables:
///
///     for (const FigureField& field : figure_fields) {
///       if (const std::optional<Figure>& figure = device.*field.member) ...
///     }
inline constexpr std::array figure_fields = {
    FigureField{"sm_count", "multiprocessors", &Device::sm_count},
    FigureField{"fp32_lanes_per_sm", "FP32 lanes per multiprocessor", &Device::fp32_lanes_per_sm},
    FigureField{"boost_clock", "boost clock", &Device::boost_clock},
    FigureField{"base_clock", "base clock", &Device::base_clock},
    FigureField{"sustained_clock", "sustained clock (FP32 products)", &Device::sustained_clock},
    FigureField{"memory", "memory", &Device::memory},
    FigureField{"bandwidth", "memory bandwidth", &Device::bandwidth},
    FigureField{"l2", "L2 cache", &Device::l2},
    FigureField{"tdp", "thermal design power", &Device::tdp},
    FigureField{"gpu_link", "GPU link (both directions)", &Device::gpu_link},
};

inline constexpr std::array fact_fields = {
    FactField{"compute_capability", "compute capability", &Device::compute_capability},
    FactField{"memory_type", "memory type", &Device::memory_type},
    FactField{"pcie", "PCIe", &Device::pcie},
};

/// The peak of a path in FLOP/s, or nullopt when the device has none.
[[nodiscard]] std::optional<double> peak(const Device& device, ArithmeticPath path);

/// The device's memory; nullopt when its file does not state it. Throws Error (range) beyond 64
/// bits.
[[nodiscard]] std::optional<Bytes> memory_of(const Device& device);

/// Whether the device has units for bf16: a bf16 peak, or NVIDIA's compute capability 8.0 or later.
/// True for a CPU (a device without multiprocessors): PyTorch's autocast takes bf16 there.
[[nodiscard]] bool computes_bf16(const Device& device);

/// Precision in which a device runs a case of precision `asked`: `amp` becomes amp_fp16 where the
/// device does not compute bf16. Source: torch.cuda.is_bf16_supported without emulation.
[[nodiscard]] Precision precision_on(const Device& device, Precision asked);

/// Arithmetic intensity, in FLOP/byte, at which the path's roof meets the memory's:
/// peak / bandwidth. Work below it is bound by memory, above it by arithmetic. nullopt when the
/// device lacks the path or the bandwidth.
/// Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009.
[[nodiscard]] std::optional<double> ridge_point(const Device& device, ArithmeticPath path);

/// Reads one device file; docs/formats/device.md describes the format.
///
/// `file` is only used in locations. Throws Error (input) with file:line:column on wrong syntax, an
/// unknown key, a missing id, name or vendor, a figure without unit or source, a unit that the key
/// does not take (the hint lists those it takes), and a figure that is not above zero.
[[nodiscard]] Device read_device(std::string_view text, std::string file);

/// Names of a device, without its figures.
struct DeviceNames {
  std::string id = {};
  std::string name = {};
  std::vector<std::string> aliases = {};
  std::string common = {};
};

/// Reads the names of a device from the first paragraph of its file. Twenty times faster than
/// read_device(), so that looking up one device does not read all. Throws as read_device().
[[nodiscard]] DeviceNames read_device_names(std::string_view text, std::string file);

struct Device;

/// A link between devices, as its standard or datasheet describes it. Source: data/links.toml,
/// compiled in.
struct Link {
  std::string id = {};     ///< `nvlink4`, `pcie4`, `10gbe`, `ib-ndr`
  std::string name = {};   ///< for people
  double bandwidth = 0.0;  ///< in one direction of one device, B/s
  double latency_s = 0.0;  ///< latency of one message between neighbours, software included
  std::string source = {};
  std::string latency_source = {};
  /// Multiprocessors that kernels of the collective library occupy; nullopt: not known.
  std::optional<int> multiprocessors = {};
  std::string multiprocessors_source = {};
};
[[nodiscard]] std::span<const Field> fields_of(For<Link>);

/// All known links, slowest first.
[[nodiscard]] const std::vector<Link>& links();
/// Finds a link by its id. Throws Error (usage) with the nearest name, or all, as the hint.
[[nodiscard]] const Link& link_from_name(std::string_view name);
/// The link that a device's datasheet names (NVLink before PCIe), with the device's own bandwidth
/// where it has fewer lanes. nullopt when it names none.
[[nodiscard]] std::optional<Link> link_of(const Device& device);
/// Whether both devices have a link, of one kind and bandwidth.
[[nodiscard]] bool have_one_link(const Device& one, const Device& other);

}  // namespace rooflab::device
