// From cells to rows of ops: what can be wrong with a table is found here.

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "published_ops.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::probe {
namespace {

class RowReader {
 public:
  RowReader(const OpDescription& description, const CsvTable& table)
      : description_(description), table_(table) {
    check_header();
    device_ = *table.column(description.device_column);
    time_ = *table.column(description.time_column);
    for (const std::string& name : description.number_columns) {
      numbers_.push_back(*table.column(name));
    }
    if (!description.packed_column.empty()) packed_ = *table.column(description.packed_column);
    for (const OpRule& rule : description.ops) add_choice(rule.rows);
    for (const LinkRule& rule : description.links) add_choice(rule.rows);
    for (const RowChoice& choice : description.left_out) add_choice(choice);
  }

  PublishedOps read() {
    if (table_.rows() == 0) {
      throw Error(ErrorKind::input, "the table has no rows", "a row a measurement below the header",
                  table_.header_place());
    }
    for (std::size_t row = 0; row < table_.rows(); ++row) read_row(row);
    for (const Choice& choice : choices_) {
      if (choice.rows > 0) continue;
      throw Error(ErrorKind::input, "no row of the table fits this 'when'",
                  "remove it, or correct its cells", choice.place);
    }
    return std::move(result_);
  }

 private:
  struct Choice {
    std::vector<std::pair<std::size_t, std::string>> cells;
    Location place;
    std::size_t rows = 0;
  };

  void check_header() const {
    const std::vector<std::string> columns = description_.columns();
    for (const std::string& column : columns) {
      if (table_.column(column)) continue;
      throw Error(ErrorKind::input, format("the table has no column '{}'", column),
                  near_hint(column, table_.header(),
                            format("its columns are {}", join(table_.header(), ", "))),
                  table_.header_place());
    }
    for (const std::string& column : table_.header()) {
      if (std::ranges::find(columns, column) != columns.end()) continue;
      throw Error(ErrorKind::input, format("the description does not name the column '{}'", column),
                  format("add it to 'ignored' in [columns] of {}", description_.file),
                  table_.header_place());
    }
  }

  void add_choice(const RowChoice& choice) {
    Choice columns{.cells = {}, .place = choice.place};
    for (const auto& [column, cell] : choice.when) {
      columns.cells.emplace_back(*table_.column(column), cell);
    }
    choices_.push_back(std::move(columns));
  }

  double number(std::size_t row, std::size_t column, std::string_view text) const {
    const std::optional<double> value = parse_number(trim(text));
    if (!value || !std::isfinite(*value)) {
      throw table_.error(row, column, format("'{}' is not a number", text),
                         "the description says that this column holds numbers");
    }
    return *value;
  }

  void read_row(std::size_t row) {
    const std::string device(table_.cell(row, device_));
    const auto id = description_.devices.find(device);
    if (id == description_.devices.end()) {
      std::vector<std::string> names;
      for (const auto& [name, known] : description_.devices) names.push_back(name);
      throw table_.error(
          row, device_, format("unknown device '{}'", device),
          near_hint(device, names, format("add it to [devices] of {}", description_.file)));
    }
    const double time = number(row, time_, table_.cell(row, time_));
    if (!std::isnormal(time * description_.seconds_each) || time <= 0.0) {
      throw table_.error(row, time_, "a time must be above zero", "remove the row");
    }
    std::size_t fitting = choices_.size();
    for (std::size_t i = 0; i < choices_.size() && fitting == choices_.size(); ++i) {
      const bool fits = std::ranges::all_of(choices_[i].cells, [&](const auto& cell) {
        return table_.cell(row, cell.first) == cell.second;
      });
      if (fits) fitting = i;
    }
    if (fitting == choices_.size()) {
      throw table_.error(
          row, 0, "no rule fits this row",
          format("add [[ops]] or [[left_out]] with its cells to {}", description_.file));
    }
    ++choices_[fitting].rows;
    const std::size_t ops = description_.ops.size();
    if (fitting < ops) {
      const OpRule& rule = description_.ops[fitting];
      result_.ops[id->second][rule.kind].push_back(
          {row, sizes_of(row, rule), time * description_.seconds_each});
    } else if (fitting < ops + description_.links.size()) {
      const LinkRule& rule = description_.links[fitting - ops];
      result_.links[id->second].push_back(link_of(row, rule, time * description_.seconds_each));
    }
  }

  std::vector<double> sizes_of(std::size_t row, const OpRule& rule) const {
    std::vector<double> values;
    std::size_t place = device_;
    if (description_.packed_column.empty()) {
      for (const std::size_t column : numbers_) {
        values.push_back(number(row, column, table_.cell(row, column)));
      }
      if (!numbers_.empty()) place = numbers_.front();
    } else {
      place = packed_;
      const std::string_view cell = table_.cell(row, packed_);
      const std::vector<std::string> parts = split(cell, description_.separator);
      if (parts.size() != rule.names.size()) {
        throw table_.error(row, packed_,
                           format("'{}' has {} numbers, {} takes {}", cell, parts.size(), rule.kind,
                                  rule.names.size()),
                           format("they are {}", join(rule.names, ", ")));
      }
      for (const std::string& part : parts) values.push_back(number(row, packed_, part));
    }
    const std::span<const std::string_view> columns =
        predict::columns_of(predict::shape_of_kind(rule.kind).op);
    std::vector<double> sizes;
    for (std::size_t i = 0; i < rule.sizes.size(); ++i) {
      sizes.push_back(rule.sizes[i].value(values));
      if (!std::isfinite(sizes.back()) || sizes.back() < 1.0) {
        throw table_.error(
            row, place,
            format("these numbers make no {}: '{}' would be {}", rule.kind, columns[i],
                   sizes.back()),
            "every size is 1 or more; look at the order of the names in the description");
      }
    }
    return sizes;
  }

  device::LinkRow link_of(std::size_t row, const LinkRule& rule, double time_s) const {
    const std::size_t ranks = *table_.column(rule.ranks_column);
    const std::size_t bytes = *table_.column(rule.bytes_column);
    const double count = number(row, ranks, table_.cell(row, ranks));
    if (count < 2.0 || count != std::floor(count) || count > 1e6) {
      throw table_.error(row, ranks, "ranks are 2 or more", "remove the row");
    }
    const double size = rule.bytes_each * number(row, bytes, table_.cell(row, bytes));
    if (size < 1.0)
      throw table_.error(row, bytes, "a message has 1 byte or more", "remove the row");
    return {.collective = rule.collective,
            .ranks = static_cast<int>(count),
            .bytes = size,
            .time_s = time_s,
            .origin = description_.origin_name};
  }

  const OpDescription& description_;
  const CsvTable& table_;
  std::size_t device_ = 0;
  std::size_t time_ = 0;
  std::size_t packed_ = 0;
  std::vector<std::size_t> numbers_;
  std::vector<Choice> choices_;  ///< choices of ops, links, left_out
  PublishedOps result_;
};

}  // namespace

PublishedOps read_published_ops(const OpDescription& description, const CsvTable& table) {
  return RowReader(description, table).read();
}

}  // namespace rooflab::probe
