#include <algorithm>

#include "base/format.hpp"
#include "describe/schema.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using device::Device;

page::Cell figure_cell(const std::optional<device::Figure>& figure) {
  if (!figure) return page::dash();
  return {format("{:g} {}", figure->printed_value, figure->unit), format("{}", figure->value)};
}

page::Cell peak_cell(const Device& device, ArithmeticPath path) {
  const auto peak = device.peaks.find(path);
  return peak == device.peaks.end() ? page::dash() : figure_cell(peak->second);
}

/// A table of figures and facts. Sources are long and few: it has their numbers, the notes below it
/// the texts.
class FigureRows {
 public:
  /// A row of a figure, or of a fact.
  template <class Sourced>
  void add(std::string label, page::Cell value, const Sourced& of, page::Cell ridge = {}) {
    auto place = std::ranges::find(sources_, of.source);
    if (place == sources_.end()) place = sources_.insert(place, of.source);
    const page::Cell number(
        format("({}){}", place - sources_.begin() + 1, of.recalled ? " recalled" : ""), of.source);
    rows_.push_back({std::move(label), std::move(value), std::move(ridge), number, of.note});
  }

  [[nodiscard]] std::vector<std::vector<page::Cell>> take_rows() { return std::move(rows_); }
  [[nodiscard]] page::Remarks notes() const {
    page::Remarks lines;
    for (const std::string& text : sources_) {
      lines.push_back(page::answers(format("({}) {}", lines.size() + 1, text)));
    }
    return lines;
  }

 private:
  std::vector<std::vector<page::Cell>> rows_;
  std::vector<std::string> sources_;
};

page::Cell ridge_cell(const Device& device, ArithmeticPath path) {
  const std::optional<double> ridge = device::ridge_point(device, path);
  const std::string_view unit = path == ArithmeticPath::int8_tensor_int32 ? "OP/B" : "FLOP/B";
  return ridge ? page::Cell(format("{:.2f} {}", *ridge, unit), format("{}", *ridge)) : page::dash();
}

}  // namespace

page::Document device_list_report(std::span<const Device> devices) {
  page::Document document;
  document.title = "Devices";
  page::Table table;
  table.columns = {{"id", "device", page::Align::left},
                   {"name", "name", page::Align::left},
                   {"architecture", "architecture", page::Align::left},
                   {"fp32_flop_per_s", "FP32"},
                   {"tf32_flop_per_s", "TF32 tensor"},
                   {"fp16_tensor_flop_per_s", "FP16 tensor"},
                   {"memory_bytes", "memory"},
                   {"bandwidth_bytes_per_s", "bandwidth"},
                   {"tdp_w", "power"}};
  table.columns[1].shrinks = true;
  for (const std::size_t main_figure : {3U, 6U, 7U}) table.columns[main_figure].answer = true;
  document.json = command_json("devices", "devices", devices);
  for (const Device& device : devices) {
    table.rows.push_back({device.id, device.name, device.architecture,
                          peak_cell(device, ArithmeticPath::fp32_vector),
                          peak_cell(device, ArithmeticPath::tf32_tensor),
                          peak_cell(device, ArithmeticPath::fp16_tensor_fp32),
                          figure_cell(device.memory), figure_cell(device.bandwidth),
                          figure_cell(device.tdp)});
  }
  document.tables.push_back(std::move(table));
  document.notes = {
      "Dense peaks; FP16 tensor with FP32 accumulation. `rooflab devices NAME` shows every"
      " figure with its source."};
  return document;
}

page::Document device_report(const Device& device) {
  page::Document document;
  document.title = device.name;
  page::Table table;
  table.title = format("{} ({}): {} {} {}", device.name, device.id, device.vendor,
                       device.architecture, device.chip);
  table.columns = {{"figure", "figure", page::Align::left},
                   {"value", "value"},
                   {"ridge_point_flop_per_byte", "ridge point"},
                   {"source", "source", page::Align::left},
                   {"note", "note", page::Align::left}};
  table.columns.back().shrinks = true;
  FigureRows rows;
  for (const auto& [path, figure] : device.peaks) {
    rows.add(format("peak {}", label_of(path)), figure_cell(figure), figure,
             ridge_cell(device, path));
  }
  for (const auto& [path, figure] : device.sustained) {
    rows.add(format("sustained {}", label_of(path)), figure_cell(figure), figure);
  }
  for (const device::FigureField& field : device::figure_fields) {
    const std::optional<device::Figure>& figure = device.*field.member;
    if (figure) rows.add(std::string(field.label), figure_cell(figure), *figure);
  }
  for (const device::FactField& field : device::fact_fields) {
    const std::optional<device::Fact>& fact = device.*field.member;
    if (fact) rows.add(std::string(field.label), fact->value, *fact);
  }
  table.rows = rows.take_rows();
  document.tables.push_back(std::move(table));
  document.notes = rows.notes();
  if (!device.aliases.empty()) {
    document.notes.push_back(page::answers(format("Other names: {}", join(device.aliases, ", "))));
  }
  if (!device.note.empty())
    document.notes.push_back(page::answers(format("Note: {}", device.note)));
  if (!device.common.empty()) {
    document.notes.push_back(page::answers(
        format("A name that fits several devices is taken as this one: {}", device.common)));
  }
  document.json = command_json("devices", "devices", std::span(&device, 1));
  return document;
}

}  // namespace rooflab::report
