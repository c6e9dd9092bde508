#include "layer_rows.hpp"

#include <algorithm>

namespace rooflab::report {

Table layer_rows(std::span<const analyze::LayerRow> layers,
                 std::initializer_list<FigureColumn> columns) {
  Table table = table_of(layers, columns);
  const auto shape =
      std::ranges::find(table.columns, FigureKey("output_shape").key(), &Column::key);
  shape->align = Align::left;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!layers[i].output_shape) continue;
    table.rows[i][static_cast<std::size_t>(shape - table.columns.begin())] =
        layers[i].output_shape->to_string();
  }
  return table;
}

}  // namespace rooflab::report
