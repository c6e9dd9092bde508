#include "layer_rows.hpp"

#include <algorithm>
#include <array>

namespace rooflab::report {
namespace {

constexpr std::array work_keys =
    std::to_array<FigureKey>({"macs", "flop", "matrix_flop", "vector_flop", "compulsory_bytes"});

bool is_work(std::string_view key) {
  return std::ranges::find(work_keys, key, &FigureKey::key) != work_keys.end();
}

}  // namespace

Table layer_rows(std::span<const analyze::LayerRow> layers, std::span<const FigureColumn> columns) {
  Table table = table_of(layers, columns);
  const auto shape =
      std::ranges::find(table.columns, FigureKey("output_shape").key(), &Column::key);
  shape->align = Align::left;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const analyze::LayerRow& layer = layers[i];
    if (layer.output_shape) {
      table.rows[i][static_cast<std::size_t>(shape - table.columns.begin())] =
          layer.output_shape->to_string();
    }
    if (layer.parameters == 0) cell_at(table, i, "parameters").text = "-";
    for (std::size_t column = 0; !layer.counted && column < table.columns.size(); ++column) {
      if (is_work(table.columns[column].key)) table.rows[i][column].text = "not counted";
    }
  }
  return table;
}

}  // namespace rooflab::report
