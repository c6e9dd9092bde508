#include "rooflab/report/device_report.hpp"

#include <algorithm>

#include "rooflab/base/format.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::report {
namespace {

using device::Device;
using device::Figure;

Cell figure_cell(const std::optional<Figure>& figure) {
  if (!figure) return dash();
  return {format("{:g} {}", figure->printed_value, figure->unit), format("{}", figure->value)};
}

Cell peak_cell(const Device& device, ArithmeticPath path) {
  const auto peak = device.peaks.find(path);
  return peak == device.peaks.end() ? dash() : figure_cell(peak->second);
}

/// Sources are long and few: the table has their numbers, the notes below it the texts.
class Sources {
 public:
  std::vector<Cell> row(std::string_view label, const Cell& figure, const Cell& ridge,
                        const std::string& source, bool recalled, const std::string& note) {
    auto place = std::ranges::find(texts_, source);
    if (place == texts_.end()) place = texts_.insert(place, source);
    const Cell number(format("({}){}", place - texts_.begin() + 1, recalled ? " recalled" : ""),
                      source);
    return {std::string(label), figure, ridge, number, note};
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> lines;
    for (const std::string& text : texts_)
      lines.push_back(format("({}) {}", lines.size() + 1, text));
    return lines;
  }

 private:
  std::vector<std::string> texts_;
};

Cell ridge_cell(const Device& device, ArithmeticPath path) {
  const std::optional<double> ridge = device::ridge_point(device, path);
  const std::string_view unit = path == ArithmeticPath::int8_tensor_int32 ? "OP/B" : "FLOP/B";
  return ridge ? Cell(format("{:.2f} {}", *ridge, unit), format("{}", *ridge)) : dash();
}

}  // namespace

Document device_list_report(std::span<const Device> devices) {
  Document document;
  document.title = "Devices";
  Table table;
  table.columns = {{"id", "device", Align::left},
                   {"name", "name", Align::left},
                   {"architecture", "architecture", Align::left},
                   {"fp32_flop_per_s", "FP32"},
                   {"tf32_flop_per_s", "TF32 tensor"},
                   {"fp16_tensor_flop_per_s", "FP16 tensor"},
                   {"memory_bytes", "memory"},
                   {"bandwidth_bytes_per_s", "bandwidth"},
                   {"tdp_w", "power"}};
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

Document device_report(const Device& device) {
  Document document;
  document.title = device.name;
  Table table;
  table.title = format("{} ({}): {} {} {}", device.name, device.id, device.vendor,
                       device.architecture, device.chip);
  table.columns = {{"figure", "figure", Align::left},
                   {"value", "value"},
                   {"ridge_point_flop_per_byte", "ridge point"},
                   {"source", "source", Align::left},
                   {"note", "note", Align::left}};
  Sources sources;
  for (const auto& [path, figure] : device.peaks) {
    table.rows.push_back(sources.row(format("peak {}", label_of(path)), figure_cell(figure),
                                     ridge_cell(device, path), figure.source, figure.recalled,
                                     figure.note));
  }
  for (const auto& [path, figure] : device.sustained) {
    table.rows.push_back(sources.row(format("sustained {}", label_of(path)), figure_cell(figure),
                                     Cell("", ""), figure.source, figure.recalled, figure.note));
  }
  for (const device::FigureField& field : device::figure_fields) {
    const std::optional<Figure>& figure = device.*field.member;
    if (!figure) continue;
    table.rows.push_back(sources.row(field.label, figure_cell(figure), Cell("", ""), figure->source,
                                     figure->recalled, figure->note));
  }
  for (const device::FactField& field : device::fact_fields) {
    const std::optional<device::Fact>& fact = device.*field.member;
    if (!fact) continue;
    table.rows.push_back(sources.row(field.label, Cell(fact->value), Cell("", ""), fact->source,
                                     fact->recalled, fact->note));
  }
  document.tables.push_back(std::move(table));
  document.notes = sources.notes();
  if (!device.aliases.empty()) {
    document.notes.push_back(format("Other names: {}", join(device.aliases, ", ")));
  }
  if (!device.note.empty()) document.notes.push_back(format("Note: {}", device.note));
  document.json = command_json("devices", "devices", std::span(&device, 1));
  return document;
}

}  // namespace rooflab::report
