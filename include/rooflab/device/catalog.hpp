#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::device {

/// A device chosen by a name that a person gave.
struct ChosenDevice {
  Device device = {};
  std::optional<Note> note = {};  ///< which of several fitting devices was taken
};

/// The known devices and how people name them.
///
///     Catalog catalog = Catalog::built_in();
///     const Device t4 = catalog.find("Tesla T4");
///
/// Built-in files are read when they are needed: making the catalog takes less than a millisecond,
/// devices() a few milliseconds.
class Catalog {
 public:
  /// Makes a catalog of these devices. Throws Error (input) when two devices share an id.
  explicit Catalog(std::vector<Device> devices);

  /// The devices of data/devices, compiled into the program.
  [[nodiscard]] static Catalog built_in();

  /// Reads every `*.toml` of a folder. A device whose id is known replaces the known one, others
  /// are added. Throws Error (input) when the folder cannot be read or has no such file, when a
  /// file is wrong, and when two files of the folder share an id; the catalog is then unchanged.
  void add_folder(const std::filesystem::path& folder);

  /// Adds a device, or replaces the one with its id.
  void add(Device device);

  /// The device that `name` means: an id, else a name or an alias, else an unambiguous prefix of
  /// one that ends at the end of a word. Case, separators and a leading maker or brand (NVIDIA,
  /// AMD, Tesla, GeForce, Instinct) do not matter: `A100-SXM4-40GB`, `rtx3090`, `Tesla T4`, `h200`.
  /// Throws Error (usage) when nothing fits (the hint names the nearest id) and when several
  /// devices fit (the hint lists their ids): for names that programs and drivers give.
  [[nodiscard]] Device find(std::string_view name) const;

  /// Devices by the names that people type, in their order: names as for find(), `all`, and
  /// patterns of ids with `*`: `a100*`. If several devices fit a name, the one marked `common` in
  /// its file is taken. Throws Error (usage) for a name that fits nothing, and one Error for all
  /// ambiguous names.
  [[nodiscard]] std::vector<ChosenDevice> choose(std::span<const std::string> names) const;

  /// All devices with their figures, by id.
  [[nodiscard]] std::vector<Device> devices() const;

  /// Whether a device has exactly this id.
  [[nodiscard]] bool has(const std::string& id) const { return entries_.contains(id); }

  /// All ids, in order.
  [[nodiscard]] std::vector<std::string> ids() const;

 private:
  struct Entry {
    DeviceNames names = {};
    std::variant<EmbeddedFile, Device> content = {};

    [[nodiscard]] Device device() const;
  };

  Catalog() = default;

  static Entry entry_of(Device device);

  /// Ids of the devices that a name fits best. Throws Error (usage) without any.
  [[nodiscard]] std::vector<std::string> fitting(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> like(std::string_view pattern) const;
  [[nodiscard]] std::vector<std::string> names() const;  ///< ids and aliases

  std::map<std::string, Entry> entries_;  // by id
};

/// A measured figure with the datasheet's.
struct ProbedFigure {
  MeasuredFigure measured = {};
  std::optional<double> datasheet = {};

  [[nodiscard]] std::optional<double> datasheet_share() const;
};

/// Messages of one collective, number of ranks and size, with the datasheet's bandwidth of one
/// direction.
struct ProbedLink {
  LinkRow measured = {};
  std::optional<double> datasheet = {};

  /// Bus bandwidth as nccl-tests define it: 2 (n-1)/n times bytes over time for an all-reduce,
  /// bytes over time for a copy.
  [[nodiscard]] double bus_bytes_per_s() const;
  [[nodiscard]] std::optional<double> datasheet_share() const;
};

/// The measured ops of one kind.
struct ProbedOps {
  std::string kind = {};
  OpTable table = {};

  [[nodiscard]] std::size_t count() const { return table.rows.size(); }
  [[nodiscard]] std::optional<double> shortest_s() const;
  [[nodiscard]] std::optional<double> longest_s() const;
};

/// Measurements of `rooflab probe` with the datasheet's figures.
struct ProbedDevice {
  Calibration calibration = {};
  std::optional<Device> known = {};  ///< entry in the catalog; nullopt: none fits

  [[nodiscard]] std::vector<ProbedFigure> figures() const;
  /// The measured messages, sorted by collective, ranks and size.
  [[nodiscard]] std::vector<ProbedLink> links() const;
  [[nodiscard]] std::vector<ProbedOps> ops() const;
};

[[nodiscard]] std::span<const Field> fields_of(For<ProbedFigure>);
[[nodiscard]] std::span<const Field> fields_of(For<ProbedLink>);
[[nodiscard]] std::span<const Field> fields_of(For<ProbedOps>);
[[nodiscard]] std::span<const Field> fields_of(For<ProbedDevice>);

}  // namespace rooflab::device
