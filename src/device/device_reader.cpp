// A device file is read strictly: a figure is a claim that predictions rest on, so a key, a unit or
// a sign that is not understood is an error at its place and never a default.

#include <algorithm>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "base/toml.hpp"
#include "rooflab/device/device.hpp"
#include "sourced_figure.hpp"

namespace rooflab::device {
namespace {

// A byte, an operation a second, a hertz; sizes are counted in 64 bits.
constexpr double least_figure = 1.0;
constexpr double most_figure = 1e18;

constexpr Unit flop_rates[] = {{"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}};
constexpr Unit integer_rates[] = {{"GOP/s", 1e9}, {"TOP/s", 1e12}, {"POP/s", 1e15}};
constexpr Unit byte_rates[] = {
    {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}, {"MiB/s", 1048576.0}, {"GiB/s", 1073741824.0}};
constexpr Unit sizes[] = {{"kB", 1e3},     {"MB", 1e6},        {"GB", 1e9},
                          {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};
constexpr Unit frequencies[] = {{"MHz", 1e6}, {"GHz", 1e9}};
constexpr Unit powers[] = {{"W", 1.0}, {"kW", 1e3}};
constexpr Unit multiprocessors[] = {{"SM", 1.0}, {"CU", 1.0}, {"cores", 1.0}};
constexpr Unit lanes[] = {{"lanes", 1.0}};

std::span<const Unit> units_of(std::string_view key) {
  if (key == "sm_count") return multiprocessors;
  if (key == "fp32_lanes_per_sm") return lanes;
  if (key == "boost_clock" || key == "base_clock" || key == "sustained_clock") return frequencies;
  if (key == "tdp") return powers;
  if (key == "memory" || key == "l2") return sizes;
  return byte_rates;  // bandwidth, gpu_link
}

double factor_of(const TomlValue& unit, std::span<const Unit> allowed) {
  std::vector<std::string> symbols;
  for (const Unit& candidate : allowed) {
    if (candidate.symbol == unit.as_string()) return candidate.times / candidate.over;
    symbols.emplace_back(candidate.symbol);
  }
  throw unit.error(format("'{}' has the wrong unit '{}'", unit.path(), unit.as_string()),
                   format("units allowed here: {}", join(symbols, ", ")));
}

Figure read_figure(const TomlTable& table, std::span<const Unit> units) {
  table.allow_only({"value", "unit", "source", "recalled", "note"});
  const TomlValue& value = table.at("value");
  Figure figure{.value = value.as_number() * factor_of(table.at("unit"), units),
                .unit = table.string("unit"),
                .printed_value = value.as_number(),
                .source = table.filled_string("source"),
                .recalled = table.optional_boolean("recalled").value_or(false),
                .note = table.optional_string("note").value_or("")};
  if (figure.printed_value <= 0.0) {
    throw value.error(format("'{}' must be above zero", value.path()),
                      "a figure that is not known is left out");
  }
  if (!(figure.value >= least_figure && figure.value <= most_figure)) {
    throw value.error(format("'{}' is out of range", value.path()),
                      format("{:g} to {:g} in base units; is the unit the right one?", least_figure,
                             most_figure));
  }
  return figure;
}

Fact read_fact(const TomlTable& table) {
  table.allow_only({"value", "source", "recalled", "note"});
  return Fact{.value = table.filled_string("value"),
              .source = table.filled_string("source"),
              .recalled = table.optional_boolean("recalled").value_or(false),
              .note = table.optional_string("note").value_or("")};
}

std::string read_id(const TomlTable& root) {
  const std::string& id = root.filled_string("id");
  const bool plain = std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!plain) {
    throw root.at("id").error(format("'{}' is not an id", id),
                              "lower-case letters, digits and '-', as in a100-sxm4-40gb");
  }
  return id;
}

DeviceNames read_names(const TomlTable& root) {
  return DeviceNames{.id = read_id(root),
                     .name = root.filled_string("name"),
                     .aliases = root.strings("aliases"),
                     .common = root.optional_string("common").value_or("")};
}

std::map<ArithmeticPath, Figure> read_rates(const TomlTable& table) {
  table.allow_only(enum_names<ArithmeticPath>);
  std::map<ArithmeticPath, Figure> rates;
  for (const ArithmeticPath path : values_of<ArithmeticPath>) {
    const std::span<const Unit> units = path == ArithmeticPath::int8_tensor_int32
                                            ? integer_rates
                                            : std::span<const Unit>(flop_rates);
    if (const TomlTable* figure = table.optional_table(name_of(path))) {
      rates.emplace(path, read_figure(*figure, units));
    }
  }
  return rates;
}

}  // namespace

Device read_device(std::string_view text, std::string file) {
  const TomlTable root = parse_toml(text, std::move(file));
  std::vector<std::string_view> keys = {"id",   "name", "aliases", "vendor", "architecture",
                                        "chip", "note", "common",  "peaks",  "sustained"};
  for (const FigureField& field : figure_fields) keys.push_back(field.key);
  for (const FactField& field : fact_fields) keys.push_back(field.key);
  root.allow_only(keys);

  DeviceNames names = read_names(root);
  Device device;
  device.id = std::move(names.id);
  device.name = std::move(names.name);
  device.aliases = std::move(names.aliases);
  device.common = std::move(names.common);
  device.vendor = root.filled_string("vendor");
  device.architecture = root.optional_string("architecture").value_or("");
  device.chip = root.optional_string("chip").value_or("");
  device.note = root.optional_string("note").value_or("");
  for (const FigureField& field : figure_fields) {
    if (const TomlTable* figure = root.optional_table(field.key)) {
      device.*field.member = read_figure(*figure, units_of(field.key));
    }
  }
  for (const FactField& field : fact_fields) {
    if (const TomlTable* fact = root.optional_table(field.key)) {
      device.*field.member = read_fact(*fact);
    }
  }
  if (const TomlTable* peaks = root.optional_table("peaks")) device.peaks = read_rates(*peaks);
  if (const TomlTable* sustained = root.optional_table("sustained")) {
    device.sustained = read_rates(*sustained);
  }
  return device;
}

DeviceNames read_device_names(std::string_view text, std::string file) {
  return read_names(parse_toml(text.substr(0, text.find("\n\n")), std::move(file)));
}

}  // namespace rooflab::device
