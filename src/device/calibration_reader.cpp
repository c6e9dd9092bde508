// docs/formats/calibration.md describes the file. Nothing is guessed: a key that is not known, a
// unit that is not there and a number out of its range are errors at their place.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "base/toml.hpp"
#include "calibration_rows.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::device {
namespace {

double positive(const TomlValue& value) {
  const double number = value.as_number();
  if (number <= 0.0 || !std::isnormal(number)) {
    throw value.error(format("'{}' must be above zero", value.path()),
                      "a figure that was not measured is left out");
  }
  return number;
}

double not_negative(const TomlValue& value) {
  const double number = value.as_number();
  if (number < 0.0) throw value.error(format("'{}' must not be below zero", value.path()));
  return number;
}

std::optional<double> optional_not_negative(const TomlTable& table, std::string_view key) {
  const TomlValue* const value = table.find(key);
  return value == nullptr ? std::nullopt : std::optional(not_negative(*value));
}

int repetitions_of(const TomlTable& table) {
  const TomlValue& value = table.at("repetitions");
  const std::int64_t count = value.as_integer();
  if (count < 1 || count > std::numeric_limits<int>::max()) {
    throw value.error(format("'{}' must be 1 or more", value.path()));
  }
  return static_cast<int>(count);
}

std::string read_unit(const TomlTable& table) {
  const std::array<std::string, 6> units = {"B/s", "FLOP/s", "OP/s", "s", "B", "1"};
  const std::string& unit = table.string("unit");
  if (std::find(units.begin(), units.end(), unit) != units.end()) return unit;
  throw table.at("unit").error(format("'{}' has the wrong unit '{}'", table.path(), unit),
                               format("units allowed here: {}", join(units, ", ")));
}

MeasuredFigure read_figure(const TomlTable& table) {
  table.allow_only({"name", "unit", "value", "least", "most", "repetitions", "at"});
  MeasuredFigure figure{.name = table.filled_string("name"),
                        .unit = read_unit(table),
                        .value = positive(table.at("value")),
                        .least = positive(table.at("least")),
                        .most = positive(table.at("most")),
                        .repetitions = repetitions_of(table),
                        .at = table.optional_string("at").value_or("")};
  if (figure.least > figure.value || figure.value > figure.most) {
    throw table.at("value").error(format("'{}.value' is not between least and most", table.path()));
  }
  return figure;
}

std::vector<MeasuredFigure> read_figures(const TomlValue& array) {
  std::vector<MeasuredFigure> figures;
  std::set<std::string> names;
  for (const TomlValue& element : array.as_array()) {
    figures.push_back(read_figure(element.as_table()));
    if (!names.insert(figures.back().name).second) {
      throw element.as_table().at("name").error(
          format("a second figure with the name '{}'", figures.back().name), "remove one of them");
    }
  }
  return figures;
}

VectorAddition read_vector_addition(const TomlTable& table) {
  table.allow_only({"launch", "memory", "elements", "kernel_s", "to_device_s", "to_host_s",
                    "total_s", "correct"});
  VectorAddition row;
  row.launch = table.filled_string("launch");
  row.memory = table.filled_string("memory");
  row.elements = table.integer("elements");
  if (row.elements < 1) {
    throw table.at("elements").error(format("'{}.elements' must be 1 or more", table.path()));
  }
  row.kernel_s = positive(table.at("kernel_s"));
  row.to_device_s = optional_not_negative(table, "to_device_s");
  row.to_host_s = optional_not_negative(table, "to_host_s");
  row.total_s = positive(table.at("total_s"));
  row.correct = table.boolean("correct");
  return row;
}

LinkRow read_link_row(const TomlTable& table) {
  table.allow_only({"collective", "ranks", "bytes", "time_s", "origin"});
  LinkRow row;
  row.collective = table.filled_string("collective");
  const TomlValue& ranks = table.at("ranks");
  if (ranks.as_integer() < 2 || ranks.as_integer() > std::numeric_limits<int>::max()) {
    throw ranks.error(format("'{}' must be 2 or more", ranks.path()));
  }
  row.ranks = static_cast<int>(ranks.as_integer());
  row.bytes = positive(table.at("bytes"));
  row.time_s = positive(table.at("time_s"));
  row.origin = table.optional_string("origin").value_or("");
  return row;
}

std::map<std::string, double> read_times(const TomlTable* table) {
  std::map<std::string, double> times;
  if (table == nullptr) return times;
  for (const TomlEntry& entry : table->entries()) times[entry.key] = not_negative(entry.value);
  return times;
}

std::map<std::string, HostCost> read_host_ops(const TomlTable* table) {
  std::map<std::string, HostCost> costs;
  if (table == nullptr) return costs;
  for (const TomlEntry& entry : table->entries()) {
    const TomlTable& op = entry.value.as_table();
    op.allow_only({"inference_s", "forward_s", "backward_s"});
    costs[entry.key] = {.inference_s = positive(op.at("inference_s")),
                        .forward_s = optional_not_negative(op, "forward_s"),
                        .backward_s = optional_not_negative(op, "backward_s")};
  }
  return costs;
}

HostCosts read_host(const TomlTable& table) {
  table.allow_only({"issuer", "version", "cpu", "loss_s", "step_s", "module_call_s", "jitter",
                    "optimizer_fixed_s", "optimizer_per_tensor_s", "ops", "autocast"});
  HostCosts host;
  host.issuer = table.filled_string("issuer");
  host.version = table.string("version");
  host.cpu = table.string("cpu");
  host.loss_s = not_negative(table.at("loss_s"));
  host.step_s = not_negative(table.at("step_s"));
  if (const TomlValue* const call = table.find("module_call_s")) {
    host.module_call_s = positive(*call);
  }
  if (const TomlValue* const jitter = table.find("jitter")) host.jitter = positive(*jitter);
  host.optimizer_fixed_s = read_times(table.optional_table("optimizer_fixed_s"));
  host.optimizer_per_tensor_s = read_times(table.optional_table("optimizer_per_tensor_s"));
  host.ops = read_host_ops(table.optional_table("ops"));
  host.autocast = read_host_ops(table.optional_table("autocast"));
  return host;
}

std::vector<std::string> read_columns(const TomlValue& value) {
  std::vector<std::string> columns;
  for (const TomlValue& element : value.as_array()) {
    const std::string& name = element.as_string();
    if (trim(name).empty()) throw element.error(format("'{}' is empty", element.path()));
    if (std::find(columns.begin(), columns.end(), name) != columns.end()) {
      throw element.error(format("a second column with the name '{}'", name));
    }
    columns.push_back(name);
  }
  if (columns.empty()) throw value.error(format("'{}' names no column", value.path()));
  return columns;
}

std::map<std::string, Origin> read_origins(const TomlTable* table) {
  std::map<std::string, Origin> origins;
  if (table == nullptr) return origins;
  for (const TomlEntry& entry : table->entries()) {
    const TomlTable& origin = entry.value.as_table();
    origin.allow_only({"title", "url", "license", "environment"});
    origins[entry.key] = {.title = origin.filled_string("title"),
                          .url = origin.filled_string("url"),
                          .license = origin.filled_string("license"),
                          .environment = origin.string("environment")};
  }
  return origins;
}

int count_of(const TomlValue& value) {
  const std::int64_t count = value.as_integer();
  if (count < 0 || count > std::numeric_limits<int>::max()) {
    throw value.error(format("'{}' must not be below zero", value.path()));
  }
  return static_cast<int>(count);
}

PublishedRows read_published(const TomlTable& table) {
  table.allow_only({"origin", "rows", "too_short", "outliers", "launch_s", "error_of_all",
                    "error_of_kept", "factor", "spread"});
  PublishedRows published{.origin = table.filled_string("origin"),
                          .rows = count_of(table.at("rows")),
                          .too_short = count_of(table.at("too_short")),
                          .outliers = count_of(table.at("outliers")),
                          .launch_s = table.number("launch_s"),
                          .error_of_all = not_negative(table.at("error_of_all")),
                          .error_of_kept = not_negative(table.at("error_of_kept"))};
  if (const TomlValue* const factor = table.find("factor")) published.factor = positive(*factor);
  published.spread = optional_not_negative(table, "spread").value_or(0.0);
  return published;
}

/// Throws for the name of an origin without its own table.
void check_origin(const std::string& name, const TomlTable& user, const Calibration& calibration) {
  if (name.empty() || calibration.origins.contains(name)) return;
  throw user.at("origin").error(format("unknown origin '{}'", name),
                                format("describe it in a table [origins.{}]", name));
}

OpTable read_op_table(const TomlTable& table, const RowReader& rows) {
  constexpr std::array<std::string_view, 5> model_keys = {"curve", "lengths", "noise", "amplitude",
                                                          "error"};
  table.allow_only(
      {"columns", "rows", "curve", "lengths", "noise", "amplitude", "error", "published"});
  OpTable ops;
  ops.columns = read_columns(table.at("columns"));
  ops.rows = rows.read(table.at("rows"), ops.columns.size());
  if (const TomlTable* const published = table.optional_table("published")) {
    ops.published = read_published(*published);
  }
  if (std::none_of(model_keys.begin(), model_keys.end(),
                   [&](std::string_view key) { return table.contains(key); })) {
    return ops;
  }
  for (const TomlValue& element : table.at("curve").as_array()) {
    ops.curve.push_back(element.as_number());
  }
  const TomlValue& lengths = table.at("lengths");
  for (const TomlValue& element : lengths.as_array()) ops.lengths.push_back(positive(element));
  const std::size_t columns = ops.columns.size();
  // A column may have two features (predict::feature), which have separate lengths.
  if (!ops.lengths.empty() && (ops.lengths.size() < columns || ops.lengths.size() > 3 * columns)) {
    throw lengths.error(
        format("'{}' has {} values for {} columns", lengths.path(), ops.lengths.size(), columns),
        "one for each column, then one for each feature of the kind; or none");
  }
  ops.noise = not_negative(table.at("noise"));
  ops.amplitude = not_negative(table.at("amplitude"));
  ops.error = not_negative(table.at("error"));
  return ops;
}

}  // namespace

