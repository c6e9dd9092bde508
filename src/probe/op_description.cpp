// docs/formats/published_ops.md describes the file. Nothing is guessed: a key, a column, a kind and
// a size that is not known are errors at their place.

#include "op_description.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "base/toml.hpp"
#include "rooflab/graph/op.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::probe {
namespace {

using predict::OpShape;

double seconds_of(const TomlValue& unit) {
  const std::string& name = unit.as_string();
  if (name == "s") return 1.0;
  if (name == "ms") return 1e-3;
  if (name == "us") return 1e-6;
  throw unit.error(format("'{}' is not a unit of time", name), "units allowed here: s, ms, us");
}

double above_zero(const TomlValue& value) {
  const double number = value.as_number();
  if (number <= 0.0) throw value.error(format("'{}' must be above zero", value.path()));
  return number;
}

class DescriptionReader {
 public:
  DescriptionReader(const TomlTable& root, const std::vector<std::string>& kinds)
      : root_(root), kinds_(kinds) {}

  OpDescription read(std::string file) {
    root_.allow_only({"table", "launch_in_time", "reference", "origin", "columns", "devices", "ops",
                      "links", "left_out"});
    result_.file = std::move(file);
    result_.table = root_.filled_string("table");
    result_.launch_in_time = root_.optional_boolean("launch_in_time").value_or(false);
    result_.reference = root_.optional_string("reference").value_or("");
    read_origin(root_.table("origin"));
    read_columns(root_.table("columns"));
    read_devices(root_.table("devices"));
    for_each("ops", [this](const TomlTable& table) { read_op(table); });
    for_each("links", [this](const TomlTable& table) { read_link(table); });
    for_each("left_out", [this](const TomlTable& table) {
      table.allow_only({"when", "why"});
      (void)table.filled_string("why");
      result_.left_out.push_back(choice_of(table));
    });
    if (result_.ops.empty() && result_.links.empty()) {
      throw root_.error("the file describes neither ops nor links",
                        "[[ops]] with when, kind and sizes");
    }
    return std::move(result_);
  }

 private:
  template <class Read>
  void for_each(std::string_view key, Read read) {
    const TomlValue* const array = root_.find(key);
    if (array == nullptr) return;
    for (const TomlValue& element : array->as_array()) read(element.as_table());
  }

  void read_origin(const TomlTable& table) {
    table.allow_only({"name", "title", "url", "license", "environment"});
    result_.origin_name = table.filled_string("name");
    result_.origin = {.title = table.filled_string("title"),
                      .url = table.filled_string("url"),
                      .license = table.filled_string("license"),
                      .environment = table.string("environment")};
  }

  void read_columns(const TomlTable& table) {
    table.allow_only(
        {"device", "time", "unit", "packed", "separator", "numbers", "texts", "ignored"});
    result_.device_column = table.filled_string("device");
    result_.time_column = table.filled_string("time");
    result_.seconds_each = seconds_of(table.at("unit"));
    result_.packed_column = table.optional_string("packed").value_or("");
    result_.number_columns = table.strings("numbers");
    result_.text_columns = table.strings("texts");
    result_.ignored_columns = table.strings("ignored");
    const std::string separator = table.optional_string("separator").value_or("x");
    if (separator.size() != 1) {
      throw table.at("separator").error("a separator is one character", "separator = \"x\"");
    }
    result_.separator = separator.front();
    std::set<std::string> seen;
    for (const std::string& column : result_.columns()) {
      if (!seen.insert(column).second) {
        throw table.error(format("the column '{}' is named twice", column),
                          "each column has one use");
      }
    }
  }

  void read_devices(const TomlTable& table) {
    for (const TomlEntry& entry : table.entries()) {
      result_.devices[entry.key] = entry.value.as_string();
    }
    if (result_.devices.empty()) {
      throw table.error("no device is named", "\"Tesla T4\" = \"t4\": name in the table and id");
    }
  }

  RowChoice choice_of(const TomlTable& table) const {
    RowChoice choice{.when = {}, .place = table.location()};
    const TomlTable& when = table.table("when");
    std::vector<std::string> allowed = result_.text_columns;
    allowed.insert(allowed.end(), result_.number_columns.begin(), result_.number_columns.end());
    for (const TomlEntry& entry : when.entries()) {
      if (std::ranges::find(allowed, entry.key) == allowed.end()) {
        throw entry.value.error(
            format("'{}' is not a column that can choose rows", entry.key),
            near_hint(entry.key, allowed, format("those are: {}", join(allowed, ", "))));
      }
      choice.when.emplace_back(entry.key, entry.value.as_string());
    }
    return choice;
  }

