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

page::Table layer_rows(std::span<const analyze::LayerRow> layers,
                       std::span<const page::FigureColumn> columns) {
  page::Table table = page::table_of(layers, columns);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const analyze::LayerRow& layer = layers[i];
    if (layer.parameters == 0) page::cell_at(table, i, "parameters").text = "-";
    for (std::size_t column = 0; !layer.counted && column < table.columns.size(); ++column) {
      if (is_work(table.columns[column].key)) table.rows[i][column].text = "not counted";
    }
  }
  return table;
}

}  // namespace rooflab::report