Calibration read_calibration(std::string_view text, std::string file) {
  const TomlTable root = parse_toml(text, std::move(file));
  root.allow_only({"id", "device", "device_name", "command", "notes", "figures", "vector_additions",
                   "environment", "host", "links", "origins", "ops"});
  Calibration calibration;
  calibration.id = root.filled_string("id");
  calibration.device = root.optional_string("device").value_or("");
  calibration.device_name = root.filled_string("device_name");
  calibration.command = root.optional_string("command").value_or("");
  for (const std::string& note : root.strings("notes")) {
    calibration.notes.push_back({plain_sentence, {note}});
  }
  if (const TomlValue* const figures = root.find("figures")) {
    calibration.figures = read_figures(*figures);
  }
  if (const TomlValue* const rows = root.find("vector_additions")) {
    for (const TomlValue& row : rows->as_array()) {
      calibration.vector_additions.push_back(read_vector_addition(row.as_table()));
    }
  }
  if (const TomlTable* const environment = root.optional_table("environment")) {
    for (const TomlEntry& entry : environment->entries()) {
      calibration.environment[entry.key] = entry.value.as_string();
    }
  }
  if (const TomlTable* const hosts = root.optional_table("host")) {
    for (const TomlEntry& entry : hosts->entries()) {
      calibration.hosts.push_back(read_host(entry.value.as_table()));
    }
  }
  calibration.origins = read_origins(root.optional_table("origins"));
  if (const TomlValue* const rows = root.find("links")) {
    for (const TomlValue& row : rows->as_array()) {
      calibration.links.push_back(read_link_row(row.as_table()));
      check_origin(calibration.links.back().origin, row.as_table(), calibration);
    }
  }
  if (const TomlTable* const ops = root.optional_table("ops")) {
    const RowReader rows(text);
    for (const TomlEntry& entry : ops->entries()) {
      const OpTable& table = calibration.ops[entry.key] =
          read_op_table(entry.value.as_table(), rows);
      if (table.published) {
        check_origin(table.published->origin, entry.value.as_table().table("published"),
                     calibration);
      }
    }
  }
  return calibration;
}

}  // namespace rooflab::device