  /// Parts of the kind, each known from some calibration or from the graph's functions.
  OpShape shape_of(const TomlValue& kind) const {
    const std::string& name = kind.as_string();
    OpShape shape = predict::shape_of_kind(name);
    const auto known = [&](auto part, const std::string& value) {
      return std::ranges::any_of(kinds_, [&](const std::string& each) {
        return part(predict::shape_of_kind(each)) == value;
      });
    };
    const bool op = known([](const OpShape& s) { return s.op; }, shape.op) ||
                    graph::unary_function_from_name(shape.op) ||
                    graph::binary_function_from_name(shape.op);
    const bool pass = known([](const OpShape& s) { return s.pass; }, shape.pass);
    const bool type = known([](const OpShape& s) { return s.type; }, shape.type) ||
                      shape.type == "fp16" || shape.type == "f16" || shape.type == "fp8";
    const bool layout = shape.op.starts_with("conv") || shape.op.ends_with("_pool") ||
                                shape.op.starts_with("batch_norm")
                            ? shape.layout == "nchw" || shape.layout == "nhwc"
                            : shape.layout.empty();
    if (op && pass && type && layout && shape.kind() == name) return shape;
    throw kind.error(format("unknown kind '{}'", name),
                     near_hint(name, kinds_,
                               "such as linear.forward.fp32; rooflab probe --refit "
                               "lists those of a calibration"));
  }

  void read_op(const TomlTable& table) {
    table.allow_only({"when", "kind", "names", "sizes", "factor_by", "corrections"});
    OpRule rule;
    rule.rows = choice_of(table);
    const OpShape shape = shape_of(table.at("kind"));
    rule.kind = shape.kind();
    rule.names = result_.packed_column.empty() ? result_.number_columns : table.strings("names");
    if (rule.names.empty()) {
      throw table.error("the numbers of these rows have no names",
                        "names = [\"rows\", \"width\"], in their order");
    }
    const TomlTable& sizes = table.table("sizes");
    const std::span<const std::string_view> columns = predict::columns_of(shape.op);
    sizes.allow_only(columns);
    for (const std::string_view column : columns) {
      const TomlValue& formula = sizes.at(column);
      try {
        rule.sizes.push_back(SizeFormula::parse(formula.as_string(), rule.names));
      } catch (const Error& error) {
        throw error.at(formula.location());
      }
    }
    if (const TomlValue* const by = table.find("factor_by")) {
      const auto found = std::ranges::find(columns, by->as_string());
      if (found == columns.end()) {
        throw by->error(format("'{}' is not a size of {}", by->as_string(), rule.kind));
      }
      rule.factor_by = static_cast<std::size_t>(found - columns.begin());
    }
    if (const TomlTable* const corrections = table.optional_table("corrections")) {
      for (const TomlEntry& entry : corrections->entries()) {
        const TomlTable& correction = entry.value.as_table();
        correction.allow_only({"factor", "spread", "why"});
        const TomlValue* const factor = correction.find("factor");
        const TomlValue* const spread = correction.find("spread");
        rule.corrections[entry.key] = {.factor = factor == nullptr ? 1.0 : above_zero(*factor),
                                       .spread = spread == nullptr ? 0.0 : above_zero(*spread),
                                       .why = correction.filled_string("why")};
      }
    }
    result_.ops.push_back(std::move(rule));
  }

  void read_link(const TomlTable& table) {
    table.allow_only({"when", "collective", "ranks", "bytes", "bytes_each"});
    LinkRule rule;
    rule.rows = choice_of(table);
    rule.collective = table.filled_string("collective");
    const auto column = [&](std::string_view key) {
      const TomlValue& name = table.at(key);
      const std::vector<std::string>& all = result_.number_columns;
      if (std::ranges::find(all, name.as_string()) == all.end()) {
        throw name.error(format("unknown number column '{}'", name.as_string()),
                         near_hint(name.as_string(), all, "numbers in [columns] names them"));
      }
      return name.as_string();
    };
    rule.ranks_column = column("ranks");
    rule.bytes_column = column("bytes");
    rule.bytes_each = above_zero(table.at("bytes_each"));
    result_.links.push_back(std::move(rule));
  }

  const TomlTable& root_;
  const std::vector<std::string>& kinds_;
  OpDescription result_;
};

}  // namespace

std::vector<std::string> OpDescription::columns() const {
  std::vector<std::string> all = {device_column, time_column};
  if (!packed_column.empty()) all.push_back(packed_column);
  all.insert(all.end(), number_columns.begin(), number_columns.end());
  all.insert(all.end(), text_columns.begin(), text_columns.end());
  all.insert(all.end(), ignored_columns.begin(), ignored_columns.end());
  return all;
}

OpDescription read_op_description(std::string_view text, std::string file,
                                  const std::vector<std::string>& kinds) {
  const TomlTable root = parse_toml(text, file);
  return DescriptionReader(root, kinds).read(std::move(file));
}

}  // namespace rooflab::probe
